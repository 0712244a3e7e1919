"""Ctrl-C and SIGTERM held back while something must not be left half done.

Python runs the handler of a signal between any two steps of the main thread. What it raises there
may skip the step that gives a lock back: threads that wait for the lock then never go on.
"""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

STOPPING = (signal.SIGINT, signal.SIGTERM)


class uninterrupted:  # noqa: N801 - used as a function
    """Hold Ctrl-C and SIGTERM back for the length of a block; then they act.

    Only handlers written in Python are held back, which needs nothing of the system; and only in
    the main thread, since Python runs them nowhere else. Blocks may be nested.

    Examples
    --------
    >>> with uninterrupted():
    ...     pass  # start a thread, remove a folder
    """

    def __enter__(self) -> None:
        self._holds = False  # until all is in place, a signal acts at once
        self._came: list[int] = []
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}
        if threading.current_thread() is not threading.main_thread():
            return
        try:
            for number in STOPPING:
                before = signal.getsignal(number)
                if callable(before):
                    self._before[number] = before
                    signal.signal(number, self._take)
            self._holds = True
        except BaseException:
            self._put_back()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._holds = False
        self._put_back()
        for number in self._came:
            self._before[number](number, None)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self._holds:
            self._came.append(number)
        else:
            self._before[number](number, frame)

    def _put_back(self) -> None:
        for number, before in self._before.items():
            if signal.getsignal(number) == self._take:
                signal.signal(number, before)
