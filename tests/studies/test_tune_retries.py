"""Trials of workers that died: none is lost, none counts twice, whenever a worker dies."""

import time

import optuna
import pytest

from pacl.studies.tuning import retries, signs
from pacl.studies.tuning.attempt import Attempt
from pacl.studies.tuning.retries import (
    MOST_DEATHS,
    clashes,
    counted,
    give_up,
    is_copy,
    place_of,
    queue_again,
    take_slot,
)
from pacl.studies.tuning.signs import SILENT_S, UNCLAIMED_S, Signs, Watch
from pacl.studies.tuning.storage import StorageLostError
from pacl.studies.tuning.worker import Worker

KEYS = {"x"}
SPACE = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}


@pytest.fixture
def study():
    return optuna.create_study(direction="maximize")


def states(study):
    return [trial.state.name for trial in study.get_trials(deepcopy=False)]


def seen(study, number):
    return study.get_trials(deepcopy=False)[number]


def test_a_trial_is_tried_again_in_its_place_and_knows_which_it_was(study):
    dead, other = study.ask(SPACE), study.ask(SPACE)
    give_up(study, seen(study, dead.number), KEYS, died=True)
    assert states(study) == ["FAIL", "RUNNING", "WAITING"]
    again = study.ask(SPACE)
    assert again.params == dead.params
    assert again.user_attrs["again_of"] == dead.number
    assert (place_of(study, again.number), place_of(study, other.number)) == (0, 1)
    assert counted(study.trials) == [0, 1]


def test_a_worker_killed_between_two_steps_loses_nothing(study, monkeypatch):
    dead = study.ask(SPACE)
    with monkeypatch.context() as patched:
        patched.setattr(retries, "queue_again", lambda study: None)  # killed here
        give_up(study, seen(study, 0), KEYS, died=True)
    assert states(study) == ["FAIL"]
    assert counted(study.trials) == [0]  # nobody may take its place
    queue_again(study)
    queue_again(study)
    assert states(study) == ["FAIL", "WAITING"]
    assert study.ask(SPACE).params == dead.params


def test_of_two_copies_the_second_is_dropped(study):
    study.ask(SPACE)
    give_up(study, seen(study, 0), KEYS, died=True)
    first = seen(study, 1)
    study.enqueue_trial(first.system_attrs["fixed_params"], user_attrs=first.user_attrs)
    one, two = study.ask(SPACE), study.ask(SPACE)
    assert (is_copy(study, one), is_copy(study, two)) == (False, True)
    assert counted(study.trials) == [0]
    assert not is_copy(study, study.ask(SPACE))


def test_one_that_was_taken_from_the_queue_and_not_begun_keeps_its_settings(study):
    dead = study.ask(SPACE)
    give_up(study, seen(study, 0), KEYS, died=True)
    study.ask()  # killed before its settings were copied
    give_up(study, seen(study, 1), KEYS, died=True)
    assert study.ask(SPACE).params == dead.params


def test_settings_with_which_workers_die_again_and_again_have_failed(study):
    study.ask(SPACE)
    for deaths in range(1, MOST_DEATHS):
        give_up(study, study.trials[-1], KEYS, died=True)
        assert study.trials[-1].user_attrs["deaths"] == deaths
        study.ask(SPACE)
    give_up(study, study.trials[-1], KEYS, died=False)  # to stop one is not to kill it
    study.ask(SPACE)
    give_up(study, study.trials[-1], KEYS, died=True)
    assert states(study) == ["FAIL"] * MOST_DEATHS + ["COMPLETE"]
    last = study.trials[-1]
    assert (last.value, last.user_attrs["ended"], last.user_attrs["epochs"]) == (0.0, "failed", 0)
    assert str(MOST_DEATHS) in last.user_attrs["reason"]
    assert counted(study.trials) == [0]


def test_no_two_trials_draw_with_the_same_numbers(study):
    for slot in range(3):
        trial = study.ask()
        assert take_slot(study, seen(study, trial.number)) == slot
        trial.suggest_float("x", 0.0, 1.0)
    study.ask()  # has none yet, and will have the fourth
    study.tell(1, state=optuna.trial.TrialState.FAIL)  # dropped: its slot is free again
    assert take_slot(study, seen(study, study.ask().number)) == 3
    give_up(study, seen(study, 2), KEYS, died=True)
    again, new = study.ask(SPACE), study.ask()
    assert again.user_attrs["slot"] == 2
    assert take_slot(study, seen(study, new.number)) == 4
    assert not any(clashes(study, trial) for trial in (again, new))
    new.set_user_attr("slot", 2)
    assert clashes(study, new)
    assert not clashes(study, again)  # it was there before


def test_a_result_that_comes_too_late_is_dropped(study):
    slow = Attempt(study.ask(SPACE), (), "supcon", ended="failed")
    give_up(study, seen(study, 0), KEYS, died=True)
    assert not slow.close(study)
    assert states(study) == ["FAIL", "WAITING"]
    assert "ended" not in seen(study, 0).user_attrs


def test_a_result_that_was_handed_in_twice_counts_once(study):
    done = Attempt(study.ask(SPACE), (), "supcon", ended="failed")
    assert done.close(study)
    assert done.close(study)  # the answer to the first was lost
    assert states(study) == ["COMPLETE"]


def watch_for(monkeypatch, study, watch, seconds, every=10.0):
    """Let time pass, with a look now and then."""
    now = time.monotonic()
    running = lambda: [t for t in study.get_trials() if t.state.name == "RUNNING"]  # noqa: E731
    for passed in range(0, int(seconds) + 1, int(every)):
        monkeypatch.setattr(time, "monotonic", lambda at=now + passed: at)
        watch.look(running())
    return [t.number for t in running() if watch.silent(t)]


def test_who_gives_no_sign_is_dead_whatever_its_clock_says(study, monkeypatch):
    trial, other = study.ask(SPACE), study.ask(SPACE)
    for each, sign in ((trial, time.time() + 1e6), (other, 0.0)):
        each.set_user_attr("worker", "elsewhere-1")
        each.set_user_attr("sign", sign)
    watch = Watch()
    assert watch_for(monkeypatch, study, watch, SILENT_S - 10) == []
    trial.set_user_attr("sign", 1.0)
    assert watch_for(monkeypatch, study, watch, 30) == [other.number]


def test_a_trial_that_nobody_signs_is_given_up_sooner(study, monkeypatch):
    study.ask(SPACE)
    assert watch_for(monkeypatch, study, Watch(), UNCLAIMED_S - 10) == []
    assert watch_for(monkeypatch, study, Watch(), UNCLAIMED_S + 10) == [0]


def test_nobody_is_dead_after_a_time_in_which_the_storage_was_away(study, monkeypatch):
    trial, watch = study.ask(SPACE), Watch()
    trial.set_user_attr("worker", "elsewhere-1")
    trial.set_user_attr("sign", 0.0)
    assert watch_for(monkeypatch, study, watch, 10 * SILENT_S, every=9 * SILENT_S) == []


def test_a_worker_signs_until_its_trial_has_ended(study, monkeypatch, tmp_path):
    monkeypatch.setattr(signs, "SIGN_EVERY_S", 0.01)
    worker = Worker(tmp_path, Signs(study))
    trial = study.ask(SPACE)
    worker.claim(trial)
    found = []
    while len(found) < 3:
        found = sorted({*found, study.trials[0].user_attrs["sign"]})
        time.sleep(0.005)
    study.tell(trial, 1.0)
    time.sleep(0.1)
    assert worker.signs._own == {}
    worker.close(study, KEYS)
    assert not worker.signs._thread.is_alive()


def test_a_worker_whose_storage_is_lost_leaves_its_file_for_the_next(study, monkeypatch, tmp_path):
    worker = Worker(tmp_path, Signs(study))
    worker.claim(study.ask(SPACE))

    def lost(*_, **__):
        raise StorageLostError("storage x", "away", "start it")

    with monkeypatch.context() as patched:
        patched.setattr(study, "get_trials", lost)
        worker.close(study, KEYS)
    assert [path.name for path in tmp_path.glob(".*.worker")] == [f".{worker.name}.worker"]
    following = Worker(tmp_path, Signs(study))
    following.give_up_dead(study, KEYS)  # at once, not after a time of silence
    assert states(study) == ["FAIL", "WAITING"]
    following.close(study, KEYS)
