"""The head of an ECG in text: settings, names of columns, and how numbers are written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pacl.records.content import HEAD_BYTES
from pacl.records.errors import FormatError
from pacl.records.signals.units import millivolts_per

_BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_HERTZ = r"(?:hz|hertz|hercios?|hertzi|herců|herców|герц|赫兹|赫茲|ヘルツ|헤르츠)"
_RATES = (
    re.compile(
        rf"[:=,;\t(][\s\"]{{0,8}}([0-9]{{1,6}}(?:[.,][0-9]{{1,9}})?)\s{{0,4}}{_HERTZ}",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:sampl[a-z]{0,9}[ _-]{0,3}(?:rate|freq[a-z]{0,9})|abtastrate|messrate|\bfs)\b[\"']?"
        r"\s{0,4}(?:[\[(_]?hz[\])]?)?\s{0,4}[:=,;\t][\s\"'\[]{0,8}([0-9]{1,6}(?:[.,][0-9]{1,9})?)",
        re.IGNORECASE,
    ),
)
_DATE = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.\d+)?\s*([+-]\d\d:?\d\d|Z)?")
_RESULT = re.compile(r"\s*\"?[ck]las{1,2}[iy]f", re.IGNORECASE)
_LEAD = re.compile(r"\s*\"?(lead|ableitung|deriva|dériva|afleiding|avledning)", re.IGNORECASE)
_NUMBER = r"[-+]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][-+]?[0-9]+)?"
_CELL = re.compile(
    rf"{_NUMBER}|nan|na|null|-?|[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]?[0-9:.,]*\s*(Z|[-+][0-9:]+)?"
    r"|[0-9]{1,3}:[0-9]{2}(:[0-9]{2})?([.,][0-9]+)?",
    re.IGNORECASE,
)
_UNIT_CELL = re.compile(r"[\[(]?\s*([munµμ]?V|s|ms|us|ns|hh:mm:ss\S*|#|)\s*[\])]?", re.IGNORECASE)
_IN_NAME = re.compile(r"[\[(_\s/,]\s*([^\s\[\](_/,]+)\s*[\])]?\s*$")
_SAMPLE_ROWS = 50
_MOST_COLUMNS = 1_000
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class EcgHead:
    """What the first lines of a file show.

    Parameters
    ----------
    names, units
        Of each column; empty where the file does not say.
    skipped
        Lines before the first row of numbers.
    delimiter
        What separates columns; nothing for blanks.
    rows
        Some rows, as cells.
    rates_hz
        Sampling rates that the head states; two that differ leave it open.
    started, lead, classification
        Settings, as Apple's ECG export has them.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    skipped: int
    delimiter: str | None
    decimal_comma: bool
    rows: tuple[tuple[str, ...], ...]
    rates_hz: tuple[float, ...] = ()
    started: datetime | None = None
    lead: str = ""
    classification: str = ""

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.rows[0])


def encoding_of(content: bytes) -> str:
    """UTF-8, or UTF-16 by its byte order mark, or Latin-1."""
    for bom, encoding in _BOMS.items():
        if content.startswith(bom):
            return "utf-8-sig" if encoding == "utf-8" else encoding
    try:
        content[: max(0, len(content) - 3)].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return "latin-1"
    return "utf-8"


def read_ecg_head(content: bytes, source: str) -> EcgHead:
    """Read the first `HEAD_BYTES` of a file, or all of it."""
    text = content.decode(encoding_of(content), errors="replace").removeprefix("\ufeff")
    if "\0" in text:
        raise FormatError(source, "binary content (NUL bytes), expected text", "export it as text")
    lines = re.split(r"\r\n|\n|\r", text)
    if len(content) >= HEAD_BYTES:
        lines.pop()  # the last may be cut
    first = _first_row(lines)
    if first is None:
        raise FormatError(
            source, "no rows of numbers", "export the samples as text, one row for each"
        )
    above = [line for line in lines[:first] if line.strip()]
    settings = _settings(above)
    body = [line.strip() for line in lines[first:] if line.strip()][-_SAMPLE_ROWS:]
    delimiter, decimal_comma = _dialect(body, above, is_list="unit" in settings)
    rows = [split_cells(line, delimiter) for line in body]
    width = len(rows[0])
    if width > _MOST_COLUMNS:
        raise FormatError(
            source,
            f"{width:,} columns, expected at most {_MOST_COLUMNS:,}",
            "write one row for each sample",
        )
    names, units = ("",) * width, ("",) * width
    if "unit" in settings:
        units = (settings["unit"], *units[1:])
    elif above:
        names, units = _names(above, delimiter, width)
    return EcgHead(
        names=names,
        units=units,
        skipped=first,
        delimiter=delimiter,
        decimal_comma=decimal_comma,
        rows=tuple(tuple(row) for row in rows if len(row) == width),
        rates_hz=_rates(above),
        started=_started(above),
        lead=settings.get("lead", ""),
        classification=settings.get("classification", ""),
    )


def split_cells(line: str, delimiter: str | None) -> list[str]:
    """Cells of a line without blanks and quotes around them."""
    cells = line.split(delimiter) if delimiter else line.split()
    return [cell.strip(" \t\"'\xa0") for cell in cells]


def _first_row(lines: Sequence[str]) -> int | None:
    """The first of four lines in a row that are numbers, or of the last of a short file."""
    found = [at for at, line in enumerate(lines) if line.strip()]
    kinds = [_is_row(lines[at]) for at in found]
    for place, at in enumerate(found):
        if all(kinds[place : place + 4]):
            return at
    return None


def _is_row(line: str) -> bool:
    """Whether most cells of a line are numbers or times, whatever separates them."""
    for delimiter in ("\t", ";", ",", None):
        if delimiter is None or delimiter in line:
            cells = [cell for cell in split_cells(line, delimiter) if cell]
            fitting = sum(_CELL.fullmatch(cell) is not None for cell in cells)
            return bool(cells) and 2 * fitting > len(cells) and any(map(str.isdigit, line))
    return False


def _dialect(
    body: Sequence[str], above: Sequence[str], *, is_list: bool
) -> tuple[str | None, bool]:
    """Separator, and whether the comma is a decimal point."""
    comma = any(re.search(r"\d,\d", line) for line in body)
    for delimiter in ("\t", ";"):
        if all(delimiter in line for line in body):
            return delimiter, comma
    if not any("," in line for line in body):
        return None, False
    share = sum("," in line for line in body) / len(body)
    if is_list or (above and ("," not in above[-1] or share < 0.5)) or (not above and share < 1):
        return None, True
    halves = [line.partition(",") for line in body]
    if not above and all("," not in rest for _, _, rest in halves):
        times = [first for first, _, _ in halves if re.fullmatch(r"-?[0-9]{1,18}", first)]
        if len(times) == len(body) and times != sorted(times, key=int):
            return None, True  # a first column would be a time, which never goes back
    return ",", False


def _settings(above: Sequence[str]) -> dict[str, str]:
    """Settings of a head of `name,value` lines, in any language; none where it has no unit.

    Names differ with the language, values hardly: a unit of voltage alone on its line is enough.
    """
    found = {}
    for line in above:
        key, _, value = line.partition(",")
        value = value.strip(" \t\"'\xa0")
        if value and "," not in value and millivolts_per(value) is not None:
            found["unit"] = value
        elif _RESULT.match(key) and value:
            found["classification"] = value
        elif _LEAD.match(key) and value:
            found["lead"] = value
    return found if "unit" in found else {}


def _rates(above: Sequence[str]) -> tuple[float, ...]:
    """Sampling rates that the head states."""
    text = "\n".join(above)
    found = {float(rate.replace(",", ".")) for pattern in _RATES for rate in pattern.findall(text)}
    return tuple(sorted(rate for rate in found if 20 <= rate <= 20_000))


def _started(above: Sequence[str]) -> datetime | None:
    for line in above:
        if found := _DATE.search(line):
            try:
                return datetime.fromisoformat(found[1] + (found[2] or ""))
            except ValueError:
                continue
    return None


def _names(
    above: Sequence[str], delimiter: str | None, width: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of the columns from the last lines of the head."""
    rows = [_row_of_names(line, delimiter, width) for line in above[-2:]]
    last = rows[-1]
    if last is None:
        return ("",) * width, ("",) * width
    before = rows[0] if len(rows) > 1 else None
    if before is not None and all(_UNIT_CELL.fullmatch(cell) for cell in last):
        return tuple(before), tuple(cell.strip("[]() ") for cell in last)
    return tuple(last), tuple(_unit_in(name) for name in last)


def _row_of_names(line: str, delimiter: str | None, width: int) -> list[str] | None:
    bare = line.strip().lstrip("#%/ ")
    if width == 1 and bare != line.strip():
        return None  # a comment above one column may be about anything
    cells = [bare] if width == 1 else split_cells(bare, delimiter)
    if len(cells) in (width - 1, width + 1):  # a separator at the end of some lines
        cells = [*cells, ""][:width]
    return [cell[:_LONGEST_NAME] for cell in cells] if len(cells) == width else None


def _unit_in(name: str) -> str:
    """The unit that a name ends with: `ecg [uV]`, `time (s)`, `voltage_mV`."""
    found = _IN_NAME.search(name)
    return found[1] if found else ""
