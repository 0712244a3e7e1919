"""Ctrl-C and SIGTERM as a wish to end, which is looked at between two packets."""

import signal
import threading
import time
from types import FrameType

from pacl.interrupts import STOPPING


class Ending:
    """Whether to end: after a signal, or after some time.

    The first signal only asks: the file is closed and the summary printed. A second one acts as it
    does in other commands, should something hang.
    """

    def __init__(self, minutes: float | None = None) -> None:
        self._most_s = None if minutes is None else 60 * minutes
        self._began_s = time.monotonic()
        self._before: dict[int, object] = {}
        self.asked = False

    def __enter__(self) -> "Ending":
        if threading.current_thread() is threading.main_thread():
            for number in STOPPING:
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *error: object) -> None:
        self._put_back()

    def due(self, passed_s: float) -> bool:
        """Whether to end now; `passed_s` is the time that the beats took."""
        elapsed_s = max(passed_s, time.monotonic() - self._began_s)
        return self.asked or (self._most_s is not None and elapsed_s >= self._most_s)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        self._put_back()

    def _put_back(self) -> None:
        while self._before:
            number, before = self._before.popitem()
            signal.signal(number, before)  # type: ignore[arg-type] # what was there
