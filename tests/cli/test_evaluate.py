"""`pacl evaluate` as a person meets it."""

import json
import re

import pytest

from pacl.studies import RunFolder
from support.planted_runs import TEN, planted_run
from support.small_runs import copied, files_of, pacl, small_run, small_windows, write_h5


@pytest.fixture
def run(tmp_path):
    return copied(small_run(), tmp_path / "run")


def column(said, name):
    return next(line.split()[-1] for line in said.out.splitlines() if line.startswith(name))


def test_the_test_patients_are_reported_from_the_folder_alone(capsys, run):
    before = files_of(run.path)
    said = pacl(capsys, "evaluate", run.path)
    assert (said.status, said.err) == (0, "")
    measured = run.evaluated("test").measure()
    assert said.out.splitlines()[0].split() == ["test"]
    assert column(said, "AUROC ") == f"{measured.detection.auroc:.3f}"
    assert column(said, "Brier score") == f"{measured.detection.calibration.brier:.3f}"
    assert column(said, "SR cohesion ") == f"{measured.pooled.classes[0].cohesion:.3f}"
    assert column(said, "patients (with both)") == "(2)"
    assert files_of(run.path) == before


def test_two_patients_have_no_interval_and_the_table_says_so(capsys, run):
    *rows, last = pacl(capsys, "evaluate", run.path).out.splitlines()
    assert not any("[" in row for row in rows)
    assert "2 patients" in last
    assert "too few" in last


def test_ten_patients_have_intervals(capsys, tmp_path):
    planted = planted_run(tmp_path / "planted")
    said = pacl(capsys, "evaluate", planted.path, "--on", TEN)
    for name in ("AUROC ", "AF F1", "SR cohesion "):
        row = next(line for line in said.out.splitlines() if line.startswith(name))
        assert re.search(r"\d\.\d{3} \[-?\d\.\d{3}, \d\.\d{3}\]", row), row
    assert "COLLAPSED" not in said.out
    assert "too few" not in said.out


def test_a_collapsed_run_is_recognised(capsys, tmp_path):
    planted = planted_run(tmp_path / "planted", collapsed=True)
    said = pacl(capsys, "evaluate", planted.path, "--on", TEN)
    assert any(line.startswith("COLLAPSED") for line in said.out.splitlines())
    assert column(said, "SR cohesion ") == "1.000"


@pytest.mark.parametrize("on", ["validation", "test"])
def test_json_is_the_whole_evaluation_to_the_bit(capsys, run, on):
    said = pacl(capsys, "evaluate", run.path, "--on", on, "--format", "json")
    assert said.out == (run.path / on / "evaluation.json").read_text()


def test_numbers_are_measured_again_and_not_copied(capsys, run):
    path = run.path / "test" / "evaluation.json"
    written = json.loads(path.read_text())
    path.write_text(json.dumps(written | {"detection": {"auroc": 1.0}}))
    said = pacl(capsys, "evaluate", run.path, "--format", "json")
    assert json.loads(said.out) == written


def test_other_windows_are_judged_kept_and_can_be_shown_again(capsys, run):
    other = small_windows(4)
    said = pacl(capsys, "evaluate", run.path, "--windows", other, "--name", "friends")
    assert said.status == 0, said.err
    assert said.out.splitlines()[0].split() == ["friends"]
    assert said.out.splitlines()[-1] == f"{run.path / 'on' / 'friends'}: predictions and embeddings"
    learned = {e["patient"] for e in run.origin.records if e["part"] != "test"}
    progress, note = said.err.splitlines()
    assert progress.startswith("embedding: ")
    assert note.startswith(f"note: {len(learned)} patients ")
    assert "unseen patients" in note
    again = pacl(capsys, "evaluate", run.path, "--on", "friends")
    assert again.out.splitlines() == said.out.splitlines()[:-1]
    assert RunFolder.open(run.path).evaluated("friends")


def test_processed_windows_are_judged_quietly(capsys, run, tmp_path):
    path = write_h5(tmp_path / "authors.h5", seed=8)
    argv = ["evaluate", run.path, "--windows", path, "--quiet", "--format", "json"]
    said = pacl(capsys, *argv)
    assert (said.status, said.err) == (0, "")
    assert said.out == (run.path / "on" / "authors" / "evaluation.json").read_text()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["{run}", "--windows", "{windows}"], "pacl evaluate RUN"),
        (["{run}", "--windows", "{other}", "--name", "test"], "'test' cannot name an evaluation"),
        (["{run}", "--windows", "{tmp}/nothing"], "nothing: not a window set ("),
        (["{run}", "--on", "mars"], "it was not evaluated on 'mars', but on validation, test;"),
        (["{tmp}/nothing"], "not a run, config.json: cannot be read"),
        (["{run}", "--windows", "{other}", "--device", "tpu9"], "device tpu9: cannot be used here"),
        (["{run}", "--format", "xml"], "xml"),
    ],
)
def test_a_mistake_is_told_in_plain_words_with_status_2(capsys, run, tmp_path, argv, message):
    known = {
        "run": run.path,
        "tmp": tmp_path,
        "windows": small_windows(),
        "other": small_windows(4),
    }
    said = pacl(capsys, "evaluate", *(word.format(**known) for word in argv))
    assert said.status == 2
    assert message in said.err
    assert said.out == ""
    assert not (run.path / "on").exists()


def test_without_a_probe_it_says_what_to_do(capsys, run):
    (run.path / "probe.json").unlink()
    said = pacl(capsys, "evaluate", run.path, "--windows", small_windows(4))
    assert said.status == 2
    assert said.err == (
        f"pacl: {run.path}: no probe was fitted; "
        "finish the run, or import the checkpoint with --windows\n"
    )


def test_damaged_predictions_are_named(capsys, run):
    (run.path / "test" / "predictions.parquet").write_bytes(b"PAR1")
    said = pacl(capsys, "evaluate", run.path)
    assert said.status == 2
    assert "test/predictions.parquet: cannot be read (" in said.err
