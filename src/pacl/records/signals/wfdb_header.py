"""Headers of WFDB records in full: signals with their files and gains, and segments."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pacl.records.errors import FormatError
from pacl.records.header import Header

NULL = "~"
"""The name of a segment, or of a file, that was not recorded."""

_RECORD = re.compile(r"(?P<name>[^\s/]+)(?:/(?P<segments>[0-9]{1,7}))?")
_STORED = re.compile(
    r"(?P<format>[0-9]{1,4})(?:x(?P<frame>[0-9]{1,7}))?(?::(?P<skew>[0-9]{1,12}))?"
    r"(?:\+(?P<offset>[0-9]{1,12}))?"
)
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
_GAIN = re.compile(
    rf"(?P<gain>{_NUMBER})?(?:\((?P<baseline>-?[0-9]{{1,12}})\))?(?:/(?P<units>\S+))?"
)
_WHOLE = re.compile(r"[-+]?[0-9]{1,12}")
_DEFAULT_GAIN = 200.0
_MOST_SAMPLES_A_FRAME = 100_000
_MOST_SIGNALS = 2_000


@dataclass(frozen=True, slots=True)
class SignalLine:
    """One signal: where its samples are, and what they mean.

    The physical value is `(number - baseline) / gain`, in `units`. `skew` is how many frames the
    signal comes too late in its file.
    """

    file: str
    format: str
    samples_per_frame: int
    skew: int
    byte_offset: int
    gain: float
    baseline: int
    units: str
    resolution: int
    adc_zero: int
    initial: int
    checksum: int
    name: str


@dataclass(frozen=True, slots=True)
class SegmentLine:
    """A part of a record: its header's name without ending, or `~`, and its frames."""

    name: str
    samples: int


@dataclass(frozen=True, slots=True)
class WfdbHeader:
    """A header: of one record with its signals, or of one that has segments.

    `samples` are frames, and nothing where the header leaves that to the signal files.
    """

    fs_hz: float
    samples: int | None
    started: datetime | None
    signals: tuple[SignalLine, ...] = ()
    segments: tuple[SegmentLine, ...] = ()

    @property
    def is_variable(self) -> bool:
        """Whether the first segment only lists the signals, and others may have fewer."""
        return bool(self.segments) and self.segments[0].samples == 0


def parse_wfdb_header(content: bytes, source: str) -> WfdbHeader:
    """Read a whole `.hea` file."""
    lines = _lines(content)
    base = Header.parse(content, source)
    words = lines[0].split()
    record = _RECORD.fullmatch(words[0])
    if record is None or not re.fullmatch(r"[0-9]{1,5}", words[1]):
        raise _damaged(source, f"the record line reads {lines[0][:60]!r}")
    if base.fs_hz is None:
        raise FormatError(
            source, "no sampling frequency", "write it in Hz behind the number of signals"
        )
    samples = _count(words[3], source) if len(words) > 3 else 0
    if int(words[1]) > _MOST_SIGNALS:
        raise _damaged(source, f"{int(words[1]):,} signals, expected at most {_MOST_SIGNALS:,}")
    count = int(record["segments"] or words[1])
    body = lines[1 : 1 + count]
    if len(body) < count:
        what = "segments" if record["segments"] else "signals"
        raise _damaged(source, f"it promises {count:,} {what} and lists {len(body):,}")
    if record["segments"]:
        segments = tuple(_segment(line, source) for line in body)
        return WfdbHeader(base.fs_hz, samples or None, base.started, (), segments)
    signals = tuple(_signal(line, at, source) for at, line in enumerate(body, 1))
    return WfdbHeader(base.fs_hz, samples or None, base.started, signals)


def _lines(content: bytes) -> list[str]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    lines = (line.strip() for line in re.split(r"[\r\n]+", text))
    return [line for line in lines if line and not line.startswith("#")]


def _segment(line: str, source: str) -> SegmentLine:
    words = line.split()
    if len(words) < 2:
        raise _damaged(source, f"a segment reads {line[:60]!r}")
    return SegmentLine(words[0], _count(words[1], source))


def _signal(line: str, number: int, source: str) -> SignalLine:
    """Read `file format[xframe][:skew][+offset] gain[(baseline)][/units] res zero ... name`.

    Fields may be left out from the right; a name may follow the last that is there.
    """
    words = line.split(None, 2)
    stored = _STORED.fullmatch(words[1]) if len(words) > 1 else None
    if stored is None:
        raise _damaged(source, f"signal {number} reads {line[:60]!r}")
    rest = words[2] if len(words) > 2 else ""
    gain, baseline, units = _DEFAULT_GAIN, None, "mV"
    first, _, others = rest.partition(" ")
    if first and (found := _GAIN.fullmatch(first)):
        gain = float(found["gain"] or 0) or _DEFAULT_GAIN  # 0 is a gain that is not known
        baseline = int(found["baseline"]) if found["baseline"] else None
        units = found["units"] or "mV"
        rest = others
    if not math.isfinite(gain) or not 1e-12 < abs(gain) < 1e15:
        raise _damaged(source, f"signal {number} has a gain of {gain:g}")
    whole, name = _whole_numbers(rest.split(), 5)
    resolution, adc_zero, initial, checksum, _ = whole
    frame = int(stored["frame"] or 1)
    if not 1 <= frame <= _MOST_SAMPLES_A_FRAME:
        raise _damaged(source, f"signal {number} has {frame:,} samples a frame")
    return SignalLine(
        file=words[0],
        format=stored["format"],
        samples_per_frame=frame,
        skew=int(stored["skew"] or 0),
        byte_offset=int(stored["offset"] or 0),
        gain=gain,
        baseline=adc_zero if baseline is None else baseline,
        units=units,
        resolution=resolution,
        adc_zero=adc_zero,
        initial=initial,
        checksum=checksum,
        name=name or f"signal {number}",
    )


def _whole_numbers(words: Sequence[str], most: int) -> tuple[list[int], str]:
    """Leading whole numbers, with 0 for those that are left out, and the words behind them."""
    found: list[int] = []
    for word in words[:most]:
        if not _WHOLE.fullmatch(word):
            break
        found.append(int(word))
    return found + [0] * (most - len(found)), " ".join(words[len(found) :])


def _count(word: str, source: str) -> int:
    if not re.fullmatch(r"[0-9]{1,15}", word):
        raise _damaged(source, f"{word[:30]!r} where a number of samples is expected")
    return int(word)


def _damaged(source: str, what: str) -> FormatError:
    return FormatError(source, what, "fetch the header again, or repair the line")
