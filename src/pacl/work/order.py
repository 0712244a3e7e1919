"""Results in the order of their tasks, whichever ends first."""

from collections.abc import Iterable, Iterator

from pacl.work.tasks import Ended, Result, Task, Work, Workers


def in_order(
    workers: Workers, work: Work[Task, Result], tasks: Iterable[Task]
) -> Iterator[Ended[Result]]:
    """Do all tasks; they are given in their own order, and wait for earlier ones in memory.

    Examples
    --------
    >>> from pacl.work import Here
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
