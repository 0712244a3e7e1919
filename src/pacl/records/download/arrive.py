"""The bytes of an answer as they arrive; it is given up where they arrive too slowly."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

ANSWER_S = 120.0
"""Time in which a server must start to answer."""

STALL_S = 60.0
STALL_BYTES = 64 * 1024
"""Bytes that must arrive in each `STALL_S`: about 1 kB a second, a very slow connection."""

Answer = tuple[Any, BaseException | None]


class TryAgain(Exception):  # noqa: N818 - a signal, not an error
    """The connection failed in a way that may pass."""


def within(seconds: float, ask: Callable[[], Any]) -> Any:
    """What `ask` returns or raises; `TryAgain` where it has done neither in time.

    A time-out of the socket does not help if headers arrive byte by byte: each byte restarts it.
    The thread that waits for the rest ends with the process.
    """
    answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
    given_up = threading.Event()

    def run() -> None:
        try:
            answers.put((ask(), None))
        except BaseException as error:
            answers.put((None, error))
        if given_up.is_set():
            _close(answers)

    threading.Thread(target=run, daemon=True).start()
    try:
        answer, error = answers.get(timeout=seconds)
    except queue.Empty:
        given_up.set()
        _close(answers)
        raise TryAgain(f"no answer within {seconds:g} s") from None
    if error is not None:
        raise error
    return answer


def _close(answers: "queue.SimpleQueue[Answer]") -> None:
    """Close an answer that came too late: nobody else will."""
    with suppress(queue.Empty):
        late, _ = answers.get_nowait()
        if hasattr(late, "close"):
            late.close()


def arriving(response: Any, chunk_bytes: int) -> Iterator[bytes]:
    """Bytes of a response in chunks; what has arrived before a failure comes before it."""
    from urllib3.exceptions import HTTPError

    chunk = bytearray()
    since, recent = time.monotonic(), 0
    failure: str | None = None
    while failure is None:
        try:
            part = response.raw.read1(chunk_bytes - len(chunk))
        except HTTPError as error:
            failure = str(error)
            break
        if not part:
            break
        chunk += part
        recent += len(part)
        now = time.monotonic()
        if now - since >= STALL_S:
            if recent < STALL_BYTES:
                failure = f"only {recent:,} bytes arrived in {now - since:.0f} s"
            since, recent = now, 0
        if len(chunk) >= chunk_bytes:
            yield bytes(chunk)
            chunk.clear()
    if chunk:
        yield bytes(chunk)
    if failure is not None:
        raise TryAgain(failure)
