"""Signals that end a command, also those that come while Python drops what they raise."""

import _thread
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer, main_thread
from types import FrameType

from pacl.interrupts import uninterrupted

AGAIN_AFTER_S = 0.05


@contextmanager
def heed_signals() -> Iterator[None]:
    """Let SIGTERM end the command as Ctrl-C does: what is unfinished is cleared away.

    What a handler raises while an object is being freed goes no further: Python hands it to
    `sys.unraisablehook` and goes on. From there the signal is sent once more, a moment later.
    Once the command is over, SIGTERM ends the process at once, as before.
    """
    before, hook = signal.signal(signal.SIGTERM, _stop), sys.unraisablehook
    sys.unraisablehook = _once_more
    try:
        yield
    finally:
        sys.unraisablehook = hook
        signal.signal(signal.SIGTERM, before)


def _stop(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _once_more(dropped: "sys.UnraisableHookArgs") -> None:
    if not issubclass(dropped.exc_type, KeyboardInterrupt | SystemExit):
        sys.__unraisablehook__(dropped)
        return
    number = signal.SIGINT if issubclass(dropped.exc_type, KeyboardInterrupt) else signal.SIGTERM
    again = Timer(AGAIN_AFTER_S, _send, (number,))
    again.daemon = True
    with uninterrupted():
        again.start()


def _send(number: signal.Signals) -> None:
    """Have the main thread heed a signal, also if it waits for something."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, number)
    else:
        _thread.interrupt_main(number)
