"""The file of a live session: beats are on disk within a second, whatever happens then.

```
# pacl listen 1
# started 2026-04-01T21:30:00.000+02:00, Polar H10 1234
time,rr_ms,valid
2026-04-01T21:30:00.000+02:00,812.5,1
2026-04-01T21:30:00.813+02:00,4120,0          time without beats
2026-04-01T21:30:04.933+02:00,790.0390625,1
```

Each row is an interval and when it began. It is a CSV file that all commands read.
"""

import shutil
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path

from pacl.live.continuity import Beat
from pacl.live.errors import LiveError
from pacl.live.journal_file import JournalFile
from pacl.printable import printable

SYNC_S = 1.0
"""Rows wait at most this long."""
LEAST_FREE = 8 * 2**20
"""Bytes that must be free on the disk at the start: a night takes about 3 million."""
MOST_WAITING = 64 * 2**20
"""Bytes of rows that are kept while the disk is full."""
MARK = "# pacl listen 1\n"
CLOCKED, UNCLOCKED = "time,rr_ms,valid\n", "time_s,rr_ms,valid\n"


class Journal:
    """Writes beats to a file, which is checked or made at once.

    A file of an earlier session is continued if it has a clock. If the disk is full, rows wait and
    are tried again every second; `problem` tells it.

    Parameters
    ----------
    path
        The file to write.
    now
        The clock, for tests.
    """

    def __init__(self, path: Path, *, now: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.problem: str | None = None
        self._now = now
        self._started: datetime | None = None
        self._begun = False
        self._waiting = bytearray()
        self._synced_s = now()
        self._check_space()
        self._file = JournalFile(path, MARK, (CLOCKED, UNCLOCKED))

    def begin(self, started: datetime | None, source: str) -> None:
        """State when the first beat began, or None without a clock, and where beats come from."""
        earlier = self._file.columns
        if earlier is not None and (started is None or earlier == UNCLOCKED):
            raise LiveError(
                f"{self.path}: a session without a clock cannot be put together with another; "
                "name another file"
            )
        last = self._file.last_time
        if started is not None and last is not None and started < last:
            raise LiveError(
                f"{self.path}: ends at {last.isoformat(' ')}, after this session began at "
                f"{started.isoformat(' ', 'seconds')}; check the clock, or name another file"
            )
        self._started, self._begun = started, True
        when = "" if started is None else f"started {started.isoformat(timespec='milliseconds')}, "
        self._waiting += f"# {when}{printable(source)}\n".encode()
        if earlier is None:
            self._waiting += (UNCLOCKED if started is None else CLOCKED).encode()

    def append(self, beats: Iterable[Beat]) -> None:
        """Add beats; they are on disk a second later at most, if `tick` is called meanwhile."""
        beats = tuple(beats)
        if beats and not self._begun:
            raise LiveError(f"{self.path}: the session has not begun; nothing is written to it")
        for one in beats:
            row = f"{self._time(one.start_s)},{one.rr_ms:.10g},{one.valid:d}\n"
            self._waiting += row.encode()
        if len(self._waiting) > MOST_WAITING:
            raise LiveError(f"{self.path}: {self.problem or 'too slow'}; {self._unwritten()}")
        self.tick()

    def tick(self) -> None:
        """Write what waits, if a second has passed."""
        if self._waiting and self._now() - self._synced_s >= SYNC_S:
            self._sync()

    def close(self) -> None:
        """Write all and close the file; a new file without any beat is removed."""
        if self._waiting:
            self._sync()
        self._file.close(keep=self._begun)
        if self._waiting:
            raise LiveError(f"{self.path}: {self.problem}; {self._unwritten()}")

    def _sync(self) -> None:
        self._synced_s = self._now()
        try:
            self._file.write(bytes(self._waiting))
        except OSError as error:
            self.problem = f"cannot be written ({error.strerror or error})"
            return
        self.problem = None
        self._waiting.clear()

    def _unwritten(self) -> str:
        lines = self._waiting.count(b"\n")
        return f"its last {lines} lines are not written; free some space on the disk"

    def _time(self, start_s: float) -> str:
        if self._started is None:
            return f"{start_s:.3f}"
        return (self._started + timedelta(seconds=start_s)).isoformat(timespec="milliseconds")

    def _check_space(self) -> None:
        folder = self.path.absolute().parent
        if not folder.is_dir():
            raise LiveError(f"{self.path}: there is no folder {folder}; make it, or name another")
        free = shutil.disk_usage(folder).free
        if free < LEAST_FREE:
            raise LiveError(
                f"{self.path}: only {free:,} bytes are free on this disk, expected at least "
                f"{LEAST_FREE:,}; free some space, or name a file on another disk"
            )
