"""A study on a real Dask cluster: the same runs, also if a worker is killed."""

import threading
from dataclasses import replace

import pytest

from pacl.studies import RunError, RunFolder, Study
from pacl.studies.gpus import Job
from pacl.studies.scheduler import train_runs
from support.dask_cluster import DaskCluster
from support.refusals import refused
from support.reports import reporting
from support.small_runs import PLAN, same_but_for_time, small_windows


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    found = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield found
    found.close()


def test_runs_are_those_of_this_machine_and_outlive_a_worker(cluster, tmp_path):
    study = Study.of(replace(PLAN, train=replace(PLAN.train, epochs=3)), seeds=(1,))
    jobs = study.jobs({None: small_windows()})
    here = train_runs(jobs, tmp_path / "here", device="cpu")
    epochs, finished = [], []
    kill = threading.Timer(1.0, cluster.kill_worker)
    kill.start()
    there = train_runs(
        jobs,
        tmp_path / "there",
        device="cpu",
        scheduler=cluster.address,
        report=reporting(
            on_finished=finished.append, on_epoch=lambda name, log: epochs.append(name)
        ),
    )
    kill.join()
    assert sorted(finished) == sorted(jobs)
    assert set(epochs) == set(jobs)
    for name in jobs:
        assert same_but_for_time(there[name].path, here[name].path)


def test_a_fit_that_fails_is_named_and_the_others_are_kept(cluster, tmp_path):
    jobs = Study.of(PLAN, seeds=(1,)).jobs({None: small_windows()})
    name = next(iter(jobs))
    broken = replace(jobs[name].plan, sampler=replace(jobs[name].plan.sampler, subjects=10_000))
    with refused(RunError, tmp_path, "1 of 3", name):
        train_runs(
            {**jobs, name: Job(small_windows(), broken)},
            tmp_path / "runs",
            device="cpu",
            scheduler=cluster.address,
        )
    assert sum(RunFolder.open(path).finished for path in (tmp_path / "runs").iterdir()) >= 2
