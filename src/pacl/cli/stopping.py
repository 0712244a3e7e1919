"""Signals that end a command, also those that come while Python drops what they raise."""

import signal
import sys
from threading import Timer, main_thread
from types import FrameType

AGAIN_AFTER_S = 0.05


def heed_signals() -> None:
    """Let SIGTERM end the command as Ctrl-C does: what is unfinished is cleared away.

    What a handler raises while an object is being freed goes no further: Python hands it to
    `sys.unraisablehook` and goes on. From there the signal is sent once more, a moment later.
    """
    signal.signal(signal.SIGTERM, _stop)
    sys.unraisablehook = _once_more


def _stop(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _once_more(dropped: "sys.UnraisableHookArgs") -> None:
    if not issubclass(dropped.exc_type, KeyboardInterrupt | SystemExit):
        sys.__unraisablehook__(dropped)
        return
    number = signal.SIGINT if issubclass(dropped.exc_type, KeyboardInterrupt) else signal.SIGTERM
    again = Timer(AGAIN_AFTER_S, signal.pthread_kill, (main_thread().ident, number))
    again.daemon = True
    again.start()
