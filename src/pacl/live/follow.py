"""A file that is being written, as `tail -f` reads it."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from pacl.file_bytes import FileError, open_file
from pacl.live.lines import REORDERED_S, LineParser, LineSplitter
from pacl.live.transport import TICK_S, Connected, Event, LeftOut, Noted, Waiting

_PIECE = 65_536


class FollowTransport:
    """Lines of a file from its beginning, then those that are added.

    Only whole lines count: a half-written one waits for its end. If the file becomes shorter, or
    another takes its name, that is read from its beginning.

    Parameters
    ----------
    path
        A file of one interval per line, CSV or newline JSON.
    unit
        Unit of intervals without one.
    until_idle_s
        End when nothing was added for so long; None follows it without end.
    now, sleep
        The clock, for tests.
    """

    reorders_s = REORDERED_S

    def __init__(
        self,
        path: Path,
        unit: str = "ms",
        *,
        until_idle_s: float | None = None,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = str(path)
        self._path, self._until_idle_s = path, until_idle_s
        self._now, self._sleep = now, sleep
        self._parser = LineParser(path.name, unit)
        self._splitter = LineSplitter(path.name)
        self._closed = self._reading = False
        self._file: BinaryIO = open_file(path)

    def events(self) -> Iterator[Event]:
        """What the lines tell."""
        self._reading = True
        try:
            yield Connected(self.name)
            came_s = self._now()
            while not self._closed:
                if piece := os.read(self._file.fileno(), _PIECE):  # a buffer would hold old bytes
                    came_s = self._now()
                    for line in self._splitter.push(piece):
                        yield from self._parser.push(line)
                    continue
                if (renewed := self._renewed()) is not None:
                    yield from self._left_over()
                    yield Noted(f"{self._path.name}: {renewed}; it is read from its beginning")
                    continue
                if self._until_idle_s is not None and self._now() - came_s >= self._until_idle_s:
                    yield from self._left_over()
                    return
                self._sleep(TICK_S)
                yield Waiting()
        finally:
            self._file.close()

    def close(self) -> None:
        """Read no more."""
        self._closed = True
        if not self._reading:
            self._file.close()

    def _left_over(self) -> Iterator[Event]:
        """A line without an end may be half of a number."""
        if self._splitter.rest():
            yield LeftOut(f"{self._path.name}: the last line has no end")

    def _renewed(self) -> str | None:
        """Begin anew where the file was cut short or replaced, and say what happened."""
        mine = os.fstat(self._file.fileno())
        place = os.lseek(self._file.fileno(), 0, os.SEEK_CUR)
        if mine.st_size < place:
            os.lseek(self._file.fileno(), 0, os.SEEK_SET)
            self._restart()
            return "the file became shorter"
        try:
            there = os.stat(self._path)  # noqa: PTH116 - as the other
            if (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino):
                return None
            if os.fstat(self._file.fileno()).st_size > place:
                return None  # the last lines of the old file come first
            newer = open_file(self._path)
        except (OSError, FileError):  # between two files there may be none for a moment
            return None
        self._file.close()
        self._file = newer
        self._restart()
        return "another file has its name now"

    def _restart(self) -> None:
        self._parser.restart()
        self._splitter.restart()
