"""Options reach the reader they belong to, and are refused by the others."""

import os
from pathlib import Path

import numpy as np
import pytest

from pacl.records import (
    IridiaReader,
    LayoutError,
    ReadOptions,
    Rhythm,
    TextReader,
    WfdbReader,
    open_records,
)
from support.iridia import write_metadata, write_record
from support.mit import annotation_file
from support.refusals import refused

BEATS = [(1000 * second, "N", "") for second in range(1, 6)]


@pytest.fixture
def wfdb(tmp_path):
    marks = sorted([(500, "+", "(AFL"), *BEATS])
    (tmp_path / "x.atr").write_bytes(annotation_file(marks, fs=1000))
    (tmp_path / "x.qrs").write_bytes(annotation_file(BEATS[:4], fs=1000))
    (tmp_path / "x.other").write_bytes(annotation_file([(500, "+", "(AFIB")], fs=1000))
    return tmp_path


def read(path, **options):
    reader = open_records(path, ReadOptions(**options))
    return reader.read(reader.record_ids[0])


def test_flutter_beats_and_rhythm_reach_the_wfdb_reader(wfdb):
    assert read(wfdb).spans[0].rhythm is Rhythm.OTHER
    assert read(wfdb, flutter_is_af=True).spans[0].rhythm is Rhythm.AF
    assert len(read(wfdb)) == 4
    assert len(read(wfdb, beats="qrs")) == 3
    assert len(read(wfdb, beats=".qrs")) == 3
    assert read(wfdb, rhythm="other").spans[0].mark == "(AFIB"


def test_patients_reach_the_wfdb_and_the_text_reader(wfdb, tmp_path_factory):
    text = tmp_path_factory.mktemp("text")
    (text / "x.txt").write_text("800\n810\n")
    (text.parent / "map.csv").write_text("record_id,patient_id\nx,anna\n")
    for path in (wfdb, text):
        assert read(path).patient_id == "x"
        assert read(path, patients=text.parent / "map.csv").patient_id == "anna"


def test_text_options_reach_the_text_reader(tmp_path):
    path = tmp_path / "x.csv"
    rr = [700, 710, 0, 690, 700, 720]
    at = [0.0, 0.7, 1.41, 61.41, 62.1, 62.8]
    rows = [f"{t},{ms},{n},SR" for n, (t, ms) in enumerate(zip(at, rr, strict=True))]
    path.write_text("a,b,c,d\n" + "\n".join(rows) + "\n")
    record = read(path, column="b", time_column="a", rhythm_column="d", allow_zero=True)
    assert record.rr_ms.tolist() == rr
    assert record.file_starts.tolist() == [0, 3]
    assert record.rhythm().tolist() == [Rhythm.SR] * 6
    (tmp_path / "y.txt").write_text("150\n160\n")
    assert read(tmp_path / "y.txt", unit="ms").rr_ms.tolist() == [150, 160]


def test_iridia_options_reach_the_iridia_reader(tmp_path):
    write_record(tmp_path / "set", "record_000", [np.full(300, 800)], [])
    rows = [("record_000", "p", 1), ("record_001", "p", 1)]
    write_metadata(tmp_path / "far.csv", rows)
    record = read(tmp_path / "set", metadata=tmp_path / "far.csv", partial=True)
    assert record.patient_id == "p"


@pytest.mark.parametrize(
    "option",
    [
        {"flutter_is_af": True},
        {"beats": "qrs"},
        {"rhythm": "atr"},
        {"metadata": Path("x.csv")},
        {"partial": True},
    ],
)
def test_an_option_of_another_layout_is_refused(tmp_path, option):
    (tmp_path / "x.txt").write_text("800\n810\n")
    flag = next(iter(option)).replace("_", "-")
    with refused(LayoutError, f"--{flag}", "text"):
        open_records(tmp_path, ReadOptions(**option))


def test_the_layout_can_be_forced(tmp_path):
    (tmp_path / "x.atr").write_bytes(annotation_file(BEATS, fs=1000))
    (tmp_path / "x.txt").write_text("800\n810\n")
    assert len(open_records(tmp_path).read("x")) == len(BEATS) - 1
    assert isinstance(open_records(tmp_path, ReadOptions(layout="wfdb")), WfdbReader)
    assert isinstance(open_records(tmp_path, ReadOptions(layout="text")), TextReader)


def test_a_folder_of_two_layouts_has_to_be_settled(tmp_path):
    write_record(tmp_path, "record_000", [np.full(300, 800)], [])
    write_metadata(tmp_path / "metadata.csv", [("record_000", "p", 1)])
    assert isinstance(open_records(tmp_path), IridiaReader)
    (tmp_path / "x.atr").write_bytes(annotation_file(BEATS, fs=1000))
    with refused(LayoutError, "record_NNN", "WFDB", "--layout"):
        open_records(tmp_path)
    assert isinstance(open_records(tmp_path, ReadOptions(layout="iridia")), IridiaReader)


def test_a_record_folder_is_found_from_within(tmp_path, monkeypatch):
    folder = write_record(tmp_path, "record_000", [np.full(300, 800)], [])
    write_metadata(tmp_path / "metadata.csv", [("record_000", "p", 1)])
    monkeypatch.chdir(folder)
    assert open_records(".").record_ids == ("record_000",)


def test_what_is_no_recording_is_named(tmp_path):
    (tmp_path / "x.h5").write_bytes(b"")
    with refused(LayoutError, "HDF5", "read_processed"):
        open_records(tmp_path / "x.h5")
    with refused(LayoutError, "record_NNN", "--layout"):
        open_records(tmp_path)
    with refused(LayoutError, "check the path"):
        open_records(tmp_path / "nothing")
    with refused(LayoutError, "File name too long"):
        open_records(tmp_path / ("x" * 300))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
@pytest.mark.parametrize("layout", [None, "iridia", "wfdb", "text"])
def test_a_folder_that_may_not_be_looked_into_is_named(tmp_path, layout):
    (tmp_path / "closed").mkdir(mode=0)
    with refused(LayoutError, "Permission denied"):
        open_records(tmp_path / "closed", ReadOptions(layout=layout))
