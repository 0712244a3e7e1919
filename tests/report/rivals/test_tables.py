"""Tables and sentences of a comparison: numbers are those of the frames."""

import math
from dataclasses import replace

import pytest

from pacl.report.rivals.main_tables import differences_table, main_table, seed_table
from pacl.report.rivals.sentences import (
    difference_sentences,
    external_sentences,
    label_sentences,
    leak_sentences,
    main_sentences,
    network_sentences,
)
from pacl.report.rivals.system_tables import cost_table, geometry_table
from pacl.report.rivals.tables import (
    external_table,
    label_differences_table,
    labels_table,
    leak_table,
)
from pacl.studies.rivals.comparison import RivalsComparison
from pacl.studies.rivals.rows import where
from pacl.studies.rivals.verdicts import p_text
from support.made_rivals import FEW, METHODS, ON_NETWORKS, SEEDS, write_made_rivals


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return RivalsComparison.read(write_made_rivals(tmp_path_factory.mktemp("made")))


def rows_of(table):
    return {row[0].text: row[1:] for row in table.rows}


def test_main_table_has_one_row_per_system_and_both_differences(report):
    table = main_table(report, "ltafdb")
    assert len(table.rows) == len(METHODS)
    assert table.rows[0][0].text == "Boosted statistics"
    assert rows_of(table)["BYOL"][-1].text == "-0.0288 [-0.0378, -0.0198], p < 0.001"
    assert rows_of(table)["Patient-aware"][-2].shown == "–"  # noqa: RUF001


def test_differences_table_holds_numbers(report):
    table = differences_table(report, "ltafdb")
    assert len(table.rows) == 2 * 2 * (len(METHODS) - 1)
    first = table.rows[0]
    assert first[3].mean == pytest.approx(0.0003)
    assert first[-1].text == "open"


def test_labels_go_from_few_to_all(report):
    table = labels_table(report, "ltafdb")
    heads = [head.text for head in table.heads[2:]]
    assert heads == [f"{few} patient{'s' * (few > 1)}" for few in FEW] + ["all patients"]
    assert all(cell.number is not None for row in table.rows for cell in row[2:])


def test_few_labels_are_compared_with_the_proposed_one(report):
    table = label_differences_table(report, "ltafdb")
    assert [head.text for head in table.heads] == ["", "1 patient", "4 patients"]
    assert len(table.rows) == len(METHODS) - 1
    assert rows_of(table)["BYOL"][1].text == "-0.0285 [-0.0375, -0.0196], p < 0.001"


def test_few_labels_without_the_proposed_one_have_no_differences(tmp_path):
    made = RivalsComparison.read(write_made_rivals(tmp_path, ("hrv", "statistics")))
    assert label_differences_table(made, "ltafdb") is None
    assert "Patient-aware" not in label_sentences(made, "ltafdb")


def test_inflation_is_split_by_windows_less_split_by_patients(report):
    table = leak_table(report, "ltafdb")
    assert set(rows_of(table)) == {
        METHODS[name][0] for name in ("patient-aware", "bce", "hrv", "statistics")
    }
    assert [(head.group, head.text) for head in table.heads[4:]] == [
        (group, split)
        for group in ("inflation", "inflation within patients")
        for split in ("windows apart", "windows")
    ]
    gains = [cell.text for cell in rows_of(table)["Patient-aware"][3:]]
    assert gains == [
        f"{gain} [+0.0001, +0.0030], p 0.001"
        for gain in ("+0.0007", "+0.0012", "+0.0003", "+0.0006")
    ]


def test_inflation_within_patients_is_shown_where_it_is_known(report):
    overall = replace(report, inflation=where(report.inflation, measure="all windows"))
    table = leak_table(overall, "ltafdb")
    assert [head.group for head in table.heads[4:]] == ["inflation", "inflation"]


def test_seeds_are_columns_here_and_elsewhere(report):
    table = seed_table(report, "ltafdb")
    assert table.groups == (
        *(("", 1), ("ltafdb", 3)),
        *(("ltafdb to afdb", 3), ("afdb to ltafdb", 3)),
    )
    assert [head.text for head in table.heads[1:4]] == [f"seed {seed}" for seed in SEEDS]
    for study, condition, at in (("main", "", 0), ("elsewhere", "afdb to ltafdb", 6)):
        rows = where(report.pooled, study=study, condition=condition, method="byol")
        found = [cell.mean for cell in rows_of(table)["BYOL"][at : at + 3]]
        assert found == [row.auroc for row in rows]


def test_a_seed_that_a_system_lacks_is_a_dash(report):
    fewer = tuple(row for row in report.pooled if (row.method, row.seed) != ("byol", 42))
    cells = rows_of(seed_table(replace(report, pooled=fewer), "ltafdb"))["BYOL"]
    assert [cell.number is None for cell in cells] == 3 * [False, True, False]


def test_geometry_is_of_systems_with_embeddings(report):
    table = geometry_table(report, "ltafdb")
    assert "Boosted statistics" not in rows_of(table)
    assert len(table.heads) == 2 + 6
    assert rows_of(table)["BYOL"][3].mean == 1.5


def test_geometry_that_older_results_lack_is_left_out(report):
    older = tuple(replace(row, centroid_distance=math.nan) for row in report.pooled)
    table = geometry_table(replace(report, pooled=older), "ltafdb")
    heads = [head.text for head in table.heads]
    assert len(heads) == 2 + 5
    assert not any("distance" in head for head in heads)


def test_no_embeddings_no_geometry(tmp_path):
    made = RivalsComparison.read(write_made_rivals(tmp_path, ("hrv", "statistics")))
    assert geometry_table(made, "ltafdb") is None


def test_cost_has_the_setting_that_most_folds_chose(report):
    row = rows_of(cost_table(report, "ltafdb"))["SimCLR"]
    assert row[-1].text == "lr 0.003 (3 of 5 folds)"
    assert row[0].text == "cuda"
    assert row[1].mean > 400


def test_each_direction_between_cohorts_has_a_table(report):
    assert len(external_table(report, "afdb", "ltafdb to afdb").rows) == len(METHODS)
    sentences = external_sentences(report, "afdb", "ltafdb to afdb")
    for fact in ("ltafdb to afdb", "Boosted statistics", "AUROC", "0.99"):
        assert fact in sentences


def test_sentences_have_the_numbers_of_the_tables(report):
    first = main_sentences(report, "ltafdb").split(".")[0]
    assert "Boosted statistics" in first
    sentences = difference_sentences(report, "ltafdb", "patient-aware")
    for fact in ("Patient-aware", "3 of 13", "BYOL (0.0285, p 0.001)"):
        assert fact in sentences
    assert sentences.index("BYOL") < sentences.index("Fine-tuned")  # different, then inconclusive
    labels = label_sentences(report, "ltafdb")
    assert "1 patient: Boosted statistics 0.97" in labels
    assert "With 4 patients" in labels
    assert "With 16 patients" not in labels
    leak = leak_sentences(report, "ltafdb")
    assert "HRV + classifier (+0.0015)" in leak
    assert "4 of 4 systems" in leak


def test_the_objective_is_compared_with_each_network_it_was_tried_on(tmp_path):
    usual = RivalsComparison.read(write_made_rivals(tmp_path / "usual"))
    assert network_sentences(usual, "ltafdb") == ""
    more = (*METHODS, *ON_NETWORKS)
    made = RivalsComparison.read(write_made_rivals(tmp_path / "more", more))
    sentences = network_sentences(made, "ltafdb")
    for network in ("Andersen et al., CNN + LSTM", "Faust et al., BiLSTM"):
        assert f"{network} +0.0006 [+0.0000, +0.0012], p 0.30" in sentences
    assert len(differences_table(made, "ltafdb").rows) == 2 * 2 * (len(more) - 1) + 2 * 2
    assert len(main_table(made, "ltafdb").heads) == len(main_table(usual, "ltafdb").heads)
    assert "3 of 15" in difference_sentences(made, "ltafdb", "patient-aware")


def test_a_difference_without_a_number_is_left_out(tmp_path):
    made = RivalsComparison.read(write_made_rivals(tmp_path, (*METHODS, "patient-aware-faust")))
    unknown = tuple(replace(row, estimate=math.nan) for row in made.differences)
    assert network_sentences(replace(made, differences=unknown), "ltafdb") == ""


def test_p_values_as_text():
    assert [p_text(p) for p in (0.0001, 0.02, 0.3, float("nan"))] == [
        *("p < 0.001", "p 0.020", "p 0.30", "no p")
    ]
