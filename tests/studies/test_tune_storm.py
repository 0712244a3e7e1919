"""Workers killed at random, again and again, and their database once: no trial is lost."""

import random
import time
from functools import partial

import pytest

from pacl.studies.tuning.retries import chosen
from support.forked_workers import forked_worker
from support.postgres import postgres
from support.small_runs import small_windows
from support.tuning_workers import in_state, running_in, study_in, wait_until

__all__ = ["postgres"]
pytestmark = pytest.mark.slow
KILLS, WORKERS, TRIALS = 25, 3, 60


def test_workers_killed_at_random_and_the_database_once_lose_no_trial(tmp_path, postgres):
    chance, url = random.Random(7), postgres.url("storm")
    folders = (tmp_path / f"worker-{number}" for number in range(KILLS + WORKERS))

    def start():
        argv = (f"--trials={TRIALS}", "--train.patience=15")
        return forked_worker(small_windows(), next(folders), url, *argv, epochs=15)

    workers = [start() for _ in range(WORKERS)]
    try:
        with study_in(url, *workers) as study:
            for kill in range(KILLS):
                victim = chance.choice(workers)
                if chance.random() < 0.8:  # else while it starts, or between two trials
                    wait_until(partial(running_in, study, victim), *workers, seconds=300)
                time.sleep(chance.uniform(0.0, 0.5))
                victim.kill()
                victim.communicate()
                workers.remove(victim)
                workers.append(start())
                if kill == KILLS // 2:
                    wait_until(lambda: all(map(joined, workers)), *workers, seconds=300)
                    postgres.kill()
                    time.sleep(1.0)
                    postgres.start()
            assert len(in_state(study.get_trials(), "COMPLETE", "PRUNED")) < TRIALS
            said = [worker.communicate(timeout=300) for worker in workers]
            trials = study.get_trials()
    finally:
        for worker in workers:
            worker.kill()
    assert [worker.poll() for worker in workers] == [0] * WORKERS, said
    check(trials)
    results = [path.parent for path in tmp_path.glob("*/best.toml")]
    ended = {folder for folder in results if len(rows(folder)) == TRIALS + 1}
    assert len(ended) >= WORKERS
    assert len({(folder / "best.toml").read_bytes() for folder in ended}) == 1
    assert len({(folder / "trials.csv").read_bytes() for folder in ended}) == 1


def joined(worker):
    """Whether a worker has opened the database: without one it does not start."""
    return list(worker.said.with_suffix("").glob(".*.worker"))


def rows(folder):
    return (folder / "trials.csv").read_text().splitlines()


def check(trials):
    """Just so many have ended, each setting once; each that was cut off has one that goes on."""
    assert in_state(trials, "RUNNING") == []
    ended = in_state(trials, "COMPLETE", "PRUNED")
    assert len(ended) == TRIALS
    assert len({str(trial.params) for trial in ended}) == TRIALS
    cut_off = [trial for trial in in_state(trials, "FAIL") if "again" in trial.user_attrs]
    assert len(cut_off) >= KILLS // 2
    for trial in cut_off:
        heirs = [t for t in trials if t.user_attrs.get("again_of") == trial.number]
        assert [chosen(heir) for heir in heirs] == [chosen(trial)] * len(heirs)
        begun = [heir for heir in heirs if heir in ended or "again" in heir.user_attrs]
        assert len(begun) == 1
    tried = [str(sorted(chosen(trial).items())) for trial in ended + cut_off]
    assert len(set(tried)) == TRIALS  # whatever was begun has ended
