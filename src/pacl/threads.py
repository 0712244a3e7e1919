"""Work in threads that a signal can stop at any moment without a deadlock."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from pacl.interrupts import uninterrupted

Item = TypeVar("Item")
Result = TypeVar("Result")


class Threads:
    """A few threads for the length of a block; they end with it.

    Signals act between results, never while a result is awaited.

    Examples
    --------
    >>> with Threads(2) as threads:
    ...     list(threads.map(abs, [-1, -2, 3]))
    [1, 2, 3]
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = ThreadPoolExecutor(max_workers=count)

    def __enter__(self) -> "Threads":
        return self

    def __exit__(self, *error: object) -> None:
        with uninterrupted():
            self._pool.shutdown(cancel_futures=True)  # no need to wait for the rest

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of the items; only a few are computed ahead."""
        waiting: deque[Future[Result]] = deque()
        for item in items:
            with uninterrupted():
                waiting.append(self._pool.submit(work, item))
            if len(waiting) > self._count:
                yield _next(waiting)
        while waiting:
            yield _next(waiting)


def _next(waiting: "deque[Future[Result]]") -> Result:
    with uninterrupted():
        return waiting.popleft().result()
