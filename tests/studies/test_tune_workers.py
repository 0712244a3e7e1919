"""Processes that share a study, and those that are killed in the middle of a trial."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import optuna
import pytest

from pacl.locks import is_free
from pacl.studies.tuning import WindowsAsCut, tune
from pacl.studies.tuning.journal import open_journal
from pacl.studies.tuning.retries import give_up
from pacl.studies.tuning.signs import Signs
from pacl.studies.tuning.worker import SILENT_S, UNCLAIMED_S, Worker
from support.small_runs import PLAN, flags, plan, small_windows

pytestmark = pytest.mark.slow
KEYS = {"x"}
SPACE = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
SLOW = "--train.patience=400"


def start(target, *argv, epochs=3):
    command = ["tune", small_windows(), "-o", target, *flags(epochs=epochs), *argv]
    return subprocess.Popen(
        [sys.executable, "-m", "pacl", *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PACL_CHECK_AXES": "", "OMP_NUM_THREADS": "1"},
    )


def study_of(folder):
    storage = open_journal(folder / "journal.log")
    [name] = optuna.get_all_study_names(storage)
    return optuna.load_study(study_name=name, storage=storage)


def fresh(folder):
    folder.mkdir(exist_ok=True)
    return optuna.create_study(storage=open_journal(folder / "journal.log"), study_name="s")


def states(study):
    return [trial.state.name for trial in study.get_trials(deepcopy=False)]


def timeless(outcome):
    return [replace(trial, seconds=0.0) for trial in outcome.tried]


def wait_until(true, process, seconds=100):
    """Wait for what a process does."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.005)


def test_two_processes_share_a_study_and_end_with_just_so_many_trials(tmp_path):
    folder = tmp_path / "study"
    with start(folder, "--trials=12", epochs=6) as process:
        wait_until(lambda: list(folder.glob(".*.worker")), process)
        source = WindowsAsCut(small_windows())
        outcome = tune(source, folder, plan(epochs=6), trials=12, device="cpu")
        said = process.communicate(timeout=100)
        assert process.returncode == 0, said[1]
    ended = [t for t in study_of(folder).trials if t.state.name in ("COMPLETE", "PRUNED")]
    assert len(ended) == 12
    assert len({trial.user_attrs["worker"] for trial in ended}) == 2
    assert len({trial.params["train.lr"] for trial in ended}) == 12
    assert not list(folder.glob(".*.worker"))
    assert len((folder / "trials.csv").read_text().splitlines()) == 13
    assert len(outcome.tried) >= 11


def test_killed_in_mid_trial_the_same_is_tried_again(tmp_path):
    with start(tmp_path / "study", "--trials=3", SLOW, epochs=400) as process:
        journal = tmp_path / "study" / "journal.log"
        wait_until(lambda: journal.exists() and "intermediate" in journal.read_text(), process)
        process.send_signal(signal.SIGKILL)
    assert states(study_of(tmp_path / "study"))[-1] == "RUNNING"
    [file] = (tmp_path / "study").glob(".*.worker")
    assert is_free(file)
    again = Worker(tmp_path / "study")
    study = study_of(tmp_path / "study")
    keys = {"train.lr", "objective.temperature"}
    [killed] = [trial for trial in study.trials if trial.state.name == "RUNNING"]
    assert not again.give_up_dead(study, keys)
    again.close(study, keys)
    assert states(study)[-2:] == ["FAIL", "WAITING"]
    assert study.trials[-1].system_attrs["fixed_params"] == killed.params
    assert not list((tmp_path / "study").glob(".*.worker"))


def test_a_search_goes_on_after_a_kill_as_if_nothing_had_happened(tmp_path):
    source = WindowsAsCut(small_windows())
    whole = tune(source, tmp_path / "whole", PLAN, trials=4, device="cpu")
    for seconds in (0.0, 0.3):
        with start(tmp_path / "study", "--trials=4") as process:
            wait_until(lambda: list((tmp_path / "study").glob(".*.worker")), process)
            time.sleep(seconds)
            process.kill()
    outcome = tune(source, tmp_path / "study", PLAN, trials=4, device="cpu")
    assert timeless(outcome) == timeless(whole)
    best = [(tmp_path / name / "best.toml").read_bytes() for name in ("study", "whole")]
    assert best[0] == best[1]


def test_trials_of_the_living_are_left_alone(tmp_path):
    study, one, other = fresh(tmp_path), Worker(tmp_path), Worker(tmp_path)
    one.claim(study.ask(SPACE))
    assert not other.give_up_dead(study, KEYS)
    assert states(study) == ["RUNNING"]
    one.close(study, KEYS)
    assert states(study) == ["FAIL", "WAITING"]
    other.close(study, KEYS)
    assert list(tmp_path.glob(".*.worker")) == []


def test_a_worker_elsewhere_is_given_up_when_it_has_long_been_silent(tmp_path, monkeypatch):
    study, worker = fresh(tmp_path), Worker(tmp_path)
    trial = study.ask(SPACE)
    trial.set_user_attr("worker", "another-machine-7-abc")
    trial.set_user_attr("sign", time.time() - SILENT_S + 60)
    worker.give_up_dead(study, KEYS)
    assert states(study) == ["RUNNING"]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 120)
    worker.give_up_dead(study, KEYS)
    assert states(study) == ["FAIL", "WAITING"]
    worker.close(study, KEYS)


def test_a_trial_that_nobody_claims_is_waited_for_and_then_given_up(tmp_path, monkeypatch):
    study, worker, other = fresh(tmp_path), Worker(tmp_path), Worker(tmp_path)
    study.ask(SPACE)
    assert worker.give_up_dead(study, KEYS)
    monkeypatch.setattr("pacl.studies.tuning.worker.UNCLAIMED_S", -1.0)
    assert not worker.give_up_dead(study, KEYS)
    assert states(study) == ["FAIL", "WAITING"]
    assert UNCLAIMED_S > 1
    monkeypatch.undo()
    study.ask(SPACE)
    other.close(study, KEYS)
    elsewhere = Worker(tmp_path, Signs(study))
    assert elsewhere.give_up_dead(study, KEYS)
    elsewhere.close(study, KEYS)
    for path in tmp_path.glob(".*.worker"):
        path.unlink()
    assert not Worker(tmp_path).give_up_dead(study, KEYS)  # nobody else is alive to claim it
    assert states(study) == ["FAIL", "FAIL", "WAITING"]


def test_a_trial_is_given_up_once_whoever_sees_it(tmp_path):
    study = fresh(tmp_path)
    trial = study.ask(SPACE)
    seen = study.trials[trial.number]
    for _ in range(2):
        give_up(study, seen, KEYS, died=True)
    assert states(study) == ["FAIL", "WAITING"]
    study.ask(SPACE)
    study.ask()
    give_up(study, study.trials[-1], KEYS, died=True)  # killed before its settings were chosen
    assert states(study) == ["FAIL", "RUNNING", "FAIL"]
