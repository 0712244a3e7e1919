"""Headers of WFDB records: the sampling frequency and the start of the recording."""

import re
from dataclasses import dataclass
from datetime import datetime

from pacl.records.errors import FormatError

MAX_HEADER_BYTES = 1024**2
"""A header is a line for each signal or segment."""


def segment_names(content: bytes) -> list[str]:
    """Names of the segments that a multi-segment header lists; none for any other header."""
    lines = _lines(content)
    if not lines or "/" not in lines[0].split()[0]:
        return []
    return [line.split()[0] for line in lines[1:] if not line.startswith("~")]


def _lines(content: bytes) -> list[str]:
    lines = (line.strip() for line in content.decode("latin-1").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a `.hea` file: `name signals fs[/...] samples time date`."""

    fs_hz: float | None = None
    started: datetime | None = None

    @classmethod
    def parse(cls, content: bytes, source: str) -> "Header":
        """Read the record line, the first that is no comment."""
        words = next((line.split() for line in _lines(content)), [])
        if len(words) < 2:
            raise FormatError(source, "no record line", "write 'name 0 FREQUENCY' into it")
        if len(words) < 3:
            return cls()
        frequency = re.match(r"[\d.eE+-]+", words[2])
        try:
            fs_hz = float(frequency.group()) if frequency else 0.0
        except ValueError:
            fs_hz = 0.0
        if not 1 <= fs_hz <= 1e6:
            raise FormatError(
                source, f"sampling frequency {words[2]!r}", "write it in Hz, such as 250"
            )
        try:
            started = datetime.strptime(" ".join(words[4:6])[:26], "%H:%M:%S %d/%m/%Y")
        except ValueError:
            started = None
        return cls(fs_hz, started)
