"""The report of a study: every file is there, says what was measured, and needs nothing else."""

import base64
import csv
import html
import json
import re
import shutil
from collections import Counter
from dataclasses import asdict, replace
from functools import cache
from html.parser import HTMLParser

import pytest
import torch
from matplotlib.figure import Figure

from pacl.evaluation import read_evaluation
from pacl.report import figures, style
from pacl.report.figures import study_figures
from pacl.report.page import ClaimBlock, Details, FigureBlock, Heading, Text
from pacl.report.page.blocks import PNG
from pacl.report.paper_tables import table_1, table_4
from pacl.report.statistics_tables import statistics_tables
from pacl.report.study import write, write_report
from pacl.report.study.claims import claim_blocks
from pacl.report.style import FigureError
from pacl.report.table import table_csv, table_latex, table_markdown
from pacl.studies.claims import check_claims
from pacl.studies.errors import RunError
from pacl.studies.external_evaluation import evaluate_external
from pacl.studies.outcomes import Outcome, Outcomes
from support.refusals import refused
from support.small_runs import copied, files_of, place, small_run, small_windows

LOSSES, SEEDS = ("patient-aware", "supcon", "bce"), (1, 2)
OWN, OTHER = "own cohort", "other"
METHOD = tuple(one.name for one in study_figures() if not one.for_each_cohort)
RESULT = tuple(one.name for one in study_figures() if one.for_each_cohort)
SMALL = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>'


OWN_FIGURE = """
from pacl.report.figures import StudyFigure

FIGURE = StudyFigure("own", "summary", "Alt", "**Caption.**", lambda study: 0, lambda data: None)
"""


@cache
def runs():
    """Small runs that were judged on other patients as well; not to be changed."""
    found = {}
    for loss in LOSSES:
        for seed in SEEDS:
            run = copied(small_run(seed, loss, epochs=1), place() / "report" / f"{loss}-{seed}")
            windows = small_windows(seed=8, patients=6, split=2)
            evaluate_external(run, windows, name=OTHER, device=torch.device("cpu"))
            shutil.copytree(run.path / "on" / OTHER, run.path / "on" / "other-test")
            found[loss, seed] = run
    return found


def outcomes(on="test", title=OWN, *, losses=LOSSES, seeds=SEEDS):
    return Outcomes(
        title,
        on,
        tuple(Outcome(loss, seed, (runs()[loss, seed],), on) for loss in losses for seed in seeds),
    )


@cache
def cohorts():
    return outcomes(), outcomes(OTHER, OTHER)


def empty(figure):
    """The same figure with nothing in it."""
    return replace(figure, compute=lambda study: None, draw=lambda data: Figure())


@cache
def report():
    """Two cohorts, everything drawn of the first; not to be changed."""
    steps = []
    draw = write.draw_figure

    def quickly(figure, study, target, name):
        return draw(empty(figure) if name.endswith(OTHER) else figure, study, target, name)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(write, "draw_figure", quickly)
        patched.setitem(style._SETTINGS, "savefig.dpi", 20)
        found = write_report(
            cohorts(),
            place() / "written",
            windows=small_windows(),
            command="pacl reproduce --data <here>",
            track=lambda done, total: steps.append((done, total)),
        )
    return found, steps


def folder():
    return report()[0].path.parent


@pytest.fixture
def unsaved(monkeypatch):
    """Figures are computed and drawn, but the files are empty."""

    def save(figure, folder, name, alt, caption, wide):
        for ending, content in (("svg", SMALL), ("png", PNG)):
            (folder / f"{name}.{ending}").write_bytes(content)
        return FigureBlock(name, SMALL, alt, caption, wide)

    monkeypatch.setattr(write, "save_published", save)


@pytest.fixture
def quick(unsaved, monkeypatch):
    """Figures are not even computed."""
    figures = tuple(map(empty, study_figures()))
    monkeypatch.setattr(write, "study_figures", lambda: figures)


def written(target, *each):
    return write_report(each, target, windows=small_windows())


def test_every_file_is_there():
    names = set(files_of(folder()))
    pictures = [*METHOD, *(f"{kind}-{on}" for kind in RESULT for on in ("test", OTHER))]
    tables = ["table-5", "runs"]
    for on in ("test", OTHER):
        tables += [f"table-{at}-{on}" for at in (1, 2, 3, 4)]
        tables += [f"statistics-{at}-{on}" for at in (1, 2, 3, 4, 5)]
    assert report()[0].not_drawn == ()
    assert names == {
        "report.html",
        "report.md",
        "claims.json",
        "patients.csv",
        *(f"figures/{name}.{ending}" for name in pictures for ending in ("svg", "png")),
        *(f"tables/{name}.{ending}" for name in tables for ending in ("md", "tex", "csv")),
    }
    for name, content in files_of(folder()).items():
        assert content, name
        assert content.startswith(PNG) == name.endswith(".png")
        assert name.endswith(".png") or content.decode()


def test_progress_ends_with_all_steps_done():
    steps = report()[1]
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert {total for _, total in steps} == {len(steps)}


def test_claims_are_those_of_both_cohorts():
    found = report()[0].claims
    assert found == tuple(claim for one in cohorts() for claim in check_claims(one))
    assert Counter(claim.cohort for claim in found) == {OWN: 21, OTHER: 21}
    stated = json.loads((folder() / "claims.json").read_text("utf-8"))
    assert stated == [asdict(claim) for claim in found]


def test_patients_are_those_of_the_evaluations():
    rows = list(csv.DictReader((folder() / "patients.csv").read_text("utf-8").splitlines()))
    found = {(r["cohort"], r["loss"], int(r["seed"]), r["patient"]): r for r in rows}
    assert len(found) == len(rows) == len(LOSSES) * len(SEEDS) * (2 + 6)
    for (loss, seed), run in runs().items():
        for on, title in (("test", OWN), (OTHER, OTHER)):
            measured = read_evaluation(run.evaluated_where(on))
            for section in ("detection", "pooled"):
                for row in map(asdict, getattr(measured, section).per_subject):
                    mine = found[title, loss, seed, row["subject"]]
                    for key in {*mine} & {*row}:
                        assert mine[key] == ("" if row[key] is None else repr(row[key])), key
                    if section == "pooled":
                        cohesions = ["" if one is None else repr(one) for one in row["cohesion"]]
                        assert [mine["sr_cohesion"], mine["af_cohesion"]] == cohesions
    keys = ["auroc", "accuracy", "sensitivity", "specificity"]
    keys += ["sr_cohesion", "af_cohesion", "compactness"]
    assert list(rows[0]) == ["cohort", "loss", "seed", "patient", *keys]


def test_tables_are_those_of_the_library():
    for one in cohorts():
        tables = {f"statistics-{at}": t for at, t in enumerate(statistics_tables(one), start=1)}
        tables |= {"table-1": table_1(one), "table-4": table_4(one)}
        for name, table in tables.items():
            for ending, text in (
                ("md", table_markdown(table)),
                ("tex", table_latex(table)),
                ("csv", table_csv(table)),
            ):
                path = folder() / "tables" / f"{name}-{one.on}.{ending}"
                assert path.read_text("utf-8") == text


class Outside(HTMLParser):
    """Every attribute that makes a browser fetch something or go somewhere."""

    def __init__(self):
        super().__init__()
        self.fetched, self.links, self.tags, self.ids = [], [], Counter(), []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        for key, value in attrs:
            if key in ("src", "srcset", "data", "action", "poster", "xlink:href"):
                self.fetched.append(value)
            elif key == "href":
                (self.links if tag == "a" else self.fetched).append(value)
            elif key == "id":
                self.ids.append(value)


def parsed(text):
    found = Outside()
    found.feed(text)
    return found


def test_the_page_needs_nothing_else():
    text = report()[0].path.read_text("utf-8")
    found = parsed(text)
    pictures = [one for one in found.fetched if one != "data:,"]  # no icon
    assert all(one.startswith("data:image/") for one in pictures)
    assert len(pictures) == found.tags["img"] == len(METHOD) + 2 * len(RESULT)
    assert found.tags["iframe"] == found.tags["object"] == found.tags["embed"] == 0
    assert "@import" not in text
    assert all(place.startswith("data:") for place in re.findall(r"url\(([^)]*)\)", text))
    for one in pictures:
        kind, data = one.split(";base64,")
        content = base64.b64decode(data)
        if kind.endswith("png"):
            assert content.startswith(PNG)
            continue
        drawn = content.decode()
        assert all(link.startswith(("#", "data:")) for link in re.findall(r'href="([^"]*)"', drawn))
        assert "<script" not in drawn


def test_links_within_the_page_lead_somewhere():
    found = parsed(report()[0].path.read_text("utf-8"))
    inner = [one.removeprefix("#") for one in found.links if one.startswith("#")]
    assert inner
    assert set(inner) <= {*found.ids}
    assert len(set(found.ids)) == len(found.ids)


def test_the_page_has_each_claim_and_table_once():
    text = report()[0].path.read_text("utf-8")
    assert text.count('<article class="claim ') == 42
    counted = Counter(re.findall(r'<article class="claim (\w+)"', text))
    stated = Counter(claim.verdict for claim in report()[0].claims)
    assert counted == {
        key: stated[verdict]
        for key, verdict in (
            ("holds", "holds"),
            ("fails", "does not hold"),
            ("open", "inconclusive"),
        )
        if stated[verdict]
    }
    markdown = (folder() / "report.md").read_text("utf-8")
    for one in cohorts():
        for table in statistics_tables(one):
            assert markdown.count(table.title.replace("_", r"\_")) == 1, table.title
    assert "pacl reproduce --data &lt;here&gt;" in text
    assert "pacl reproduce --data <here>" in markdown
    assert not re.search(r"\bnan\b", re.sub(r"base64,[^\"]*", "", text), re.IGNORECASE)


def test_decided_claims_come_first_and_the_others_are_folded_away():
    text = report()[0].path.read_text("utf-8")
    section = text[text.index('id="what-holds"') : text.index('id="the-patients"')]
    overview, own, other = re.split(r'<h3 id="claims-[^"]*">Claims, ', section)
    decided = {claim.key for claim in report()[0].claims if claim.decided}
    assert 0 < len(decided) < 21
    for claim in report()[0].claims:
        assert (claim.text in html.unescape(overview)) == (claim.key in decided), claim.key
    for part, cohort in ((own, OWN), (other, OTHER)):
        assert part.startswith(f"{cohort}</h3>")
        here = [claim for claim in report()[0].claims if claim.cohort == cohort]
        left = [claim.text for claim in here if not claim.decided]
        front, folded = part.split(f"<summary>{len(left)} claims are inconclusive</summary>")
        assert folded.count("<details><summary>") == 0
        assert cards(front) == [claim.text for claim in here if claim.decided]
        assert cards(folded) == left
        assert ("No claim is decided" in front) == (len(left) == 21)
        assert f", {len(left)} are inconclusive" in text


def cards(part):
    """The claims of a part of the page, in their order."""
    found = re.findall(r'<p class="claim-text">(.*?)(?: <span|</p>)', part, re.DOTALL)
    return [html.unescape(one).strip() for one in found]


def test_one_cohort_needs_no_overview_and_one_claim_is_one():
    claims = [claim for claim in report()[0].claims if claim.cohort == OTHER]
    first, *_ = (claim for claim in claims if not claim.decided)
    blocks = claim_blocks(cohorts()[1:], [first, *(claim for claim in claims if claim.decided)])
    assert [type(one) for one in blocks[:3]] == [Heading, Text, ClaimBlock]
    assert isinstance(blocks[-1], Details)
    assert blocks[-1].summary == "1 claim is inconclusive"
    assert [one.claim for one in blocks[-1].blocks] == [first.text]


def test_markdown_shows_figures_that_are_there():
    markdown = (folder() / "report.md").read_text("utf-8")
    links = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", markdown)
    assert len(links) == len(METHOD) + 2 * len(RESULT)
    for link in links:
        assert (folder() / link).is_file()


@pytest.mark.usefixtures("quick")
def test_a_report_is_written_over_an_older_one(tmp_path):
    (tmp_path / "tables").mkdir()
    stale = ("report.html", "report.md", "claims.json", "patients.csv", "tables/table-5.md")
    for name in stale:
        (tmp_path / name).write_text("stale")
    (tmp_path / "kept.txt").write_text("mine")
    assert written(tmp_path, *cohorts()).claims == report()[0].claims
    mine, theirs = files_of(tmp_path), files_of(folder())
    assert mine.pop("kept.txt") == b"mine"
    assert mine.keys() == theirs.keys()
    drawn = {name for name in mine if name.startswith(("figures/", "report."))}
    assert {name for name in mine if mine[name] != theirs[name]} <= drawn
    assert b"stale" not in mine["report.html"]


@pytest.mark.usefixtures("unsaved")
def test_a_figure_that_cannot_be_drawn_is_reported_with_the_reason(tmp_path, monkeypatch):
    def refuse(*given, **more):
        raise FigureError("no ROC today")

    changed = [
        replace(one, draw=refuse) if one.name == "roc" else empty(one) for one in study_figures()
    ]
    monkeypatch.setattr(write, "study_figures", lambda: changed)
    found = written(tmp_path, outcomes(losses=("bce",), seeds=(1,)))
    assert found.not_drawn == ("roc-test: no ROC today",)
    assert not (tmp_path / "figures" / "roc-test.svg").exists()
    page = parsed(found.path.read_text("utf-8"))
    assert page.tags["img"] == len(METHOD) + len(RESULT) - 1


@pytest.mark.usefixtures("unsaved")
def test_one_loss_and_one_seed_are_enough(tmp_path):
    found = written(tmp_path, outcomes(losses=("supcon",), seeds=(2,)))
    assert (found.claims, found.not_drawn) == ((), ())
    text = found.path.read_text("utf-8")
    assert 'class="claim ' not in text
    assert json.loads((tmp_path / "claims.json").read_text()) == []
    assert not (tmp_path / "tables" / "table-3-test.md").exists()


@pytest.mark.usefixtures("quick")
def test_runs_that_collapsed_are_named(tmp_path):
    run = copied(runs()["bce", 2], tmp_path / "run")
    spreads = {"pooled_spread": 1e-9, "projected_spread": 1e-9}
    run.write_history([one | spreads for one in run.history()])
    each = tuple(
        replace(one, runs=(run,)) if (one.loss, one.seed) == ("bce", 2) else one
        for one in outcomes(losses=("patient-aware", "bce")).each
    )
    found = written(tmp_path / "report", replace(outcomes(), each=each))
    text = found.path.read_text("utf-8")
    assert "<strong>Collapsed to a point:</strong> bce, seed 2." in text
    assert "(seed 1)" in text  # the sphere is of a seed that did not collapse
    rows = list(csv.reader((tmp_path / "report/tables/runs.csv").read_text().splitlines()))
    assert [row[:2] for row in rows if row[-1] == "yes"] == [["BCE", "2"]]


@pytest.mark.usefixtures("quick")
def test_whatever_a_cohort_is_called_the_page_stays_whole(tmp_path):
    title = "Zoë & <b>Söhne</b> 50% $x_1$ \\end"
    found = written(tmp_path, outcomes(title=title, losses=("bce",), seeds=(1,)))
    text = found.path.read_text("utf-8")
    assert "<b>Söhne" not in text
    assert "Zoë &amp; &lt;b&gt;Söhne" in text
    latex = (tmp_path / "tables" / "table-1-test.tex").read_text("utf-8")
    assert r"50\% \$x\_1\$" in latex


@pytest.mark.usefixtures("quick")
def test_a_cohort_whose_name_ends_in_test_is_not_mixed_up(tmp_path):
    both = [outcomes(on, on, losses=("bce",), seeds=(1,)) for on in ("test", "other-test")]
    text = (written(tmp_path, *both).path.parent / "report.md").read_text("utf-8")
    assert text.count("Intervals over patients, other-test") == 1


@pytest.mark.parametrize(
    ("titles", "places"),
    [(("a", "b"), ("a.b", "a-b")), (("a", "a"), ("test", "other"))],
)
def test_cohorts_with_the_same_name_are_refused(tmp_path, titles, places):
    both = [
        outcomes(on, title, losses=("bce",), seeds=(1,))
        for title, on in zip(titles, places, strict=True)
    ]
    with refused(RunError, "two cohorts"):
        written(tmp_path, *both)


def test_a_module_with_a_figure_is_on_the_page(tmp_path, monkeypatch):
    """One file is enough: it is found by its `FIGURE`."""
    (tmp_path / "own_figure.py").write_text(OWN_FIGURE)
    monkeypatch.setattr(figures, "__path__", [*figures.__path__, str(tmp_path)])
    found = study_figures.__wrapped__()
    assert [one.name for one in found if one.section == "summary"] == ["own", "seeds"]
    shared = {one.name for one in found} - {"own"}
    assert shared == {*METHOD, *RESULT}
