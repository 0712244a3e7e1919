"""Lines of text that arrive piece by piece: numbers, CSV or newline JSON."""

from collections.abc import Callable, Iterator, Sequence

from pacl.live.beginning import HEAD_BYTES, FirstIntervals, check_text
from pacl.live.errors import LiveError
from pacl.live.ndjson import check_interval, parse_message, seconds_of
from pacl.live.transport import Event, LeftOut, Noted, Packet
from pacl.printable import printable
from pacl.records import FormatError, RecordError
from pacl.records.text import MAX_LINE_CHARS, MS_PER, name_and_unit, names_rr

MOST_BAD = 100
"""So many bad lines are left out in a row; one more, and the source is something else."""
REORDERED_S = 2.0
"""Lines that state a time may come this much too late."""
SHOWN_CHARS = 40
_BOM = b"\xef\xbb\xbf"
_COMMENT = "#"
_TIMES = {"time", "timestamp", "phonetimestamp", "t"}
_FALSE = {"0", "0.0", "false", "f", "no", "n"}
_FLAGS = {"valid", "isvalid", "contact"}


class LineSplitter:
    """Cuts bytes into whole lines; one that is too long is an error before it fills memory.

    The first bytes show whether it is text at all.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._rest = bytearray()
        self._head = bytearray()

    def restart(self) -> None:
        """Bytes of another file follow."""
        self._head.clear()
        self._rest.clear()

    def push(self, piece: bytes) -> list[bytes]:
        """Take some bytes; return the lines that are whole now."""
        if len(self._head) < HEAD_BYTES:
            self._head += piece[: HEAD_BYTES - len(self._head)]
            check_text(bytes(self._head), self._where)
        *lines, rest = (bytes(self._rest) + piece).split(b"\n")
        self._rest = bytearray(rest)
        if max(map(len, (*lines, rest))) > MAX_LINE_CHARS:
            raise LiveError(
                f"{self._where}: a line of more than {MAX_LINE_CHARS:,} bytes; write one packet "
                "or one interval per line"
            )
        return lines

    def rest(self) -> bytes:
        """What came after the last whole line."""
        found = bytes(self._rest)
        self._rest.clear()
        return found


class LineParser:
    """Turns lines into packets; the first filled line shows what the others are.

    A number: one interval per line. An object: newline JSON. Anything else is a header, and names
    the columns: intervals, and a time and a flag where there are some. A bad line is left out and
    counted; too many in a row are an error.

    Parameters
    ----------
    where
        The source, for messages.
    unit
        Unit of intervals whose column or name states none: `"ms"` or `"s"`.
    """

    def __init__(self, where: str, unit: str = "ms") -> None:
        self._where, self._ms_per = where, MS_PER[unit]
        self._parse: Callable[[str, str], Packet] | None = None
        self._number = self._bad = 0
        self._first = FirstIntervals(where)

    def restart(self) -> None:
        """Lines of another file follow."""
        self._parse, self._number = None, 0
        self._first = FirstIntervals(self._where)

    def push(self, line: bytes) -> Iterator[Event]:
        """What a line tells: nothing, a packet, or that it was left out."""
        self._number += 1
        text = line.removeprefix(_BOM).decode("utf-8", errors="backslashreplace").strip()
        if not text or text.startswith(_COMMENT):
            return
        where = f"{self._where}, line {self._number}"
        if self._parse is None:
            self._parse, is_header = self._recognised(text)
            if is_header:
                yield Noted(f"{where}: {printable(text[:SHOWN_CHARS])!r} treated as a header")
                return
        try:
            packet = self._parse(text, where)
        except RecordError as error:
            self._bad += 1
            if self._bad > MOST_BAD:
                raise LiveError(
                    f"{error}; so were the {MOST_BAD} lines before it: give one interval per "
                    "line, CSV with a header, or newline JSON"
                ) from error
            yield LeftOut(str(error))
            return
        self._bad = 0
        self._first.check(packet.rr_ms)
        yield packet

    def _recognised(self, text: str) -> tuple[Callable[[str, str], Packet], bool]:
        """How lines are parsed, and whether this one is a header."""
        if text.startswith("{"):
            return self._message, False
        if _number(text) is not None:
            return self._interval, False
        delimiter = next((one for one in "\t;," if one in text), None)
        if delimiter is None:
            return self._interval, True
        columns = _Columns(text.split(delimiter), self._where)
        ms_per = MS_PER[columns.unit] if columns.unit else self._ms_per
        return lambda row, where: columns.packet(row.split(delimiter), where, ms_per), True

    def _message(self, text: str, where: str) -> Packet:
        return parse_message(text.encode(), where, self._ms_per)

    def _interval(self, text: str, where: str) -> Packet:
        return Packet((check_interval(_interval(text, where) * self._ms_per, where),))


class _Columns:
    """Where in a row the interval, its time and its flags are."""

    def __init__(self, titles: Sequence[str], where: str) -> None:
        named = [name_and_unit(title) for title in titles]
        names = [name for name, _ in named]
        found = [at for at, title in enumerate(titles) if names_rr([title])]
        if len(found) != 1:
            raise LiveError(
                f"{where}: {len(found)} columns named like RR intervals among "
                f"{', '.join(map(repr, names))[:200]}; name one of them rr_ms"
            )
        self._rr, self._width = found[0], len(names)
        self.unit = named[self._rr][1]
        self._time = next((at for at, name in enumerate(names) if name in _TIMES), None)
        time_unit = named[self._time][1] if self._time is not None else ""
        self._time_scale = MS_PER[time_unit or "s"] / 1000
        self._flags = [at for at, name in enumerate(names) if name in _FLAGS]

    def packet(self, cells: Sequence[str], where: str, ms_per: float) -> Packet:
        if len(cells) != self._width:
            raise FormatError(
                where, f"{len(cells)} columns, expected {self._width}", "write whole lines"
            )
        rr_ms = check_interval(_interval(cells[self._rr].strip(), where) * ms_per, where)
        stated_s = at_s = None
        if self._time is not None:
            stated_s = seconds_of(cells[self._time].strip(), where) * self._time_scale
            at_s = stated_s + rr_ms / 1000
        usable = all(cells[at].strip().lower() not in _FALSE for at in self._flags)
        return Packet((rr_ms,), at_s, usable=usable, stated_s=stated_s)


def _interval(text: str, where: str) -> float:
    found = _number(text)
    if found is None:
        shown = printable(text[:SHOWN_CHARS])
        raise FormatError(where, f"{shown!r} is not an interval", "give one interval per line")
    return found


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)  # Python reads 8_00 as 800
    except ValueError:
        return None
