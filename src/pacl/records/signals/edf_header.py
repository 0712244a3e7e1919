"""Headers of EDF, EDF+ and BDF files."""

import math
import re
from dataclasses import dataclass
from datetime import datetime, time

from pacl.records.errors import FormatError

HEAD_BYTES = 256
"""Bytes of the file's own header, and of that of each signal."""

_EDF, _BDF = b"0       ", b"\xffBIOSEMI"
_FIELDS = (16, 80, 8, 8, 8, 8, 8, 80, 8, 32)  # of a signal, each for all signals in turn
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")
_FULL_DATE = re.compile(r"Startdate +(\d{1,2})-([A-Z]{3})-(\d{4})\b", re.IGNORECASE)
_DATE = re.compile(r"(\d\d)[./:-](\d\d)[./:-](\d\d)")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_FIRST_YEAR = 85  # two digits below this are of the 21st century
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class EdfSignal:
    """One signal: its name, unit and scale, and how many samples each data record has of it."""

    name: str
    unit: str
    physical: tuple[float, float]
    digital: tuple[float, float]
    samples: int

    @property
    def is_annotations(self) -> bool:
        """Whether it is no signal but the annotations of EDF+."""
        return self.name in {"EDF Annotations", "BDF Annotations"}


@dataclass(frozen=True, slots=True)
class EdfHeader:
    """The header of a file; `records` is nothing where the recording was not closed properly."""

    bytes_per_sample: int
    has_times: bool
    has_gaps: bool
    records: int | None
    record_s: float
    signals: tuple[EdfSignal, ...]
    started: datetime | None

    @property
    def record_samples(self) -> int:
        """Samples of all signals in one data record."""
        return sum(signal.samples for signal in self.signals)

    @property
    def bytes(self) -> int:
        """Size of the header."""
        return HEAD_BYTES * (1 + len(self.signals))


def looks_like_edf(head: bytes) -> bool:
    """Whether a file that begins with these bytes is EDF, EDF+ or BDF.

    At least 256 bytes are needed. The first eight name the version; the size of the header must
    also fit the number of signals.
    """
    if len(head) < HEAD_BYTES or head[:8] not in (_EDF, _BDF):
        return False
    size, signals = head[184:192].strip(), head[252:256].strip()
    return size.isdigit() and signals.isdigit() and int(size) == HEAD_BYTES * (1 + int(signals))


def signals_in(head: bytes, source: str) -> int:
    """How many signals a file has, from its first 256 bytes."""
    if not looks_like_edf(head):
        raise FormatError(
            source,
            "no header of EDF, EDF+ or BDF, or one that is damaged",
            "fetch the file again, or export it as EDF+",
        )
    return int(head[252:256])


def parse_edf_header(content: bytes, source: str) -> EdfHeader:
    """Read a whole header."""
    count = signals_in(content[:HEAD_BYTES], source)
    if len(content) < HEAD_BYTES * (1 + count):
        raise FormatError(
            source,
            f"a header of {len(content):,} bytes, expected {HEAD_BYTES * (1 + count):,}",
            "fetch the file again, it is cut off",
        )
    text = content.decode("latin-1")
    kind = text[192:236].strip()
    records = _whole(text[236:244], "number of data records", source)
    record_s = _number(text[244:252], "duration of a data record", source)
    if records < -1 or not 0 <= record_s <= _DAY_S:
        raise _absurd(source, f"{records:,} data records of {record_s:g} s")
    columns, at = [], HEAD_BYTES
    for width in _FIELDS:
        columns.append([text[at + width * i : at + width * (i + 1)] for i in range(count)])
        at += width * count
    names, _, units, low, high, first, last, _, samples, _ = columns
    signals = tuple(
        EdfSignal(
            name=names[i].strip(" \0"),
            unit=units[i].strip(" \0"),
            physical=(_maybe(low[i]), _maybe(high[i])),
            digital=(_maybe(first[i]), _maybe(last[i])),
            samples=_positive(samples[i], names[i], source),
        )
        for i in range(count)
    )
    return EdfHeader(
        bytes_per_sample=3 if content.startswith(_BDF) else 2,
        has_times=kind.startswith(("EDF+", "BDF+")),
        has_gaps=kind.startswith(("EDF+D", "BDF+D")),
        records=None if records == -1 else records,
        record_s=record_s,
        signals=signals,
        started=_started(text[168:176], text[176:184], text[88:168]),
    )


def _started(date: str, clock: str, recording: str) -> datetime | None:
    """Start of a recording; the recording field of EDF+ has the whole year, or X for unknown."""
    if re.match(r"startdate\s+x\b", recording.strip(), re.IGNORECASE):
        return None
    day, hour = _DATE.fullmatch(date.strip()), _DATE.fullmatch(clock.strip())
    if day is None or hour is None:
        return None
    year = int(day[3]) + (1900 if int(day[3]) >= _FIRST_YEAR else 2000)
    month, number = int(day[2]), int(day[1])
    full = _FULL_DATE.match(recording)
    if full and full[2].upper() in _MONTHS:
        number, month, year = int(full[1]), _MONTHS.index(full[2].upper()) + 1, int(full[3])
    try:
        at = time(int(hour[1]), int(hour[2]), int(hour[3]))
        return datetime.combine(datetime(year, month, number), at)
    except ValueError:
        return None


def _number(field: str, what: str, source: str) -> float:
    found = _maybe(field)
    if not math.isfinite(found):
        raise _absurd(source, f"{field.strip()!r} as {what}")
    return found


def _whole(field: str, what: str, source: str) -> int:
    found = _number(field, what, source)
    if found != int(found):
        raise _absurd(source, f"{field.strip()!r} as {what}")
    return int(found)


def _positive(field: str, name: str, source: str) -> int:
    found = _whole(field, f"number of samples of {name.strip()!r}", source)
    if found < 0:
        raise _absurd(source, f"{found} samples of {name.strip()!r} in a data record")
    return found


def _maybe(field: str) -> float:
    """A number, or NaN: the scale of a signal that is not read may be anything."""
    text = field.strip(" \0").replace(",", ".")
    return float(text) if _NUMBER.fullmatch(text) else math.nan


def _absurd(source: str, what: str) -> FormatError:
    return FormatError(source, f"the header has {what}", "fetch the file again, it is damaged")
