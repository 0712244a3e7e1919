"""Columns of a large text as numbers, piece by piece."""

import codecs
from collections.abc import Iterator, Sequence

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.records.errors import FormatError, ValueRangeError
from pacl.records.signals.decimals import parse_cell, parse_plain
from pacl.records.signals.source_file import SourceFile
from pacl.records.signals.text_head import EcgHead, split_cells

MAX_LINE_BYTES = 65_536
"""Above this a line is something else."""

_CHUNK_BYTES = 2**20
_NEWLINE = ord("\n")
_LARGEST = 1e19  # nanoseconds since 1970 are 1.8e18


def pieces(file: SourceFile, encoding: str) -> Iterator[bytes]:
    """All lines of a file, some at a time, each ended by one newline."""
    wide = encoding.startswith("utf-16")
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace") if wide else None
    rest, is_first = b"", True
    while raw := file.read(_CHUNK_BYTES):
        found = rest + (decoder.decode(raw).encode() if decoder else raw)
        if is_first:
            found, is_first = found.removeprefix(codecs.BOM_UTF8), False
        if b"\0" in found:
            raise FormatError(file.path, "binary content (NUL bytes)", "export it as text")
        if b"\r" in found:
            held = b"\r" if found.endswith(b"\r") else b""  # its newline may be in the next piece
            found = found[: len(found) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            found += held
        stop = found.rfind(b"\n") + 1
        rest = found[stop:]
        if len(rest) > MAX_LINE_BYTES:
            raise FormatError(
                file.path,
                f"a line of more than {MAX_LINE_BYTES:,} characters",
                "write one row for each sample",
            )
        if stop:
            yield found[:stop]
    if rest.strip():
        yield rest.rstrip(b"\r") + b"\n"


class ColumnReader:
    """Columns of one piece after the other; knows the line it is at."""

    def __init__(self, head: EcgHead, source: str) -> None:
        self._head = head
        self._source = source
        self._delimiter = head.delimiter.encode() if head.delimiter else None
        self._lines: Sequence[int] = range(head.skipped + 1, head.skipped + 1)
        self._next = head.skipped + 1
        self._piece = b""
        self._ends: Int64[Array, "cell"] | None = None
        self._cells: list[list[str]] | None = None

    def load(self, piece: bytes) -> int:
        """Take the next piece; gives its number of rows."""
        if self._head.decimal_comma:
            piece = piece.replace(b",", b".")
        self._piece, self._cells = piece, None
        count = piece.count(b"\n")
        self._lines = range(self._next, self._next + count)
        self._next += count
        self._ends = self._even_ends(count)
        if self._ends is None:
            self._cells = self._split()
        return len(self._lines)

    def numbers(self, column: int, title: str) -> Float64[Array, "row"]:
        """A column as numbers; a missing one is NaN, anything else names its line."""
        if self._ends is not None:
            width = self._head.width
            starts = np.append(0, self._ends[:-1] + 1)[column::width]
            signs = np.frombuffer(self._piece, np.uint8)
            quick = parse_plain(signs, starts, self._ends[column::width] - starts)
            if quick is not None:
                return quick
        found = np.empty(len(self._lines))
        for at, cell in enumerate(self.cells(column)):
            value = parse_cell(cell)
            if value is None or abs(value) > _LARGEST:
                raise ValueRangeError(
                    f"{self._source} line {self._lines[at]}",
                    f"expected a number in column {title!r}, found {cell[:40]!r}",
                    "repair or remove the line; leave a missing sample empty",
                )
            found[at] = value
        return found

    def cells(self, column: int) -> list[str]:
        """A column as it is written, without blanks and quotes."""
        if self._cells is None:
            self._cells = self._split()
        return self._cells[column]

    def first_row(self) -> list[str]:
        """The first row of this piece."""
        line = self._piece.lstrip().partition(b"\n")[0].decode("latin-1")
        return split_cells(line, self._head.delimiter)

    def line_of(self, row: int) -> int:
        """Line of a row of this piece."""
        return self._lines[row]

    def _even_ends(self, count: int) -> Int64[Array, "cell"] | None:
        """Where cells end, if all lines have as many as the first; else nothing."""
        signs = np.frombuffer(self._piece, np.uint8)
        is_end = signs == _NEWLINE
        if self._delimiter is not None:
            is_end |= signs == self._delimiter[0]
        elif self._head.width > 1:
            return None
        ends = np.flatnonzero(is_end)
        width = self._head.width
        if ends.size != width * count or not (signs[ends[width - 1 :: width]] == _NEWLINE).all():
            return None
        return ends if np.diff(ends, prepend=-1).min(initial=9) > 1 else None

    def _split(self) -> list[list[str]]:
        """Cells of each column; blank lines are left out."""
        text = self._piece.decode("latin-1").split("\n")[:-1]
        kept = [at for at, line in enumerate(text) if line.strip()]
        self._lines = [self._lines[at] for at in kept]
        width = self._head.width
        columns: list[list[str]] = [[] for _ in range(width)]
        for number, at in zip(self._lines, kept, strict=True):
            row = split_cells(text[at], self._head.delimiter)
            if len(row) != width:
                raise FormatError(
                    f"{self._source} line {number}",
                    f"{len(row)} columns, expected {width}",
                    "give all lines the same columns",
                )
            for column, cell in zip(columns, row, strict=True):
                column.append(cell)
        return columns
