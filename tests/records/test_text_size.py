"""Memory grows with the file, not with what it pretends to be."""

import tracemalloc

import pytest

from pacl.records.errors import FormatError, RecordError
from pacl.records.text import parse_rr, table
from support.refusals import refused


def test_too_many_columns_are_refused_before_a_table_is_made() -> None:
    line = ",".join(["1"] * 16_000) + "\n"
    tracemalloc.start()
    with refused(FormatError, 16_000, 1000):
        parse_rr((line * 300).encode(), "a.csv")
    assert tracemalloc.get_traced_memory()[1] < 6 * len(line) * 300
    tracemalloc.stop()


def test_a_thousand_columns_are_read() -> None:
    names = ",".join(["rr", *(f"x{n}" for n in range(999))])
    row = ",".join(["800"] * 1000)
    assert len(parse_rr(f"{names}\n{row}\n{row}\n".encode(), "a.csv")) == 2


def test_one_line_of_many_intervals_is_a_list_and_no_table() -> None:
    assert len(parse_rr(b"800 " * 5000, "a.txt")) == 5000


@pytest.mark.parametrize("delimiter", [",", " "])
def test_too_many_cells(delimiter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_CELLS", 1000)
    rows = (delimiter.join(["800"] * 10) + "\n") * 101
    with refused(FormatError, 1010, 1000):
        parse_rr(rows.encode(), "a.csv")


def test_blanks_between_cells_are_no_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_CELLS", 30)
    assert len(parse_rr(b"t     rr\n" + b"0.8     800\n" * 3, "a.txt", time_column="")) == 3


def test_a_quoted_cell_over_several_lines_is_a_typed_error() -> None:
    with refused(RecordError, "line 2"):
        parse_rr(b'note,rr\n"two\nlines",800\n', "a.csv")


def test_a_ragged_row_of_a_kubios_report_is_bounded() -> None:
    text = "RR INTERVAL DATA\n , Time, RR interval,\n" + "," * 40_000 + "\n , 0.8, 0.8,\n"
    with refused(FormatError, 40_001):
        parse_rr(text.encode(), "a.txt")
