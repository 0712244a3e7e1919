"""Tables in text with any separator, as columns of cells with their line numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pacl.records.errors import FormatError
from pacl.records.kinds import describe_content
from pacl.records.text.cells import join_lists, split_rows

MAX_LINES = 10_000_000
"""Above this, a hundred days of beats, a file is something else."""

MAX_LINE_CHARS = 65_536
"""Above this a line is something else."""

MAX_COLUMNS = 1_000
"""Above this a table is something else."""

MAX_CELLS = 20_000_000
"""Above this a table is not held in memory: each cell takes some 60 bytes."""

_OWN_LOG = "# pacl listen 1\n"
_COMMENT = ("#", "%", "//", ";")
_SKIPPED = {"", "\t", "\xa0", *(mark[0] for mark in _COMMENT)}  # how a skipped line may begin
_EMPTY_FIRST_CELL = re.compile(r";[\s;]*[-+.\d]")  # a row of a file separated by semicolons
_BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_NO_NAME = {"nan", "inf", "infinity", "na", "n/a", "null", "none"}
_SAMPLE_LINES = 200
_LISTED = 20
_LIST_CELLS = 4  # one line of at least this many numbers is a list of intervals, not a row


@dataclass(frozen=True, slots=True)
class Table:
    """Cells by column, top to bottom; `names` is empty where the file has no header."""

    names: tuple[str, ...]
    columns: tuple[Sequence[str], ...]
    line_numbers: Sequence[int]
    decimal_comma: bool = False
    started: datetime | None = None

    def __len__(self) -> int:
        return len(self.line_numbers)

    def take(self, rows: Sequence[int]) -> "Table":
        """The same columns with some of the rows."""
        return replace(
            self,
            columns=tuple([cells[row] for row in rows] for cells in self.columns),
            line_numbers=[self.line_numbers[row] for row in rows],
        )

    def title(self, column: int) -> str:
        """A column in messages: its name where it has one, else its number from 1."""
        name = self.names[column] if self.names else ""
        return repr(name) if name else f"number {column + 1}"

    def listing(self) -> str:
        """All columns, for a message; at most the first 20."""
        shown = [self.title(column) for column in range(len(self.columns))][:_LISTED]
        return ", ".join(shown) + (", ..." if len(self.columns) > _LISTED else "")


def decode(content: bytes, source: str) -> str:
    """Text of UTF-8, UTF-16 with a byte order mark, or Latin-1; line ends as newlines."""
    if kind := describe_content(content, source):
        raise FormatError(source, f"it seems to be {kind.what}", kind.remedy)
    for bom, encoding in _BOMS.items():
        if content.startswith(bom):
            text = content[len(bom) :].decode(encoding, errors="replace")
            break
    else:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            text = content.decode("latin-1")
    if "\0" in text:
        raise FormatError(
            source,
            "binary content (NUL bytes), expected text",
            "export the intervals as text in UTF-8",
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith(_OWN_LOG):  # the power may have failed within its last row
        text = text[: text.rfind("\n") + 1]
    return text


def numbered_lines(text: str, source: str) -> tuple[list[str], Sequence[int]]:
    """Lines that are neither blank nor comment, stripped, and their numbers from 1."""
    if text.count("\n") >= MAX_LINES:
        raise FormatError(
            source, f"more than {MAX_LINES:,} lines", "check that it is a file of RR intervals"
        )
    lines = [line.strip(" \f\v") for line in text.split("\n")]
    longest = max(map(len, lines))
    if longest > MAX_LINE_CHARS:
        number = next(n for n, line in enumerate(lines, 1) if len(line) == longest)
        raise FormatError(
            source,
            f"line {number} has {longest:,} characters, expected at most {MAX_LINE_CHARS:,}",
            "write one interval per line",
        )
    if not lines[-1]:
        lines.pop()
    numbers: Sequence[int] = range(1, len(lines) + 1)
    if {line[:1] for line in lines} & _SKIPPED:
        kept = [(n, line) for n, line in enumerate(lines, 1) if not _is_skipped(line)]
        lines, numbers = [line for _, line in kept], [n for n, _ in kept]
    if not lines:
        raise FormatError(source, "it has no RR interval", "leave the file out")
    if "[" in text or '"' in text or "(" in text:
        lines = join_lists(lines)
    return lines, numbers


@dataclass(frozen=True, slots=True)
class Head:
    """What the first lines of a table show about the others."""

    names: tuple[str, ...]
    width: int
    first: int
    delimiter: str | None
    decimal_comma: bool


def read_head(lines: Sequence[str]) -> Head:
    """Find out separator, header and decimal comma; `first` is the first line of numbers."""
    delimiter, decimal_comma = _dialect(lines)
    top = split_rows(lines[:3], delimiter)
    names: list[str] = []
    first = 0
    alone = delimiter is None and len(top) > 1 and len(top[1]) == 1
    if is_header(top[0]) or (alone and is_header([lines[0]])):
        first = 1
        names = [lines[0]] if alone else top[0]  # "RR interval" above one column is one name
        if len(top) > 1 and is_unit_row(top[1], names):
            names = [f"{name} {unit}" for name, unit in zip(names, top[1], strict=True)]
            first = 2
    names = [name.strip() for name in names]
    return Head(tuple(names), len(names) or len(top[0]), first, delimiter, decimal_comma)


def read_table(text: str, source: str) -> Table:
    """Split text into columns; separator, header and decimal comma are found out."""
    lines, numbers = numbered_lines(text, source)
    head = read_head(lines)
    if len(lines) == head.first:
        raise FormatError(source, "a header but no RR interval", "leave the file out")
    if not head.names and len(lines) == 1 and head.width >= _LIST_CELLS:
        (cells,) = split_rows(lines, head.delimiter)
        return Table((), (tuple(cells),), [numbers[0]] * len(cells), head.decimal_comma)
    body, numbers = lines[head.first :], numbers[head.first :]
    check_size(body, head.delimiter, head.width, source)
    if columns := _even_columns(body, head.delimiter, head.width):
        return Table(head.names, columns, numbers, head.decimal_comma)
    rows = split_rows(body, head.delimiter)
    return to_table(rows, list(head.names), numbers, source, head.decimal_comma)


def check_size(lines: Sequence[str], delimiter: str | None, width: int, source: str) -> None:
    """Refuse too many columns or cells before any cell is made."""
    if width > MAX_COLUMNS:
        raise FormatError(
            source,
            f"{width:,} columns, expected at most {MAX_COLUMNS:,}",
            "write one interval per line, and only the columns that are needed",
        )
    if delimiter is None:
        cells = sum(line.count(" ") + line.count("\t") + 1 for line in lines)
        if cells > MAX_CELLS:  # several blanks may separate two cells
            cells = sum(len(line.split()) for line in lines)
    else:
        cells = sum(line.count(delimiter) + 1 for line in lines)
    if cells > MAX_CELLS:
        raise FormatError(
            source,
            f"{cells:,} cells, expected at most {MAX_CELLS:,}",
            "write only the columns that are needed, or split the file",
        )


def _even_columns(
    lines: list[str], delimiter: str | None, width: int
) -> tuple[Sequence[str], ...] | None:
    """Columns of lines that all have `width` plain cells, without a list per line."""
    if delimiter is None:
        plain = width == 1 and not any(" " in line or "\t" in line or '"' in line for line in lines)
        return (lines,) if plain else None
    if {line.count(delimiter) for line in lines} != {width - 1}:
        return None
    joined = delimiter.join(lines)
    if '"' in joined:
        return None
    cells = joined.split(delimiter)
    return tuple(cells[column::width] for column in range(width))


def to_table(
    rows: list[list[str]],
    names: list[str],
    numbers: Sequence[int],
    source: str,
    decimal_comma: bool = False,
) -> Table:
    """Turn rows into columns; each row must be as wide as the header, or as the first row."""
    width = len(names) or len(rows[0])
    if len(rows[0]) == width + 1 and all(len(row) > width and not row[-1] for row in rows):
        rows = [row[:-1] for row in rows]  # each line ends with a separator, the header does not
    if set(map(len, rows)) != {width}:
        at, row = next((at, row) for at, row in enumerate(rows) if len(row) != width)
        raise FormatError(
            f"{source} line {numbers[at]}",
            f"{len(row)} columns, expected {width}",
            "give all lines the same columns, and comments a leading #",
        )
    return Table(tuple(names), tuple(zip(*rows, strict=True)), numbers, decimal_comma)


def is_header(cells: Sequence[str]) -> bool:
    """Whether cells are names: one starts with a letter, and what does not is a bare number."""
    stripped = [cell.strip(" \"'") for cell in cells]
    named = [_is_name(cell) for cell in stripped]
    if not any(named):
        return False
    return all(named) or any(re.fullmatch(r"(?i)(rr|ibi|nn).*", cell) for cell in stripped)


def is_unit_row(cells: Sequence[str], names: Sequence[str]) -> bool:
    """Whether cells are units in brackets, as Kubios puts them below the names."""
    found = [cell.strip() for cell in cells]
    return (
        len(cells) == len(names)
        and any(found)
        and all(re.fullmatch(r"([(\[][^)\]]*[)\]])?", cell) for cell in found)
    )


def _is_skipped(line: str) -> bool:
    if not line or line.isspace():
        return True
    return line.startswith(_COMMENT) and not _EMPTY_FIRST_CELL.match(line)


def _is_name(cell: str) -> bool:
    if not cell or not cell[0].isalpha() or cell.lower() in _NO_NAME:
        return not cell
    return sum(map(str.isalpha, cell)) > sum(map(str.isdigit, cell))  # "h00" was a number once


def _dialect(lines: Sequence[str]) -> tuple[str | None, bool]:
    """Separator and whether the comma is a decimal point, from the first lines."""
    sample = lines[:_SAMPLE_LINES]
    body = sample[1:] or sample
    comma_inside = any(re.search(r"\d,\d", line) for line in body)
    if all("\t" in line for line in body):
        return "\t", comma_inside
    if any(";" in line for line in body):
        return ";", comma_inside
    if any("," in line for line in body):
        named = is_header([sample[0]])
        if named and "," not in sample[0]:
            return None, True
        if not named and all(re.fullmatch(r"\d,\d+", line) for line in sample):
            counts = [int(line[0]) for line in sample]
            if counts != list(range(counts[0], counts[0] + len(counts))) or len(counts) == 1:
                return None, True  # 0,812 in seconds: beside beat numbers the first would count
        return ",", False
    return None, False
