"""Ctrl-C and SIGTERM are delayed while a step must not be interrupted.

Python runs the handler of a signal between any two steps of the main thread. What it raises there
may skip the step that releases a lock: threads that wait for the lock then wait forever.
"""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

STOPPING = (signal.SIGINT, signal.SIGTERM)


class uninterrupted:  # noqa: N801 - used as a function
    """Delay Ctrl-C and SIGTERM until the end of a block.

    Only handlers written in Python are delayed, and only in the main thread, where Python runs
    them. Blocks may be nested.

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

    def __exit__(self, *error: object) -> None:
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
