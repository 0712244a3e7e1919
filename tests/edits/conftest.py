"""Tests here share a small recording in a file."""

import pytest

from pacl.records import open_records

ROWS = [800 + 10 * (at % 7) + at % 13 for at in range(300)]


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "night.csv"
    path.write_text("rr_ms\n" + "".join(f"{one}\n" for one in ROWS))
    return open_records(path).read("night")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "night.csv.edits.jsonl"
