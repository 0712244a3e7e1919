"""Commands on a cohort: tables in a folder, other processes, the same results."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest

from support.cohorts_of_text import bytes_of, write_text_cohort
from support.in_process import pacl


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    return write_text_cohort(tmp_path_factory.mktemp("cohort") / "text", 8, bad=(5,))


def test_detect_writes_tables_and_goes_on(cohort, tmp_path):
    said = pacl("detect", cohort, "-o", tmp_path / "results", "--workers=1")
    assert said.returncode == 0
    assert "8 recordings" in said.stdout
    assert "1 of 8 recordings failed" in said.stderr
    assert "r00005" in said.stderr
    before = bytes_of(tmp_path / "results")
    verdicts = pq.read_table(tmp_path / "results" / "recordings").column("verdict").to_pylist()
    assert verdicts.count(None) == 1
    assert verdicts.count("AF") == 3
    assert pacl("detect", cohort, "-o", tmp_path / "results").stdout == said.stdout
    assert bytes_of(tmp_path / "results") == before
    other = pacl("detect", cohort, "-o", tmp_path / "results", "--mode=causal")
    assert other.returncode == 2
    assert "causal" in other.stderr


def test_two_processes_print_what_one_does(cohort):
    one = pacl("detect", cohort, "--format=json")
    two = pacl("detect", cohort, "--format=json", "--workers=2", "-q")
    assert (one.returncode, one.stdout) == (two.returncode, two.stdout)
    assert len(json.loads(two.stdout)) == 7
    assert "r00005" in two.stderr


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["-o", "{}/a.json", "--steps"], ["--steps"]),
        (["--retry-failed"], ["--retry-failed"]),
        (["--workers=2", "--scheduler=tcp://here:1"], ["--workers", "--scheduler"]),
        (["--format=html", "-o", "{}/pages", "--workers=2"], ["--workers"]),
        (["--format=tables"], ["--output"]),
        (["-o", "{}/results.parquet"], [".parquet"]),
        (["-o", "{}/results", "--edits", "{}"], ["--edits"]),
        (["--scheduler=tcp://127.0.0.1:9", "-o", "{}/results"], ["tcp://127.0.0.1:9"]),
        (["--weights=missing", "-o", "{}/results"], ["missing"]),
    ],
)
def test_what_does_not_go_together_is_refused(cohort, tmp_path, monkeypatch, words, facts):
    monkeypatch.setattr("pacl.work.connection.CONNECT_S", 0.2)
    said = pacl("detect", cohort, *(word.format(tmp_path) for word in words))
    assert said.returncode == 2
    assert all(fact in said.stderr for fact in facts)
    assert not list(tmp_path.iterdir())


def test_a_cohort_in_which_all_fails_is_an_error(tmp_path):
    cohort = write_text_cohort(tmp_path / "cohort", 2, bad=(0, 1))
    said = pacl("detect", tmp_path / "missing", "-o", tmp_path / "results")
    assert said.returncode == 2
    assert "missing" in said.stderr
    assert not (tmp_path / "results").exists()
    said = pacl("detect", cohort / "r00000.csv", "-o", tmp_path / "results")
    assert said.returncode == 2
    assert "all recordings failed" in said.stderr


def test_an_evaluation_by_workers_is_the_same(cohort, tmp_path):
    words = ["evaluate-rhythm", cohort, "--format=json", "-q"]
    one = pacl(*words)
    two = pacl(*words, "--workers=2")
    named = pacl(*words, "-o", tmp_path / "scores.json")
    assert (named.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "scores.json" in named.stderr
    kept = pacl(*words, "-o", tmp_path / "scores")
    assert one.stdout == two.stdout == kept.stdout
    assert (one.returncode, two.returncode, kept.returncode) == (2, 2, 2)
    table = pq.read_table(tmp_path / "scores" / "recordings")
    assert sum(one for one in table.column("counted_s").to_pylist() if one) > 1000


def test_features_of_a_file_and_of_a_cohort(cohort, tmp_path):
    said = pacl("features", cohort / "r00001.csv", "--window-beats=100", "-q")
    rows = list(csv.DictReader(io.StringIO(said.stdout)))
    assert said.returncode == 0
    assert [row["window"] for row in rows] == ["1", "2", "3"]
    assert len(rows[0]) == 7 + 74
    assert float(rows[0]["af_share"]) == 1.0
    words = ["features", cohort, "--window-beats=100", "-q"]
    one = pacl(*words, "-o", tmp_path / "f.csv")
    assert one.returncode == 2
    assert "r00005" in one.stderr
    assert len((tmp_path / "f.csv").read_text().splitlines()) == 1 + 7 * 3
    assert pacl(*words, "-o", tmp_path / "f.parquet", "--workers=2").returncode == 2
    assert pacl(*words, "-o", tmp_path / "tables").returncode == 0
    assert pq.read_table(tmp_path / "tables" / "features").equals(
        pq.read_table(tmp_path / "f.parquet")
    )


def test_a_name_that_a_spreadsheet_would_compute_is_made_plain(cohort, tmp_path):
    path = tmp_path / "=1+1.csv"
    path.write_text((cohort / "r00001.csv").read_text())
    said = pacl("features", path, "-q")
    assert next(csv.DictReader(io.StringIO(said.stdout)))["record"].startswith("'=")


@pytest.mark.parametrize("bad", [(), (2,)])
def test_windows_cut_by_workers_are_the_same(tmp_path, bad):
    cohort = write_text_cohort(tmp_path / "cohort", 8, beats=800, bad=bad)
    words = ["prepare", cohort, "--protocol=all-beats", "-q", "--skip-bad", "--split.seed=3"]
    words += ["--allow=patient-without-class", "--allow=class-missing"]
    one = pacl(*words, "-o", tmp_path / "one")
    two = pacl(*words, "-o", tmp_path / "two", "--workers=2")
    assert (one.returncode, two.returncode) == (0, 0), one.stderr
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cohort", "one", "two"]
