"""The paper's tables, measured here: means, marks, notes, whatever was trained."""

import csv
import io
import statistics
from dataclasses import replace

import pytest

from pacl.report.paper_tables import table_1, table_2, table_3, table_4
from pacl.report.prior_work_table import _validation, table_5
from pacl.report.run_table import run_table
from pacl.report.table import save_table
from pacl.report.table.table import MISSING
from pacl.studies.outcomes import Outcome, Outcomes
from support.made_outcomes import made_outcomes
from support.small_runs import small_run

SR = "pooled.classes.0.cohesion"


@pytest.fixture
def three(tmp_path):
    return made_outcomes(
        tmp_path,
        {
            "patient-aware": [
                {"detection.auroc": 0.90, SR: 0.90, "pooled.centroid_similarity": 0.2},
                {"detection.auroc": 0.94, SR: 0.92, "pooled.centroid_similarity": 0.4},
            ],
            "supcon": [{"detection.auroc": 0.95, SR: 0.80}, {"detection.auroc": 0.97, SR: 1.0}],
            "bce": [
                {"detection.auroc": 0.96, SR: 0.70, "pooled.centroid_similarity": -0.7},
                {"detection.auroc": 0.96, SR: 0.72, "pooled.centroid_similarity": -0.8},
            ],
        },
        collapsed=[("supcon", 2)],
    )


def column(table, text, group=""):
    return [(head.text, head.group) for head in table.heads].index((text, group))


def row(table, start):
    return next(row for row in table.rows if row[0].text.startswith(start))


def best(table, start, group="Here"):
    return {
        head.text
        for head, cell in zip(table.heads, row(table, start), strict=True)
        if cell.best and head.group == group
    }


def test_a_cell_is_the_mean_and_the_deviation_of_a_sample(three):
    cell = row(table_1(three), "AUROC")[column(table_1(three), "Proposed", "Here")]
    assert cell.number == pytest.approx(0.92)
    assert cell.spread == pytest.approx(statistics.stdev([0.90, 0.94]))


def test_the_best_goes_by_direction(three):
    table = table_1(three)
    assert [row[0].text for row in table.rows][:3] == [
        "SR cohesion ↑",
        "AF cohesion ↑",
        "Centroid similarity ↓",
    ]
    assert best(table, "Centroid similarity") == {"BCE"}


def test_a_tie_as_printed_marks_all(three):
    assert best(table_1(three), "AUROC") == {"SupCon", "BCE"}
    assert best(table_1(three), "Centroid distance") == {"Proposed", "SupCon, other seed", "BCE"}


def test_metrics_without_direction_have_no_best(three):
    assert best(table_2(three), "SR cohesion, global") == set()
    assert row(table_2(three), "SR cohesion, global")[0].text == "SR cohesion, global"


def test_a_point_does_not_win_in_geometry_and_its_failures_count_in_detection(tmp_path):
    outcomes = made_outcomes(
        tmp_path,
        {
            "patient-aware": [{"detection.auroc": 0.9, SR: 0.9}] * 2,
            "supcon": [{"detection.auroc": 0.95, SR: 0.5}, {"detection.auroc": 0.4, SR: 2.0}],
        },
        collapsed=[("supcon", 2)],
    )
    table = table_1(outcomes)
    assert best(table, "SR cohesion") == {"Proposed"}
    assert best(table, "AUROC") == {"Proposed"}


def test_collapsed_seeds_are_named_and_the_others_shown_by_themselves(three):
    table = table_1(three)
    whole, others = column(table, "SupCon", "Here"), column(table, "SupCon, other seed", "Here")
    cells = row(table, "SR cohesion")
    assert cells[whole].shown == "0.900 ± 0.141"
    assert cells[others].shown == "0.800"
    (note,) = {table.notes[at] for at in (*table.heads[whole].notes, *table.heads[others].notes)}
    assert note.startswith("SupCon: 1 of 2 seeds (2) collapsed")


def test_a_loss_all_of_whose_seeds_collapsed_has_one_column(tmp_path):
    outcomes = made_outcomes(
        tmp_path, {"supcon": [{SR: 1.0}], "bce": [{}]}, collapsed=[("supcon", 1)]
    )
    table = table_1(outcomes)
    assert [head.text for head in table.heads if head.group == "Here"] == ["SupCon", "BCE"]
    assert table.notes[0].startswith("SupCon: seed 1 collapsed")
    assert best(table, "SR cohesion") == set()


def test_the_paper_stands_beside_as_it_was_printed(three):
    table = table_1(three)
    at = column(table, "Proposed", "Paper")
    compactness = row(table, "Per-patient compactness")
    assert compactness[at].shown == "3.273 ± 0.433"
    assert compactness[at].best
    assert compactness[at].paper
    assert [table.notes[note] for note in compactness[at].notes] == [
        "Printed bold in the paper, although BCE's 6.396 is better."
    ]
    assert best(table, "Per-patient compactness", "Paper") == {"Proposed"}
    assert best(table, "Centroid similarity", "Paper") == {"BCE"}
    assert row(table, "Centroid similarity")[at].shown == "+0.238 ± 0.200"


def test_the_note_on_the_bold_number_does_not_need_bce_to_be_there(tmp_path):
    table = table_1(made_outcomes(tmp_path, {"patient-aware": [{}]}))
    assert "6.396" in " ".join(table.notes)


def test_table_2_has_what_the_paper_leaves_out(three):
    table = table_2(three)
    assert len(table.rows) == 15
    assert row(table, "SR spread within patients")[column(table, "BCE", "Paper")].shown == MISSING


def test_the_other_space(three, tmp_path):
    outcomes = made_outcomes(tmp_path / "other", {"bce": [{"projected.classes.0.cohesion": 0.123}]})
    table = table_1(outcomes, "projected")
    cells = row(table, "SR cohesion")
    assert [cell.shown for cell in cells[1:]] == ["0.123", "0.772 ± 0.049"]
    assert "e-hat" in table.caption


def test_table_3_is_of_one_loss(three):
    table = table_3(three)
    assert [head.text for head in table.heads] == ["Metric", "Proposed", "Proposed"]
    assert "1,300 AF and 1,200 SR windows here, 4,160 and 3,799 in the paper" in table.caption
    assert row(table, "SR precision")[2].shown == "0.970 ± 0.009"
    other = table_3(three, "bce")
    assert [head.group for head in other.heads] == ["", "Here"]
    assert "4,160" not in other.caption


def test_table_4_has_a_row_a_loss(three):
    table = table_4(three)
    assert [row[0].text for row in table.rows] == [
        "Proposed",
        "SupCon",
        "SupCon, other seed",
        "BCE",
        "Proposed, paper",
        "SupCon, paper",
        "BCE, paper",
    ]
    assert table.rules == (4,)
    at = column(table, "AUROC ↑")
    assert [row[at].best for row in table.rows] == [False, True, False, True, True, False, False]


def test_table_5_is_in_per_cent_and_says_that_data_differ(three):
    table = table_5([three])
    assert [cell.shown for cell in table.rows[-1]] == [
        "Here",
        "CNN+MLP, Proposed",
        "made patients",
        "Patient holdout",
        "93.00 ± 0.00",
        "88.00 ± 0.00",
        "90.00 ± 0.00",
    ]
    assert table.rows[-2][4].shown == "97.40 ± 0.80"
    assert "cannot be compared" in table.caption


def test_table_5_says_how_patients_were_held_out(three):
    elsewhere = replace(three, on="afdb", each=three.of("bce"))
    folded = Outcome("bce", 1, elsewhere.each[0].runs * 5, "test")
    assert [_validation(one) for one in (three, elsewhere, replace(three, each=(folded,)))] == [
        *("Patient holdout", "Other database", "5 folds of patients")
    ]


def paper_tables(cohorts):
    each = [table(one) for one in cohorts for table in (table_1, table_2, table_3, table_4)]
    return [*each, table_5(cohorts)]


def test_one_seed_has_no_deviation_and_one_loss_no_best(tmp_path):
    outcomes = made_outcomes(tmp_path, {"patient-class": [{}]})
    for table in paper_tables([outcomes]):
        ours = [row[at] for row in table.rows for at, head in enumerate(table.heads)]
        assert all(cell.spread is None for cell in ours if not cell.paper)
        assert not any(cell.best for cell in ours if not cell.paper)
    assert [head.group for head in table_1(outcomes).heads] == ["", "Here"]
    assert "one seed" in table_1(outcomes).caption
    assert "paper" not in table_1(outcomes).caption


def test_a_seed_without_a_value_makes_a_dash(tmp_path):
    outcomes = made_outcomes(tmp_path, {"supcon": [{SR: None}, {}], "bce": [{}, {}]})
    cells = row(table_1(outcomes), "SR cohesion")
    assert [cell.shown for cell in cells[1:3]] == [MISSING, "0.800 ± 0.000"]
    assert not any(cell.best for cell in cells[1:3])


def test_every_cohort_has_its_tables(three, tmp_path):
    other = made_outcomes(tmp_path / "other", {"bce": [{}]}, title="other patients")
    tables = paper_tables([three, other])
    assert len(tables) == 9
    assert sum("other patients" in table.title for table in tables) == 4
    for table in tables:
        save_table(table, tmp_path / "tables", "one")
        assert (tmp_path / "tables" / "one.md").stat().st_size
        assert (tmp_path / "tables" / "one.tex").stat().st_size
        written = (tmp_path / "tables" / "one.csv").read_text("utf-8")
        assert len(list(csv.reader(io.StringIO(written)))) == len(table.rows) + 1


def test_every_run_by_itself(three):
    table = run_table(three)
    assert [head.text for head in table.heads][:2] == ["Loss", "Seed"]
    assert [cell.shown for cell in table.rows[3]] == [
        *("SupCon", "2", "3", "2", "0.9200", "0.9700", "1.000", "yes")
    ]
    assert table.rules == (2, 4)


def test_every_fold_by_itself(tmp_path, three):
    runs = tuple(one.runs[0] for one in three.of("bce"))
    folded = Outcomes("folds", "test", (Outcome("bce", 1, runs, "test"),))
    table = run_table(folded)
    assert [row[2].text for row in table.rows] == ["1", "2"]


def test_real_runs_make_tables():
    each = tuple(
        Outcome(loss, 1, (small_run(1, loss),), "test") for loss in ("patient-aware", "bce")
    )
    outcomes = Outcomes("small", "test", each)
    cell = row(table_1(outcomes), "AUROC")[1]
    assert cell.number == outcomes.values("patient-aware", "detection.auroc")[0]
    assert len(run_table(outcomes).rows) == 2
    assert len(paper_tables([outcomes])) == 5
