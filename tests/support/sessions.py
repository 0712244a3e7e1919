"""Processes of one session: whether any is left after the first of them was killed."""

import os
import signal
import time


def wait_for_nobody(session: int, seconds: float = 30.0) -> None:
    """Workers end with whoever started them, also when that one was killed."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.killpg(session, signal.SIGKILL)
    raise AssertionError("workers outlived whoever started them")
