"""A comparison read back: scores, ranks, verdicts, and folders that cannot be used."""

import json
import math
import statistics

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pacl.studies.rivals.comparison import RivalsComparison
from pacl.studies.rivals.rows import RivalsReportError, where
from pacl.studies.rivals.scores import patient_ranks, scores_of
from pacl.studies.rivals.verdicts import Difference, differences_of
from support.made_rivals import write_made_rivals
from support.refusals import refused


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return RivalsComparison.read(write_made_rivals(tmp_path_factory.mktemp("made")))


def test_scores_are_means_over_seeds(report):
    scores = scores_of(report, "main", "ltafdb")
    rows = where(report.pooled, study="main", method="byol")
    byol = next(score for score in scores if score.method == "byol")
    assert byol.auroc.mean == pytest.approx(statistics.fmean(row.auroc for row in rows))
    assert byol.auroc.sd == pytest.approx(statistics.stdev(row.auroc for row in rows))
    means = [score.auroc.mean for score in scores]
    assert means == sorted(means, reverse=True)


def test_patients_without_an_auroc_rank_nobody(tmp_path):
    report = RivalsComparison.read(
        write_made_rivals(tmp_path, ("patient-aware", "byol", "statistics"))
    )
    found = patient_ranks(report, "ltafdb")
    assert found is not None
    assert found.subjects == 29
    assert found.methods[-1] == "byol"


def test_two_systems_are_not_ranked(tmp_path):
    report = RivalsComparison.read(write_made_rivals(tmp_path, ("patient-aware", "statistics")))
    assert patient_ranks(report, "ltafdb") is None


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ((0.1, 0.05, 0.15, 0.001, 0.01), "above"),
        ((-0.1, -0.15, -0.05, 0.001, 0.01), "below"),
        ((0.1, 0.05, 0.15, 0.01, 0.09), "open"),
        ((0.1, -0.05, 0.25, 0.001, 0.01), "open"),
        ((0.1, 0.05, 0.15, float("nan"), float("nan")), "open"),
    ],
)
def test_more_than_chance_takes_both_interval_and_p(numbers, verdict):
    assert Difference("a", *numbers).verdict == verdict


def test_an_unknown_reference_has_no_differences(report):
    assert differences_of(report, "ltafdb", "nobody") == ()


def test_a_folder_without_tables_is_named(tmp_path):
    with refused(RivalsReportError, tmp_path / "methods.json"):
        RivalsComparison.read(tmp_path)


def test_a_missing_column_is_named(tmp_path):
    made = write_made_rivals(tmp_path, ("hrv", "statistics"))
    table = pq.read_table(made / "pooled.parquet").drop_columns(["auroc"])
    pq.write_table(table, made / "pooled.parquet")
    with refused(RivalsReportError, "pooled.parquet", "column auroc"):
        RivalsComparison.read(made)


def test_a_system_without_an_entry_is_named(tmp_path):
    made = write_made_rivals(tmp_path, ("hrv", "statistics"))
    about = json.loads((made / "methods.json").read_text())
    del about["hrv"]
    (made / "methods.json").write_text(json.dumps(about))
    with refused(RivalsReportError, made / "methods.json", "hrv"):
        RivalsComparison.read(made)


def test_only_few_labels_and_no_main_study_is_refused(tmp_path):
    made = write_made_rivals(tmp_path, ("hrv", "statistics"))
    rows = [
        row for row in pq.read_table(made / "pooled.parquet").to_pylist() if row["study"] != "main"
    ]
    pq.write_table(pa.Table.from_pylist(rows), made / "pooled.parquet")
    with refused(RivalsReportError, made, "main study"):
        RivalsComparison.read(made)


def test_a_method_that_is_no_text_is_refused(tmp_path):
    made = write_made_rivals(tmp_path, ("hrv", "statistics"))
    rows = [row | {"method": 7} for row in pq.read_table(made / "pooled.parquet").to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows), made / "pooled.parquet")
    with refused(RivalsReportError, made / "pooled.parquet", "method"):
        RivalsComparison.read(made)


def test_columns_that_older_comparisons_lack_are_nan(tmp_path):
    made = write_made_rivals(tmp_path, ("hrv", "statistics"))
    table = pq.read_table(made / "pooled.parquet").drop_columns(["centroid_distance"])
    pq.write_table(table, made / "pooled.parquet")
    assert all(math.isnan(row.centroid_distance) for row in RivalsComparison.read(made).pooled)
