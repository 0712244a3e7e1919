"""Workers and the scheduler of a real cluster are killed while tasks run."""

import threading
import time

import pytest

from pacl.work import Cluster, ClusterError
from support import work_tasks
from support.dask_cluster import DaskCluster
from support.refusals import refused


@pytest.fixture
def cluster(tmp_path):
    found = DaskCluster(tmp_path)
    yield found
    found.close()


def test_tasks_outlive_the_scheduler(cluster, tmp_path):
    tasks = [(f"task {number}", (str(tmp_path), number, 0.1)) for number in range(40)]
    workers, found = Cluster(cluster.address), []
    for ended in workers.run(work_tasks.slow, tasks):
        found.append(ended.result)
        if len(found) == 10:
            cluster.kill_scheduler()
    workers.close()
    assert sorted(found) == list(range(40))


def test_a_scheduler_that_stays_away_is_given_up(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.work.connection.CONNECT_S", 1.0)
    tasks = [(f"task {number}", (str(tmp_path), number, 0.2)) for number in range(20)]
    workers = Cluster(cluster.address, patience_s=2.0)
    threading.Timer(0.5, cluster.close).start()
    with refused(ClusterError, cluster.address, "goes on"):
        list(workers.run(work_tasks.slow, tasks))


def test_a_cluster_without_workers_is_told_of_and_waited_for(cluster, monkeypatch):
    for worker in cluster.workers:
        worker.kill()
        worker.wait()
    workers = Cluster(cluster.address)

    def later():
        time.sleep(4)
        cluster.kill_worker(0)

    thread = threading.Thread(target=later)
    thread.start()
    monkeypatch.setattr("pacl.work.cluster.ALONE_S", 0.5)
    with pytest.warns(UserWarning, match=f"{cluster.address}: it has no workers") as told:
        [ended] = workers.run(work_tasks.double, [("a", 1)])
    assert len(told) == 1
    thread.join()
    workers.close()
    assert ended.result == 2
