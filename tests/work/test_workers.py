"""What all workers do alike: in this process, in several, and on a real cluster."""

import pytest

from pacl.work import BrokenTaskError, Cluster, ClusterError, Here, Processes, in_order
from pacl.work.processes import ONE_THREAD
from support import work_tasks
from support.dask_cluster import DaskCluster
from support.refusals import refused

pytestmark = pytest.mark.started_anew


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    found = DaskCluster(tmp_path_factory.mktemp("dask"), nannies=True)
    yield found
    found.close()


@pytest.fixture(params=["here", "processes", "cluster"])
def workers(request):
    if request.param == "cluster":
        found = Cluster(request.getfixturevalue("cluster").address)
    else:
        found = Here() if request.param == "here" else Processes(2)
    yield found
    found.close()


def named(count):
    return [(f"task {number}", number) for number in range(count)]


def test_each_task_is_done_once_and_its_messages_arrive(workers):
    said = []
    found = list(
        workers.run(work_tasks.double, named(20), on_message=lambda *one: said.append(one))
    )
    assert sorted((one.name, one.result) for one in found) == sorted(
        (name, 2 * task) for name, task in named(20)
    )
    assert all(one.failure is None for one in found)
    assert sorted(said) == sorted((name, f"doubling {task}") for name, task in named(20))


def test_a_failure_is_told_and_the_others_are_done(workers):
    found = {one.name: one for one in workers.run(work_tasks.fail_if_odd, named(6))}
    assert [found[f"task {number}"].result for number in (0, 2, 4)] == [0, 2, 4]
    assert "3 is odd" in found["task 3"].failure


def test_a_fault_of_the_program_ends_all(workers):
    with pytest.raises((BrokenTaskError, TypeError), match="a fault of the program"):
        list(workers.run(work_tasks.break_off, named(3)))


def test_results_in_the_order_of_tasks(workers):
    found = [one.result for one in in_order(workers, work_tasks.double, range(30))]
    assert found == [2 * number for number in range(30)]


def test_few_tasks_are_taken_ahead(workers):
    taken = []

    def endless():
        number = 0
        while True:
            taken.append(number)
            yield f"task {number}", number
            number += 1

    run = workers.run(work_tasks.double, endless())
    for _ in range(10):
        next(run)
    run.close()
    assert len(taken) < 25


def test_the_same_workers_do_other_work_after_it(workers):
    list(workers.run(work_tasks.double, named(3)))
    [ended] = workers.run(work_tasks.fail_if_odd, [("a", 2)])
    assert ended.result == 2


@pytest.mark.parametrize("workers", ["processes", "cluster"], indirect=True)
def test_a_task_whose_process_is_killed_is_done_again(workers, tmp_path):
    tasks = [(f"task {number}", str(tmp_path / str(number))) for number in range(3)]
    found = list(workers.run(work_tasks.die_once, tasks))
    assert sorted(one.name for one in found) == [name for name, _ in tasks]
    assert {one.result for one in found} == {"done"}


@pytest.mark.parametrize("at", [1, 4])
def test_no_task_is_lost_if_the_scheduler_is_gone_while_tasks_are_given_out(
    cluster, monkeypatch, at
):
    """Before the first task, or with none under way: nothing of the flight would say so."""
    workers, calls = Cluster(cluster.address), []
    room = workers._room

    def lost_once():
        calls.append(1)
        if len(calls) == at:
            raise OSError("the connection is closed")
        return min(1, room())

    monkeypatch.setattr(workers, "_room", lost_once)
    found = [one.result for one in workers.run(work_tasks.double, named(6))]
    workers.close()
    assert sorted(found) == [0, 2, 4, 6, 8, 10]


def test_a_task_that_kills_each_process_has_failed(tmp_path):
    workers = Processes(2)
    [ended] = workers.run(work_tasks.die, [("a", None)])
    workers.close()
    assert "ended 3 times" in ended.failure
    assert "--workers" in ended.failure


@pytest.mark.started_anew
def test_processes_have_one_core_each(monkeypatch):
    for name in ONE_THREAD:
        monkeypatch.setenv(name, "7")
    workers = Processes(2)
    found = [one.result for one in workers.run(work_tasks.threads, named(2))]
    workers.close()
    assert found == [["1"] * len(ONE_THREAD)] * 2


def test_a_scheduler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("pacl.work.connection.CONNECT_S", 0.5)
    with refused(ClusterError, "tcp://127.0.0.1:9", "--scheduler"):
        Cluster("tcp://127.0.0.1:9")
    with refused(ClusterError, "nonsense://here"):
        Cluster("nonsense://here")
    with refused(ClusterError, "missing.json"):
        Cluster("missing.json")
