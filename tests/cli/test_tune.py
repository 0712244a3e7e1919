"""`pacl tune` as a person meets it."""

import json
import subprocess
import sys
from dataclasses import asdict
from functools import cache

import pytest

from pacl.cli.config import plain, settle
from pacl.cli.prepare_settings import PrepareSettings
from pacl.cli.tune_settings import TuneSettings
from pacl.rr import RRWindowSet
from pacl.settings import settled
from pacl.studies import Plan, RunFolder
from pacl.studies.tuning import Range, space
from pacl.studies.tuning.attempt import Attempt
from support.small_runs import PLAN, cohort, flags, pacl, place, small_windows, write_h5

LOADED = """
import sys
sys.argv = {argv!r}
from pacl.cli import main
try:
    main()
except SystemExit as end:
    assert end.code in (None, 0), end.code
print([name for name in {names!r} if name in sys.modules])
"""
PICTURES = {"history.png", "history.svg", "importances.png", "importances.svg"}
CUTTING = ["--protocol=pooled", "--window.window-beats=40", "--window.stride=2500"]
DIVIDING = ["--split.counts", 6, 2, 2]


def tune(capsys, target, *argv, data=None, **settings):
    return pacl(capsys, "tune", data or small_windows(), "-o", target, *flags(**settings), *argv)


def names(folder):
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


@cache
def _done():
    return place() / "cli-tuned"


def usual(capsys):
    """A study that others look at; not to be changed."""
    return tune(capsys, _done(), "--trials=4")


def test_a_search_is_told_trial_by_trial_and_summed_up(capsys):
    said = usual(capsys)
    assert said.status == 0, said.err
    lines = said.err.splitlines()
    if lines:  # the first time
        assert [line.split()[:2] for line in lines] == [["trial", str(n)] for n in range(1, 5)]
        first = lines[0].split()
        assert first[3:5] == ["*", "best"]
        assert first[2] == first[5]
        assert lines[0].endswith("lr 0.003, temperature 0.05")
    out = said.out.splitlines()
    assert out[0].startswith(f"{_done()}: subject-aware, fair space, 4 trials (")
    assert out[1].startswith("best validation AUROC 0.")
    assert [line.split()[0] for line in out[2:4]] == ["train.lr", "objective.temperature"]
    best = _done() / "best.toml"
    assert out[-2] == f"pacl train {small_windows()} -o RUN --config {best}"
    assert out[-1] == f"pacl reproduce -o STUDY --data {small_windows()} --tuned {best}"
    kept = {"best.toml", "journal.log", "study.json", "trials.csv"}
    assert names(_done()) - PICTURES == kept
    again = usual(capsys)
    assert (again.status, again.err) == (0, "")
    assert again.out == said.out


def test_the_best_settings_can_be_trained_as_they_are(capsys, tmp_path):
    usual(capsys)
    argv = ["--config", _done() / "best.toml", "--device=cpu", "--threads=1", "--quiet"]
    said = pacl(capsys, "train", small_windows(), "-o", tmp_path / "run", *argv)
    assert said.status == 0, said.err
    best = max(epoch["score"] for epoch in RunFolder.open(tmp_path / "run").history())
    rows = (_done() / "trials.csv").read_text().splitlines()[1:]
    assert best == max(float(row.split(",")[2]) for row in rows if row.split(",")[1] == "finished")


def test_quiet_shows_results_alone(capsys, tmp_path):
    said = tune(capsys, tmp_path / "t", "--quiet", "--trials=1", "--space=full", epochs=1)
    assert said.err == ""
    assert said.out.splitlines()[0].endswith("subject-aware, full space, 1 trials (1 finished)")
    assert names(tmp_path / "t") & PICTURES == {"history.png", "history.svg"}


def test_each_loss_has_a_study_of_its_own(capsys, tmp_path):
    losses = ["--loss=bce", "--loss=supcon", "--loss=bce"]
    said = tune(capsys, tmp_path / "t", *losses, "--trials=1", epochs=1)
    assert said.status == 0, said.err
    assert names(tmp_path / "t") == {"bce", "supcon"}
    for loss in ("bce", "supcon"):
        chosen = settle(Plan, tmp_path / "t" / loss / "best.toml", None)
        assert chosen.loss == loss
    assert "temperature" not in said.err.splitlines()[0]
    assert "temperature" in said.err.splitlines()[1]


def test_of_windows_that_are_cut_length_and_stride_stay(capsys, tmp_path):
    said = tune(capsys, tmp_path / "t", "--space=full", "--trials=1", epochs=1)
    assert said.status == 0, said.err
    assert said.err.startswith(f"{small_windows()}: ")
    assert not (tmp_path / "t" / "prepare.toml").exists()


def test_from_recordings_to_a_run_on_the_best_windows(capsys, tmp_path, monkeypatch):
    few = (
        Range("window.window_beats", 40, 80, step=20),
        Range("window.stride", 2500, 2500, step=1),
    )
    monkeypatch.setattr(space, "SPACES", {"full": few})
    target = tmp_path / "t"
    argv = ["--space=full", "--trials=3", *CUTTING, *DIVIDING]
    said = tune(capsys, target, *argv, data=cohort(), epochs=1)
    assert said.status == 0, said.err
    cut = [line for line in said.err.splitlines() if line.startswith("cutting")]
    assert cut[0].startswith("cutting windows of 40 beats every 2500")
    assert len(cut) == len(set(cut)) > 1
    assert names(target) >= {"best.toml", "prepare.toml", "windows"}
    assert said.out.splitlines()[-3].startswith("pacl prepare RECORDINGS -o WINDOWS --config ")
    config = ["--config", target / "prepare.toml", "--quiet"]
    assert pacl(capsys, "prepare", cohort(), "-o", tmp_path / "w", *config).status == 0
    windows = RRWindowSet.open(tmp_path / "w")
    chosen = settle(PrepareSettings, target / "prepare.toml", None)
    assert windows.window_beats == chosen.window.window_beats
    split = json.loads(chosen.split.file.read_text())["parts"]
    assert set(windows.part("test").table.patient.present()) <= set(split["test"])
    config = ["--config", target / "best.toml", "--device=cpu", "--quiet"]
    trained = pacl(capsys, "train", tmp_path / "w", "-o", tmp_path / "run", *config)
    assert trained.status == 0, trained.err


def test_settings_of_train_and_of_prepare_may_lie_in_one_file(capsys, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(
        'loss = "supcon"\nseed = 3\nprotocol = "pooled"\n[train]\nlr = 0.5\n[window]\nstride = 7\n'
    )
    found = settle(TuneSettings, file, None)
    assert found.losses == ("supcon",)
    assert found.plan("supcon").train.lr == 0.5
    assert found.plan("supcon").seed == 3
    assert (found.protocol, found.window.stride) == ("pooled", 7)
    assert plain(asdict(settle(PrepareSettings, None, None))) == TuneSettings().of_data()
    said = pacl(capsys, "tune", "w", "--config", file, "--loss=bce", "--print-config")
    assert json.loads(said.out)["loss"] == ["bce"]
    assert TuneSettings().plan("subject-aware") == Plan()


def test_the_flags_of_these_tests_are_their_plan(capsys):
    said = pacl(capsys, "tune", "w", *flags(), "--print-config")
    found = settled(TuneSettings, json.loads(said.out))
    assert found.plan("subject-aware") == PLAN


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["tune", "{windows}"], "pacl: --output or -o is missing, it is required"),
        (["tune", "{windows}", "-o", "{tmp}/t", "--space=wide"], "wide"),
        (["tune", "{windows}", "-o", "{tmp}/t", "--loss=simclr"], "simclr"),
        (["tune", "{windows}", "-o", "{tmp}/t", "--trials=0"], "--trials"),
        (["tune", "{windows}", "-o", "{tmp}/t", "--sampler.windows=1"], "sampler.windows 1: a wi"),
        (
            ["tune", "{windows}", "-o", "{tmp}/t", "--objective.memory=9", "--loss=bce"],
            "objective.memory 9",
        ),
        (["tune", "{windows}", "-o", "{tmp}/t", "--device=tpu9"], "device tpu9: cannot be used"),
        (
            ["tune", "{windows}", "-o", "{tmp}/t", "--protocol=pooled"],
            "leave out the settings of p",
        ),
        (["tune", "{windows}", "-o", "{tmp}/t", "--beats=qrs"], "leave out options of how to read"),
        (["tune", "{tmp}/a.h5", "-o", "{tmp}/t"], "processed windows; make a window set of them"),
        (["tune", "{tmp}/no", "-o", "{tmp}/t"], "/no: no such file or folder; check the path"),
        (
            ["tune", "{windows}", "-o", "{tmp}/t", "--storage=nosuch://x", "{small}"],
            "storage nosuch",
        ),
        (["tune", "{windows}", "-o", "{tmp}/t", "--sampler.subjects=50"], "a batch needs 50"),
    ],
)
def test_a_mistake_is_told_in_plain_words_with_status_2(capsys, tmp_path, argv, message):
    write_h5(tmp_path / "a.h5")
    if "{small}" in argv:
        argv = [*argv[:-1], *flags()]
    said = pacl(capsys, *(word.format(windows=small_windows(), tmp=tmp_path) for word in argv))
    assert said.status == 2
    assert message in said.err
    assert "Traceback" not in said.err


def test_another_search_in_the_same_folder_is_refused(capsys, tmp_path):
    assert tune(capsys, tmp_path, "--trials=1", epochs=1).status == 0
    said = tune(capsys, tmp_path, "--trials=1", epochs=2)
    assert said.status == 2
    assert "train.epochs 1 / 2" in said.err


def test_a_search_in_which_nothing_finished_says_where_the_reasons_are(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr("pacl.training.epoch_log.COLLAPSED", 2.0)
    said = tune(capsys, tmp_path / "t", "--trials=2", epochs=1)
    assert said.status == 0, said.err
    assert said.err.splitlines()[0].split()[:3] == ["trial", "1", "failed"]
    assert said.err.splitlines()[0].endswith("epoch 1: pooled and projected embeddings collapsed")
    assert said.out.splitlines()[1] == "no trial has finished; the reasons are in trials.csv"
    assert (tmp_path / "t" / "history.png").exists()


def test_ctrl_c_keeps_the_trials_and_the_same_command_goes_on(capsys, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        note = Attempt.note

        def stop(self, run, log):
            if self.trial.number == 1:
                raise KeyboardInterrupt
            note(self, run, log)

        patched.setattr(Attempt, "note", stop)
        said = tune(capsys, tmp_path / "t", "--trials=2", epochs=1)
    assert said.status == 130
    note, ended = said.err.splitlines()[-2:]
    assert note.startswith(f"{tmp_path / 't'}: ")
    assert ended == "pacl: interrupted"
    said = tune(capsys, tmp_path / "t", "--trials=2", epochs=1)
    assert said.status == 0
    assert [line.split()[1] for line in said.err.splitlines()] == ["2"]


def test_trials_side_by_side_with_seeds_of_their_own(capsys, tmp_path):
    argv = ["--trials=3", "--at-once=2", "--seeds=2", "--pruner=halving", "--timeout=600"]
    said = tune(capsys, tmp_path / "t", *argv, epochs=1)
    assert said.status == 0, said.err
    assert [line.split()[1] for line in said.err.splitlines()] == ["1", "2", "3"]


@pytest.mark.parametrize("argv", [["tune", "--help"], ["tune", "w", "--print-config"]])
def test_help_and_settings_are_shown_without_torch(argv):
    heavy = ["torch", "sklearn", "scipy", "optuna", "matplotlib", "pacl.studies"]
    code = LOADED.format(argv=["pacl", *argv], names=heavy)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]", done.stdout[-500:]
    assert "subject-aware" in done.stdout


def test_a_folder_of_something_else_is_refused(capsys, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    said = tune(capsys, tmp_path)
    assert said.status == 2
    assert f"{tmp_path}: " in said.err
    assert "thesis.txt" in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
