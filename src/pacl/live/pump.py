"""Events that another thread produces, read without ever waiting long."""

import queue
import threading
from collections.abc import Callable, Iterator

from pacl.live.transport import TICK_S, Event, Waiting

MOST_WAITING = 10_000
"""Events that wait to be read; then the thread waits too."""

Put = Callable[[Event], bool]
"""Hands over an event; False when nobody listens any more."""


class Pump:
    """Runs a function in a thread, and gives what it puts.

    What the function raises is raised where the events are read. The thread ends with the process:
    one that waits for standard input cannot be asked to stop.
    """

    def __init__(self, produce: Callable[[Put], None], name: str) -> None:
        self._produce = produce
        self._events: queue.Queue[Event | BaseException | None] = queue.Queue(MOST_WAITING)
        self.closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def events(self) -> Iterator[Event]:
        """Events until the function returns, or this is closed."""
        self._thread.start()
        while not self.closed.is_set():
            try:
                found = self._events.get(timeout=TICK_S)
            except queue.Empty:
                yield Waiting()
                continue
            if found is None:
                return
            if isinstance(found, BaseException):
                raise found
            yield found

    def close(self, wait_s: float = 0.0) -> None:
        """Stop reading; wait a moment for the thread to end."""
        self.closed.set()
        if self._thread.is_alive() and wait_s:
            self._thread.join(wait_s)

    def _run(self) -> None:
        try:
            self._produce(self._put)
            self._put(None)
        except BaseException as error:
            self._put(error)

    def _put(self, event: Event | BaseException | None) -> bool:
        while not self.closed.is_set():
            try:
                self._events.put(event, timeout=TICK_S)
                return True
            except queue.Full:
                continue
        return False
