"""The page of a study: what holds, on whom, how much, and how it was made."""

import re
from collections.abc import Iterator, Mapping, Sequence

from pacl.evaluation import EvaluationError
from pacl.report.cohort_table import cohort_table, count_parts
from pacl.report.figures import Section
from pacl.report.page import (
    Block,
    Code,
    Details,
    FigureBlock,
    Heading,
    KeyFigure,
    KeyFigures,
    Note,
    Page,
    TableBlock,
    Text,
)
from pacl.report.paper_values import PROPOSED, loss_title, printed
from pacl.report.study.claims import claim_blocks, claim_figures
from pacl.report.table import Table
from pacl.report.wording import listed
from pacl.rr import RRWindowSet
from pacl.studies import AUROC, Outcomes, Plan, interval_of
from pacl.studies.claims import Claim

Drawn = dict[tuple[Section, str], list[FigureBlock]]
"""Figures by their section, and by their cohort where they are drawn for each."""


def cohort_key(outcomes: Outcomes) -> str:
    """The part of file names that stands for a cohort."""
    return outcomes.on.replace(".", "-")


def study_page(
    cohorts: Sequence[Outcomes],
    learned: RRWindowSet,
    claims: Sequence[Claim],
    tables: Mapping[str, Table],
    drawn: Drawn,
    command: str,
) -> Page:
    """Put the blocks in order."""
    own = cohorts[0]
    runs = len(own.each) * own.folds
    blocks: list[Block] = [KeyFigures(tuple(_key_figures(cohorts, claims)))]
    blocks += _collapses(own)
    blocks += claim_blocks(cohorts, claims)
    blocks += [Heading("The patients"), *_patients(own, learned, drawn)]
    blocks += [Heading("The method"), *drawn.get(("method", ""), [])]
    for one in cohorts:
        blocks += _results(one, tables, drawn)
    blocks += [Heading("Other work"), TableBlock(tables["table-5"])]
    blocks += drawn.get(("summary", ""), [])
    blocks += [Heading("How this was made"), *_made(own, learned, tables, command)]
    where = listed([one.title for one in cohorts])
    folds = f", over {own.folds} folds by patient" if own.folds > 1 else ""
    return Page(
        "Does patient-aware training help?",
        tuple(blocks),
        lead=f"{', '.join(map(loss_title, own.losses))}: {runs} runs ({len(own.losses)} losses, "
        f"{len(own.seeds)} seeds{folds}), evaluated on **unseen patients** ({where}). Each claim "
        "of the paper, and whether it holds in these patients.",
        footer=_footer(own),
    )


def _key_figures(cohorts: Sequence[Outcomes], claims: Sequence[Claim]) -> Iterator[KeyFigure]:
    for one in cohorts:
        loss = PROPOSED if PROPOSED in one.losses else one.losses[0]
        values = one.values(loss, "detection.auroc")
        spread = f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else ""
        try:
            interval = interval_of(one.of(loss), AUROC)
            note = f"{interval.describe().partition(' ')[2]}; {_paper('detection.auroc')}"
        except EvaluationError:
            note = _paper("detection.auroc")
        yield KeyFigure(f"{values.mean():.3f}{spread}", f"AUROC, {one.title}", note)
    own = cohorts[-1]
    if PROPOSED in own.losses:
        key = "pooled.classes.0.cohesion"
        cohesion = own.values(PROPOSED, key)
        yield KeyFigure(f"{cohesion.mean():.3f}", f"SR cohesion, {own.title}", _paper(key))
    yield from claim_figures(cohorts, claims)


def _paper(key: str) -> str:
    """What the paper prints of its objective."""
    found = printed(PROPOSED, key)
    return f"paper {found.mean:.3f} ± {found.sd:.3f}" if found else ""


def _collapses(own: Outcomes) -> list[Block]:
    collapsed = [f"{one.loss}, seed {one.seed}" for one in own.each if one.collapsed]
    if not collapsed:
        return []
    return [
        Note(
            f"**Collapsed to a point:** {'; '.join(collapsed)}. All windows of such a run have the "
            "same embedding, so its cohesion is 1. Claims about geometry leave these seeds out. "
            "Claims about detection keep them, because users can get such runs too. Claims about "
            "the spread over seeds are then inconclusive."
        )
    ]


def _patients(own: Outcomes, learned: RRWindowSet, drawn: Drawn) -> list[Block]:
    folds = Text(
        f"Each patient was tested once, by runs that had not seen the patient: {own.folds} folds. "
        "The parts in the table are those of the window set, which the folds replace."
    )
    table = cohort_table(own.title, count_parts(learned))
    return [*[folds] * (own.folds > 1), TableBlock(table), *drawn.get(("patients", ""), [])]


def _results(outcomes: Outcomes, tables: Mapping[str, Table], drawn: Drawn) -> list[Block]:
    key = cohort_key(outcomes)
    paper = [tables[name] for at in (1, 3, 4) if (name := f"table-{at}-{key}") in tables]
    of_cohort = re.compile(rf"statistics-\d+-{re.escape(key)}")
    statistics = [table for name, table in tables.items() if of_cohort.fullmatch(name)]
    return [
        Heading(f"Results, {outcomes.title}"),
        *map(TableBlock, paper[:1]),
        *drawn.get(("geometry", key), []),
        *map(TableBlock, paper[1:]),
        *drawn.get(("detection", key), []),
        Details("The full table of geometry", (TableBlock(tables[f"table-2-{key}"]),)),
        Heading(f"Statistics, {outcomes.title}", 3),
        *map(TableBlock, statistics),
    ]


def _made(
    own: Outcomes, learned: RRWindowSet, tables: Mapping[str, Table], command: str
) -> list[Block]:
    plans = {one.loss: one.runs[0].plan for one in own.each}
    usual = Plan()
    lines = []
    for loss, plan in plans.items():
        changed = [
            text.split(" / ")[0]
            for text in plan.differences(usual)
            if not text.startswith(("seed ", "loss "))
        ]
        lines.append(f"- {loss}: {', '.join(changed) or 'none'}")
    manifest = learned.manifest
    cut = ", ".join(f"{key} {value}" for key, value in manifest.get("cut", {}).items())
    rule = manifest.get("protocol", {}).get("name", "not known")
    blocks: list[Block] = [
        Text(f"Windows: {rule} ({cut or 'not cut by pacl'})."),
        Text("Settings that are not the paper's:\n\n" + "\n".join(lines)),
    ]
    if command:
        blocks.append(Code(command))
    return [*blocks, Details("Every run", (TableBlock(tables["runs"]),))]


def _footer(own: Outcomes) -> str:
    run = own.each[0].runs[0]
    origin = run.origin
    digest = f" Windows {origin.digest[:12]}." if origin else ""
    return f"Written by pacl.{digest} Research software, not a medical device."
