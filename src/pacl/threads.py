"""Work in threads that a signal can stop at any moment without a deadlock."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

from pacl.interrupts import uninterrupted

Item = TypeVar("Item")
Result = TypeVar("Result")


class Threads:
    """A few threads for the length of a block; at its end they have ended, too.

    Signals act between results. One that comes earlier waits for the result under way, as the end
    of the block would.

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with uninterrupted():
            self._pool.shutdown(cancel_futures=True)  # no need to wait for the rest

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """What comes of each item, in order; no more than a few items ahead of who takes them."""
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
