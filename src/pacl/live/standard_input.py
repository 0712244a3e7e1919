"""Beats from a stream of bytes, such as standard input."""

import io
import os
from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from pacl.live.errors import LiveError
from pacl.live.lines import REORDERED_S, LineParser, LineSplitter
from pacl.live.pump import Pump, Put
from pacl.live.transport import Connected, Event

_PIECE = 65_536


@runtime_checkable
class ByteStream(Protocol):
    """What is needed of a stream."""

    def read(self, size: int, /) -> bytes:
        """So many bytes, or fewer at the end."""
        ...

    def fileno(self) -> int:
        """The number of its file, or an `OSError` without one."""
        ...


class StreamTransport:
    r"""Lines of a stream: one interval each, CSV, or newline JSON; ends where the stream ends.

    Examples
    --------
    >>> import io
    >>> [event.rr_ms for event in StreamTransport(io.BytesIO(b"812\n790\n")).events()
    ...  if hasattr(event, "rr_ms")]
    [(812.0,), (790.0,)]
    """

    reorders_s = REORDERED_S

    def __init__(self, stream: ByteStream, name: str = "standard input", unit: str = "ms") -> None:
        self.name = name
        self._stream = stream
        self._parser = LineParser(name, unit)
        self._pump = Pump(self._read, "pacl stream")

    def events(self) -> Iterator[Event]:
        """What the lines tell."""
        return self._pump.events()

    def close(self) -> None:
        """Read no more."""
        self._pump.close()

    def _read(self, put: Put) -> None:
        put(Connected(self.name))
        splitter = LineSplitter(self.name)
        try:
            while piece := self._piece():
                for line in splitter.push(piece):
                    for event in self._parser.push(line):
                        if not put(event):
                            return
        except OSError as error:
            raise LiveError(
                f"{self.name}: cannot be read ({error.strerror}); leave it open"
            ) from error
        for event in self._parser.push(splitter.rest()):
            put(event)

    def _piece(self) -> bytes:
        """Bytes as they come.

        A file is read by its number: a buffer that waits for input in a thread would be locked when
        the process ends.
        """
        try:
            number = self._stream.fileno()
        except (OSError, io.UnsupportedOperation):
            return self._stream.read(_PIECE)
        return os.read(number, _PIECE)
