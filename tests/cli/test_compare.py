"""`pacl compare` as a person meets it."""

import csv
import io
import json
import re
import statistics

import pytest

from pacl.studies.metric import METRICS
from support.planted_runs import TEN, planted_run
from support.small_runs import copied, pacl, small_run


@pytest.fixture(scope="module")
def runs():
    return [small_run(1), small_run(2), small_run(1, "bce")]


@pytest.fixture(scope="module")
def aurocs(runs):
    return [run.evaluated("test").measure().detection.auroc for run in runs]


def compare(capsys, *argv):
    said = pacl(capsys, "compare", *argv)
    assert (said.status, said.err) == (0, ""), said
    return said.out


def test_the_table_has_means_and_deviations(capsys, runs, aurocs):
    lines = compare(capsys, *(run.path for run in runs)).splitlines()
    assert lines[0].split() == ["subject-aware", "bce"]
    assert lines[1].split() == ["on", "test", "seeds", "1,", "2", "seed", "1"]
    row = next(line for line in lines if line.startswith("AUROC "))
    mean, spread = statistics.fmean(aurocs[:2]), statistics.stdev(aurocs[:2])
    assert row.split() == ["AUROC", f"{mean:.3f}", "±", f"{spread:.3f}", f"{aurocs[2]:.3f}"]
    rows = [line for line in lines if line.strip()][2:]
    assert rows[: len(METRICS)] == [
        line for metric in METRICS for line in lines if line.startswith(f"{metric.name}  ")
    ]


def test_two_patients_get_no_star_and_the_table_says_why(capsys, runs):
    *rows, last = compare(capsys, *(run.path for run in runs)).splitlines()
    assert not any("*" in row or "[" in row for row in rows)
    assert "2 patients" in last
    assert "too few" in last


@pytest.fixture(scope="module")
def better_and_worse(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    return [
        planted_run(folder / "good", loss="bce", wrong=0.05, noise=1),
        planted_run(folder / "bad", loss="supcon", wrong=0.4, noise=2, collapsed=True),
    ]


def test_a_star_is_explained_and_a_collapsed_run_named(capsys, better_and_worse):
    out = compare(capsys, *(run.path for run in better_and_worse), "--on", TEN)
    rows = {line.split("  ")[0]: line for line in out.splitlines()}
    assert re.search(r"0\.\d{3} \[0\.\d{3}, [01]\.\d{3}\]†? \*", rows["AUROC"])
    assert "*" not in rows["SR cohesion"]
    assert any(line.startswith("*: ") for line in out.splitlines())
    collapsed = next(line for line in out.splitlines() if line.startswith("COLLAPSED"))
    assert "supcon" in collapsed
    assert "bce" not in collapsed


def test_equal_runs_are_inconclusive(capsys, better_and_worse, tmp_path):
    same = planted_run(tmp_path / "same", loss="patient", wrong=0.05, noise=1)
    out = compare(capsys, better_and_worse[0].path, same.path, "--on", TEN)
    assert "*" not in out
    assert "inconclusive" in out.splitlines()[-1]


def test_csv_and_json_hold_the_same(capsys, runs, aurocs):
    paths = [run.path for run in runs]
    rows = json.loads(compare(capsys, *paths, "--format", "json"))
    assert len(rows) == 2 * len(METRICS)
    assert [row["metric"] for row in rows[::2]] == [metric.key for metric in METRICS]
    none = {"low": None, "high": None, "patients": None, "best": False, "collapsed": 0}
    assert rows[0] == none | {
        "metric": "detection.auroc",
        "column": "subject-aware",
        "runs": 2,
        "mean": statistics.fmean(aurocs[:2]),
        "sd": statistics.stdev(aurocs[:2]),
    }
    assert rows[1] == none | {
        "metric": "detection.auroc",
        "column": "bce",
        "runs": 1,
        "mean": aurocs[2],
        "sd": None,
    }
    table = list(csv.DictReader(io.StringIO(compare(capsys, *paths, "--format", "csv"))))
    assert [
        {key: "" if value is None else str(value) for key, value in row.items()} for row in rows
    ] == table


def test_json_and_csv_carry_intervals_stars_and_collapses(capsys, better_and_worse):
    argv = [*(run.path for run in better_and_worse), "--on", TEN, "--format"]
    good, bad = json.loads(compare(capsys, *argv, "json"))[:2]
    assert good["low"] < good["mean"] < good["high"]
    assert good["patients"] == bad["patients"] == 10
    assert (good["best"], bad["best"]) == (True, False)
    assert (good["collapsed"], bad["collapsed"]) == (0, 1)
    first = next(csv.DictReader(io.StringIO(compare(capsys, *argv, "csv"))))
    assert (float(first["low"]), float(first["high"])) == (good["low"], good["high"])


def test_another_part(capsys, runs):
    out = compare(capsys, runs[0].path, "--on", "validation", "--format", "json")
    measured = runs[0].evaluated("validation").measure()
    assert json.loads(out)[0]["mean"] == measured.detection.auroc


def test_settings_that_differ_are_in_the_head(capsys, runs, tmp_path):
    other = copied(runs[0], tmp_path / "other")
    config = json.loads((other.path / "config.json").read_text())
    config["plan"]["train"]["lr"] = 0.5
    (other.path / "config.json").write_text(json.dumps(config))
    head = compare(capsys, runs[0].path, other.path).splitlines()[0]
    assert "subject-aware, train.lr 0.003" in head
    assert "subject-aware, train.lr 0.5" in head


def test_many_columns_are_neither_cut_nor_wrapped(capsys, runs, tmp_path):
    paths = []
    for number in range(12):
        other = copied(runs[0], tmp_path / f"run-{number}")
        config = json.loads((other.path / "config.json").read_text())
        config["plan"]["train"]["lr"] = (number + 1) / 1000
        (other.path / "config.json").write_text(json.dumps(config))
        paths.append(other.path)
    lines = compare(capsys, *paths).splitlines()
    for number in range(12):
        assert f"subject-aware, train.lr {(number + 1) / 1000}" in lines[0]
    row = next(line for line in lines if line.startswith("Accuracy"))
    assert row.count("0.") == 12


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "RUNS is missing, it is required; see pacl compare --help"),
        (["{run}", "--on", "mars"], "it was not evaluated on 'mars', but on validation, test;"),
        (["{run}", "{tmp}/no"], "not a run, config.json: cannot be read"),
        (["{run}", "--format", "xml"], "xml"),
    ],
)
def test_a_mistake_is_told_in_plain_words_with_status_2(capsys, runs, tmp_path, argv, message):
    said = pacl(capsys, "compare", *(w.format(run=runs[0].path, tmp=tmp_path) for w in argv))
    assert said.status == 2
    assert message in said.err
    assert said.out == ""


def test_other_windows_are_refused(capsys, runs, tmp_path):
    other = copied(runs[0], tmp_path / "other")
    stated = json.loads((other.path / "windows.json").read_text())
    (other.path / "windows.json").write_text(json.dumps({**stated, "digest": "another"}))
    said = pacl(capsys, "compare", runs[0].path, other.path)
    assert said.status == 2
    assert "other: its 'test' windows are not those of" in said.err
