"""Workers as they are asked for: in this process, in several, or on a cluster."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from pacl.work.cluster import Cluster
from pacl.work.processes import Processes
from pacl.work.tasks import (
    MOST_DEATHS,
    Ended,
    OnMessage,
    Result,
    Task,
    Work,
    Workers,
    attempt,
    no_message,
)


class Here:
    """Does tasks in this process.

    Examples
    --------
    >>> [one.result for one in Here().run(lambda task, say: 2 * task, [("a", 1), ("b", 2)])]
    [2, 4]
    """

    def run(
        self,
        work: Work[Task, Result],
        tasks: Iterable[tuple[str, Task]],
        *,
        on_message: OnMessage = no_message,
        most_deaths: int = MOST_DEATHS,
    ) -> Iterator[Ended[Result]]:
        """Do all tasks, one after the other."""
        for name, task in tasks:
            yield attempt(name, work, task, partial(on_message, name))

    def close(self) -> None:
        """There is nothing to end."""


@contextmanager
def open_workers(count: int = 1, scheduler: str | None = None) -> Iterator[Workers]:
    """Workers for the length of a block: a cluster, or `count` processes; 1 is this process.

    Examples
    --------
    >>> with open_workers() as workers:
    ...     [ended] = workers.run(lambda task, say: task + 1, [("a", 1)])
    >>> ended
    Ended(name='a', result=2, failure=None)
    """
    workers: Workers
    if scheduler is not None:
        workers = Cluster(scheduler)
    else:
        workers = Processes(count) if count > 1 else Here()
    try:
        yield workers
    finally:
        workers.close()


def in_order(
    workers: Workers, work: Work[Task, Result], tasks: Iterable[Task]
) -> Iterator[Ended[Result]]:
    """Do all tasks; they are given in their own order, and wait for earlier ones in memory.

    Examples
    --------
    >>> [one.result for one in in_order(Here(), lambda task, say: -task, [1, 2, 3])]
    [-1, -2, -3]
    """
    named = ((str(number), task) for number, task in enumerate(tasks))
    waiting: dict[str, Ended[Result]] = {}
    following = 0
    for ended in workers.run(work, named):
        waiting[ended.name] = ended
        while str(following) in waiting:
            yield waiting.pop(str(following))
            following += 1
