"""The annotation decoder against wfdb on every real file, and against bytes written by hand."""

import numpy as np
import pytest
import wfdb

from pacl.records import FormatError
from pacl.records.annotations import SYMBOLS, parse_annotations
from support.mit import annotation, annotation_file, word
from support.refusals import refused


def assert_equals_wfdb(found, path):
    peer = wfdb.rdann(
        str(path.with_suffix("")), path.suffix[1:], return_label_elements=["symbol", "label_store"]
    )
    assert np.array_equal(found.sample, peer.sample)
    assert np.array_equal(found.code, peer.label_store)
    assert [SYMBOLS[code] for code in found.code] == peer.symbol
    assert np.array_equal(found.subtype, peer.subtype)
    assert np.array_equal(found.chan, peer.chan)
    assert np.array_equal(found.num, peer.num)
    assert [found.notes.get(at, "") for at in range(found.sample.size)] == peer.aux_note
    if found.fs_hz is not None:
        assert found.fs_hz == peer.fs


@pytest.mark.real
@pytest.mark.parametrize("step", [15, pytest.param(1, marks=pytest.mark.slow)])
def test_equals_wfdb_on_real_files(data, step):
    files = sorted(path for path in data.glob("*/*") if path.suffix in {".atr", ".qrs"})
    assert len(files) >= 84 + 2 * 25  # LTAFDB, AFDB, and whatever lies beside them
    some = files[::step]
    assert {(path.parent.name, path.suffix) for path in some} >= {
        *(("afdb", ".atr"), ("afdb", ".qrs"), ("ltafdb", ".atr")),
    }
    for path in some:
        assert_equals_wfdb(parse_annotations(path.read_bytes(), str(path)), path)


def test_equals_wfdb_on_every_kind_of_field(tmp_path):
    wfdb.wrann(
        "x",
        "atr",
        sample=np.array([5, 5, 900, 3000, 2_000_000, 2_000_001]),
        symbol=["N", "+", "V", '"', "+", "N"],
        subtype=np.array([0, -3, 0, 7, 0, 0]),
        chan=np.array([0, 0, 2, 2, 0, 0]),
        num=np.array([0, 5, 5, 1, 1, 0]),
        aux_note=["", "(AFIB", "", "odd", "(N", ""],
        fs=250,
        write_dir=str(tmp_path),
    )
    path = tmp_path / "x.atr"
    assert_equals_wfdb(parse_annotations(path.read_bytes(), "x"), path)


def test_a_file_by_hand():
    content = annotation_file([(100, "N", ""), (90_000, "+", "(AFIB"), (90_100, "V", "")], fs=250)
    found = parse_annotations(content, "x")
    assert found.sample.tolist() == [100, 90_000, 90_100]
    assert found.is_beat().tolist() == [True, False, True]
    assert found.rhythm_marks() == [(90_000, "(AFIB")]
    assert found.fs_hz == 250


def test_what_a_note_says_is_never_taken_for_a_code():
    # The text itself spells the words of a SKIP, an AUX and the end mark.
    text = (word(59, 0) + word(63, 8) + b"\0\0").decode("latin-1")
    content = annotation(10, '"', text) + annotation(5, "N") + b"\0\0"
    found = parse_annotations(content, "x")
    assert found.sample.tolist() == [10, 15]
    assert found.notes == {0: text}


def test_time_may_step_back_and_forth():
    content = annotation(50, "N") + annotation(-20, "N") + annotation(1 << 20, "N") + b"\0\0"
    assert parse_annotations(content, "x").sample.tolist() == [50, 30, 30 + (1 << 20)]


def test_a_file_of_definitions_only_is_empty():
    assert parse_annotations(annotation_file([], fs=128), "x").sample.size == 0


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"", "0 bytes"),
        (b"\x01", "1 bytes"),
        (annotation(5, "N"), "end mark"),
        (word(59, 0) + b"\x01\0", "end mark"),
        (word(63, 200) + b"ab", "end mark"),
        (annotation(5, "N") + b"\0\0" + annotation(5, "N"), "byte 2 of 6"),
        (word(61, 3) + annotation(5, "N") + b"\0\0", "first annotation"),
    ],
)
def test_damage_is_named(content, fact):
    with refused(FormatError, "here: ", fact):
        parse_annotations(content, "here")
