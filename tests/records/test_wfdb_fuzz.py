"""Damaged annotation files: a record or a typed error, never anything else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.records import RecordError, WfdbReader
from pacl.records.annotations import parse_annotations
from support.mit import annotation_file
from support.mutate import damaged

CASES = 4000


def sound() -> bytes:
    rng = np.random.default_rng(0)
    at = np.cumsum(rng.integers(60, 2000, size=60))
    marks = [(int(sample), "V" if sample % 7 == 0 else "N", "") for sample in at]
    marks += [(int(at[20]) - 9, "+", "(AFIB"), (int(at[40]) - 9, "+", "(N"), (5, "+", "(N")]
    return annotation_file(sorted(marks), fs=128)


def test_damaged_files_give_records_or_typed_errors(tmp_path):
    path = tmp_path / "x.atr"
    path.write_bytes(sound())
    reader = WfdbReader(tmp_path)
    refused = 0
    for content in damaged(sound(), CASES, seed=1):
        path.write_bytes(content)
        try:
            record = reader.read("x")
        except RecordError as error:
            assert "x" in str(error.where)
            refused += 1
        else:
            assert np.all(record.rr_ms >= 0)
    assert CASES // 10 < refused < CASES  # the damage is neither harmless nor always fatal


@settings(max_examples=500)
@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_or_refused(content):
    try:
        parse_annotations(content, "x")
    except RecordError:
        pass
    else:
        assert content.endswith(b"\0\0")


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(st.integers(0, 100_000), st.sampled_from('NV+~"'), st.text("ab(\0é", max_size=9)),
        max_size=30,
    )
)
def test_what_was_written_is_read_back(rows):
    marks, at = [], 0
    for step, symbol, aux in rows:
        at += step + 1
        marks.append((at, symbol, aux))
    found = parse_annotations(annotation_file(marks), "x")
    assert found.sample.tolist() == [sample for sample, _, _ in marks]
    assert [found.notes.get(n, "") for n in range(len(marks))] == [aux for _, _, aux in marks]


@pytest.mark.parametrize("content", [b"x 0 128\n", b"x 0 1e999\n", b"x 0 \xff\xfe\n", b"\0" * 64])
def test_damaged_headers_give_records_or_typed_errors(tmp_path, content):
    (tmp_path / "x.atr").write_bytes(sound())
    for header in (content, *damaged(content, 300, seed=2)):
        (tmp_path / "x.hea").write_bytes(header)
        try:
            assert len(WfdbReader(tmp_path).read("x")) == 59
        except RecordError as error:
            assert "x.hea" in str(error)
