"""Statistics of a study as tables: the numbers are those of direct calls, and nothing breaks."""

from dataclasses import asdict

import numpy as np
import pytest

from pacl.evaluation import (
    auroc_interval,
    compare_auroc,
    compare_subjects,
    count_pairs,
    mean_interval,
    measure_detection,
    split_variance,
    spread_ratio,
)
from pacl.report.page import Page, TableBlock
from pacl.report.statistics_tables import (
    differences_table,
    intervals_table,
    spread_table,
    statistics_tables,
    variance_table,
    worst_table,
)
from pacl.report.table import table_csv, table_latex, table_markdown
from pacl.report.table.table import MISSING
from support.made_outcomes import made_outcomes, predicted

APART = {"patient-aware": 2.0, "supcon": 1.5, "bce": 1.0}
COHESION = {"patient-aware": 0.85, "supcon": 0.80, "bce": 0.77}
PATIENTS, WINDOWS = 8, 30


def made(folder, *, losses=tuple(APART), seeds=3, collapsed=(), only_sr=(), apart=APART):
    """Patients of 30 SR and 20 AF windows; `only_sr` have no AF, nor an AF cohesion."""
    generator = np.random.default_rng(1)
    who = np.repeat(np.arange(PATIENTS), WINDOWS + 20)
    labels = np.tile(np.repeat([0, 1], [WINDOWS, 20]), PATIENTS)
    kept = ~(np.isin(who, only_sr) & (labels == 1))
    who, labels = who[kept], labels[kept]
    names = tuple(f"p{at}" for at in range(PATIENTS))
    skill = generator.uniform(-0.5, 0.5, PATIENTS)
    values, predictions = {}, {}
    for loss in losses:
        values[loss] = []
        for seed in range(1, seeds + 1):
            score = labels * (apart[loss] + skill[who]) + generator.standard_normal(who.size)
            if apart[loss] > 100:
                score = labels * 1.0
            probability = 1 / (1 + np.exp(apart[loss] / 2 - score))
            predictions[loss, seed] = predicted(labels, probability, who, names)
            base = COHESION[loss]
            rows = [
                {
                    "subject": name,
                    "sr_cohesion": base + generator.normal(0, 0.005),
                    "af_cohesion": None if at in only_sr else base + generator.normal(0, 0.005),
                }
                for at, name in enumerate(names)
            ]
            changed = {
                "detection": asdict(measure_detection(labels, probability, who, names)),
                "pooled.per_subject": rows,
                "pooled.classes.0.cohesion": base,
            }
            values[loss].append(changed)
    outcomes = made_outcomes(folder, values, collapsed=collapsed)
    for one in outcomes.each:
        vars(one)["predictions"] = predictions[one.loss, one.seed]
    return outcomes


@pytest.fixture
def three(tmp_path):
    return made(tmp_path)


def assert_well_said(tables):
    for table in tables:
        html = Page("x", (TableBlock(table),)).to_html().partition("</header>")[2]
        texts = (table_markdown(table), table_latex(table), table_csv(table))
        for text in (*texts, html.partition("</main>")[0]):
            for word in ("nan", "inf "):
                assert word not in text.lower().replace("finite", ""), text


def test_which_tables_there_are(three, tmp_path):
    def titles(outcomes):
        tables = statistics_tables(outcomes)
        assert_well_said(tables)
        return [table.title.removesuffix(", made patients") for table in tables]

    intervals, differences = "Intervals over patients", "Paired differences"
    variance, spread = "Variance of patients' AUROC", "Spread of AUROC over seeds"
    worst = "Worst patients"
    assert titles(three) == [intervals, differences, variance, spread, worst]
    one_seed = made(tmp_path / "seed", seeds=1)
    assert titles(one_seed) == [intervals, differences, worst]
    one_loss = made(tmp_path / "loss", losses=("supcon",))
    assert titles(one_loss) == [intervals, variance, worst]
    single = made(tmp_path / "both", losses=("bce",), seeds=1)
    assert titles(single) == [intervals, worst]


def test_intervals_are_those_of_the_library(three):
    table = intervals_table(three)
    assert [head.text for head in table.heads] == ["", "Proposed", "SupCon", "BCE"]
    rows = {row[0].text: row[1:] for row in table.rows}
    assert list(rows) == ["AUROC", "AUROC, mean over patients", "SR cohesion", "AF cohesion"]
    for at, loss in enumerate(three.losses):
        found = [one.predictions for one in three.of(loss)]
        pairs = [count_pairs(x.labels, x.probability, x.subjects, x.names) for x in found]
        assert rows["AUROC"][at].text == auroc_interval(pairs).describe()
        own = np.array([[p.own[who] for who in range(PATIENTS)] for p in pairs]).mean(axis=0)
        expected = mean_interval(own, quantity="subject AUROC").describe()
        assert rows["AUROC, mean over patients"][at].text == expected
        seeds = [
            [row.cohesion[0] for row in one.measured.pooled.per_subject] for one in three.of(loss)
        ]
        cohesion = np.array(seeds).mean(axis=0)
        expected = mean_interval(cohesion, bounds=(-1.0, 1.0)).describe()
        assert rows["SR cohesion"][at].text == expected


def test_differences_are_those_of_the_library(three):
    table = differences_table(three)
    rows = {(row[0].text, row[1].text): row[2:] for row in table.rows}
    pairs = ["Proposed minus SupCon", "Proposed minus BCE", "SupCon minus BCE"]
    measures = ["AUROC", "AUROC, mean over patients", "SR cohesion", "AF cohesion"]
    assert list(rows) == [(measure, pair) for measure in measures for pair in pairs]
    shared = three.each[0].predictions
    one, other = (
        np.stack([x.predictions.probability for x in three.of(loss)])
        for loss in ("patient-aware", "bce")
    )
    expected = compare_auroc(shared.labels, one, other, shared.subjects, np.random.default_rng(0))
    number, limits, p, over, word = rows["AUROC", "Proposed minus BCE"]
    assert number.mean == expected.over_both.estimate
    assert number.shown == f"{number.mean:+.4f}"
    assert limits.text == f"{expected.over_both.low:+.4f} to {expected.over_both.high:+.4f}"
    assert p.mean == expected.flips.p_value
    assert over.text == "8 patients and 3 seeds"
    assert word.text == "is higher"
    values = [three.by_patient(loss, "pooled", "cohesion.0") for loss in ("supcon", "bce")]
    expected = compare_subjects(*values, np.random.default_rng(0))
    number, _, p, _, word = rows["SR cohesion", "SupCon minus BCE"]
    assert (number.mean, p.mean) == (expected.difference, expected.flips.p_value)
    assert word.text == "is higher"


def test_a_loss_that_is_lower_is_called_so(tmp_path):
    turned = {"patient-aware": 1.0, "bce": 2.5}
    table = differences_table(made(tmp_path, losses=("patient-aware", "bce"), apart=turned))
    assert [row[-1].text for row in table.rows if row[0].text == "AUROC"] == ["is lower"]


def test_variances_are_those_of_the_library(three):
    table = variance_table(three)
    assert [row[0].text for row in table.rows] == ["Proposed", "SupCon", "BCE"]
    for row, loss in zip(table.rows, three.losses, strict=True):
        expected = split_variance(three.by_patient(loss, "detection", "auroc"))
        shares = (expected.subject_share, expected.seed_share, expected.rest_share)
        assert [cell.mean for cell in row[1:4]] == pytest.approx([100 * x for x in shares])
        assert sum(cell.mean for cell in row[1:4]) == pytest.approx(100)
        named = f"estimated below 0: {', '.join(expected.negative)}" if expected.negative else ""
        assert row[4].text == named


def test_spreads_are_those_of_the_library(three):
    table = spread_table(three)
    assert [row[0].text for row in table.rows] == ["SupCon / Proposed", "BCE / Proposed"]
    for row, loss in zip(table.rows, ("supcon", "bce"), strict=True):
        values = [three.values(name, "detection.auroc") for name in (loss, "patient-aware")]
        expected = spread_ratio(*values, shared_seeds=True)
        sds = [float(np.std(one, ddof=1)) for one in values]
        assert row[1].mean == pytest.approx(sds[0] / sds[1])
        assert row[2].text == f"{expected.low:.2f} to {expected.high:.2f}"
        assert (row[3].mean, row[4].mean) == (expected.p_value, expected.p_paired)
        assert row[5].text == str(expected.seeds_needed)


def test_the_worst_patients_are_those_of_an_explicit_loop(three):
    table = worst_table(three, count=3)
    assert [row[0].text for row in table.rows] == ["Proposed"] * 3 + ["SupCon"] * 3 + ["BCE"] * 3
    for at, loss in enumerate(three.losses):
        means = {}
        for name in three.patients:
            own = [one.of_patients("detection", "auroc")[name] for one in three.of(loss)]
            means[name] = (np.mean(own), np.std(own, ddof=1))
        order = sorted(means, key=lambda name: means[name][0])[:3]
        rows = table.rows[3 * at : 3 * at + 3]
        assert [row[1].text for row in rows] == order
        for row in rows:
            assert (row[2].mean, row[2].sd) == pytest.approx(means[row[1].text])
            assert [row[3].mean, row[4].mean] == [WINDOWS, 20]


def test_no_more_are_the_worst_than_there_are(three):
    assert len(worst_table(three, count=50).rows) == 3 * PATIENTS


def test_one_seed_has_intervals_and_no_deviation(tmp_path):
    outcomes = made(tmp_path, seeds=1)
    assert all(row[2].spread is None for row in worst_table(outcomes).rows)
    assert {row[-1].text for row in differences_table(outcomes).rows} == {"inconclusive"}
    assert "over seeds (1)" in intervals_table(outcomes).caption


def test_patients_without_af_are_not_among_the_worst(tmp_path):
    outcomes = made(tmp_path, only_sr=(2, 5))
    tables = statistics_tables(outcomes)
    assert_well_said(tables)
    named = {row[1].text for row in worst_table(outcomes, count=50).rows}
    assert named == {f"p{at}" for at in range(PATIENTS) if at not in (2, 5)}
    rows = {(row[0].text, row[1].text): row for row in differences_table(outcomes).rows}
    assert rows["AF cohesion", "Proposed minus BCE"][5].text == "6 patients and 3 seeds"
    assert rows["SR cohesion", "Proposed minus BCE"][5].text == "8 patients and 3 seeds"


def test_seeds_that_collapsed_are_named_where_they_are_left_out(tmp_path):
    outcomes = made(tmp_path, seeds=4, collapsed=[("supcon", 2)])
    rows = {(row[0].text, row[1].text): row for row in differences_table(outcomes).rows}
    over = rows["SR cohesion", "Proposed minus SupCon"][5].text
    assert over == "8 patients and 3 seeds without seed 2"
    assert rows["AUROC", "Proposed minus SupCon"][5].text == "8 patients and 4 seeds"
    kept = outcomes.by_patient("supcon", "pooled", "cohesion.0")[[0, 2, 3]].mean(axis=0)
    found = [row for row in intervals_table(outcomes).rows if row[0].text == "SR cohesion"]
    assert found[0][2].text == mean_interval(kept, bounds=(-1.0, 1.0)).describe()


@pytest.mark.parametrize("seeds", [1, 3])
def test_perfect_detectors_are_told_without_interval(tmp_path, seeds):
    perfect = dict.fromkeys(APART, 1000.0)
    outcomes = made(tmp_path, seeds=seeds, apart=perfect)
    assert set(outcomes.values("bce", "detection.auroc")) == {1.0}
    tables = statistics_tables(outcomes)
    assert_well_said(tables)
    rows = {row[0].text: row[1:] for row in tables[0].rows}
    for cell in (*rows["AUROC"], *rows["AUROC, mean over patients"]):
        assert cell.text.startswith("1.000 (no interval: 8 subjects and 1 without any one of them")
    compared = [row for row in tables[1].rows if row[0].text == "AUROC"]
    for row in compared:
        assert [cell.shown for cell in row[2:5]] == [MISSING] * 3
        assert row[-1].text == "inconclusive"
    if seeds > 1:
        for row in tables[2].rows:
            assert row[-1].text == "all 24 values are 1; there is no variance to be split"
        for row in tables[3].rows:
            assert row[-1].text.startswith("standard deviations 0 and 0")
    assert {row[2].mean for row in tables[-1].rows} == {1.0}


def test_a_loss_that_collapsed_in_every_seed_has_no_interval_of_geometry(tmp_path):
    lost = [("supcon", seed) for seed in (1, 2, 3)]
    tables = statistics_tables(made(tmp_path, collapsed=lost))
    assert_well_said(tables)
    rows = {row[0].text: row[1:] for row in tables[0].rows}
    assert "no interval" in rows["SR cohesion"][1].text
    assert "95 % interval" in rows["AUROC"][1].text


def test_a_cohort_in_which_nobody_has_both_rhythms_is_told(tmp_path):
    outcomes = without_both(tmp_path)
    tables = statistics_tables(outcomes)
    assert_well_said(tables)
    assert tables[-1].rows == ()


def without_both(folder):
    """Half of the patients have sinus rhythm alone, the others AF alone."""
    generator = np.random.default_rng(2)
    who = np.repeat(np.arange(PATIENTS), WINDOWS)
    labels = (who >= PATIENTS // 2).astype(np.int64)
    names = tuple(f"p{at}" for at in range(PATIENTS))
    values, predictions = {}, {}
    for loss, apart in APART.items():
        values[loss] = []
        for seed in (1, 2):
            score = labels * apart + generator.standard_normal(who.size)
            probability = 1 / (1 + np.exp(-score))
            predictions[loss, seed] = predicted(labels, probability, who, names)
            rows = [
                {
                    "subject": name,
                    "sr_cohesion": None if at >= 4 else 0.8 + generator.normal(0, 0.005),
                    "af_cohesion": None if at < 4 else 0.8 + generator.normal(0, 0.005),
                }
                for at, name in enumerate(names)
            ]
            measured = measure_detection(labels, probability, who, names)
            values[loss].append({"detection": asdict(measured), "pooled.per_subject": rows})
    outcomes = made_outcomes(folder, values)
    for one in outcomes.each:
        vars(one)["predictions"] = predictions[one.loss, one.seed]
    return outcomes
