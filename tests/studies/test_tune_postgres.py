"""A search in a real PostgreSQL: workers with folders of their own, one of them killed."""

import shutil
import signal

import pytest

from pacl.studies.errors import TuningError
from pacl.studies.tuning import WindowsAsCut, tune
from support.postgres import PASSWORD, postgres
from support.refusals import refused
from support.small_runs import plan, small_windows
from support.tuning_workers import (
    in_state,
    running_in,
    shorten_times,
    start_worker,
    study_in,
    wait_until,
)

__all__ = ["postgres"]
FILES = ("best.toml", "trials.csv")


def test_the_trial_of_a_killed_worker_is_tried_again_by_one_elsewhere(
    tmp_path, postgres, monkeypatch
):
    url, base = postgres.url("killed"), plan(epochs=4)
    shutil.copytree(small_windows(), tmp_path / "copy")  # the same windows on another machine
    shorten_times(monkeypatch)
    with (
        start_worker(tmp_path / "a", url, "--trials=3", epochs=4) as other,
        study_in(url, other) as study,
    ):
        wait_until(lambda: running_in(study, other), other)
        other.kill()
        said = other.communicate()
        found = search(WindowsAsCut(tmp_path / "copy"), tmp_path / "b", base, url)
        trials = study.get_trials()
    ended = in_state(trials, "COMPLETE", "PRUNED")
    assert len(ended) == len(found.tried) == 3
    assert len({trial.params["train.lr"] for trial in ended}) == 3
    [killed] = [t for t in in_state(trials, "FAIL") if "again" in t.user_attrs]
    [again] = [t for t in ended if t.user_attrs.get("again_of") == killed.number]
    assert again.params == killed.params
    assert again.user_attrs["worker"] != killed.user_attrs["worker"]
    assert search(WindowsAsCut(small_windows()), tmp_path / "c", base, url) == found
    for name in FILES:
        assert (tmp_path / "b" / name).read_bytes() == (tmp_path / "c" / name).read_bytes()
    for folder in "abc":
        for path in (tmp_path / folder).rglob("*"):
            assert path.is_dir() or PASSWORD.encode() not in path.read_bytes()
    assert PASSWORD not in "".join(said)


def search(windows, target, base, url, **options):
    return tune(windows, target, base, trials=3, storage=url, device="cpu", **options)


def test_a_wrong_password_is_not_shown(tmp_path, postgres):
    url = postgres.url("closed").replace(PASSWORD, "wrong-one")
    with refused(TuningError, f"127.0.0.1:{postgres.port}/closed", "***", "pacl") as raised:
        tune(WindowsAsCut(small_windows()), tmp_path, plan(), storage=url)
    assert "wrong-one" not in str(raised.value)


@pytest.mark.slow
def test_a_worker_that_slept_while_others_took_its_trial_does_not_count_twice(
    tmp_path, postgres, monkeypatch
):
    url, base = postgres.url("slept"), plan(epochs=4)
    shorten_times(monkeypatch)
    with (
        start_worker(tmp_path / "a", url, "--trials=3", epochs=4) as other,
        study_in(url, other) as study,
    ):
        wait_until(lambda: running_in(study, other), other)
        other.send_signal(signal.SIGSTOP)
        [asleep] = running_in(study, other)
        found = search(WindowsAsCut(small_windows()), tmp_path / "b", base, url)
        other.send_signal(signal.SIGCONT)
        said = other.communicate(timeout=60)
        assert other.returncode == 0, said
        trials = study.get_trials()
    assert "does not count" in said[1]
    assert len(in_state(trials, "COMPLETE", "PRUNED")) == len(found.tried) == 3
    assert trials[asleep.number].state.name == "FAIL"
    [again] = [t for t in trials if t.user_attrs.get("again_of") == asleep.number]
    assert again.params == asleep.params
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.slow
def test_a_database_killed_and_started_again_changes_nothing(tmp_path, postgres):
    url = postgres.url("restarted")
    with (
        start_worker(tmp_path / "a", url, "--trials=6", epochs=8) as worker,
        study_in(url, worker) as study,
    ):
        wait_until(lambda: running_in(study, worker), worker)
        postgres.kill()
        with pytest.raises(Exception, match="connection"):
            postgres.ask("select 1")
        postgres.start()
        said = worker.communicate(timeout=100)
        assert worker.returncode == 0, said
    whole = tune(
        WindowsAsCut(small_windows()), tmp_path / "b", plan(epochs=8), trials=6, device="cpu"
    )
    assert len(whole.tried) == 6
    best = [(tmp_path / folder / "best.toml").read_bytes() for folder in "ab"]
    assert best[0] == best[1]
