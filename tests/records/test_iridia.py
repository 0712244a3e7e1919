import shutil

import h5py
import numpy as np
import pytest

from pacl.records import (
    FormatError,
    IridiaReader,
    LayoutError,
    Rhythm,
    RhythmError,
    Span,
    ValueRangeError,
)
from support.iridia import LABELS, METADATA, write_metadata, write_record
from support.refusals import refused


def rr(*lengths):
    return [np.full(length, 800 + 5 * index) for index, length in enumerate(lengths)]


@pytest.fixture
def root(tmp_path):
    """Three records of two patients: one file, an episode over three files, AF from beat 0."""
    records = tmp_path / "iridia-af-records-v1.0.1"
    write_record(records, "record_000", rr(1000), [(0, 300, 0, 500), (0, 800, 0, 999)])
    write_record(records, "record_001", rr(400, 300, 500), [(0, 350, 2, 20)])
    write_record(records, "record_002", rr(300, 300), [(0, 0, 0, 100), (0, 200, 1, 50)])
    write_metadata(
        tmp_path / "iridia-af-metadata-v1.0.1.csv",
        [
            ("record_000", "patient_000", 1),
            ("record_001", "patient_001", 3),
            ("record_002", "patient_001", 2),
        ],
    )
    return tmp_path


def af(record):
    return [(span.start, span.stop) for span in record.spans if span.rhythm is Rhythm.AF]


def test_records_patients_files_and_episodes(root):
    reader = IridiaReader(root)
    assert reader.record_ids == ("record_000", "record_001", "record_002")
    one, three, two = (reader.read(name) for name in reader.record_ids)
    assert [record.patient_id for record in (one, three, two)] == [
        "patient_000",
        "patient_001",
        "patient_001",
    ]
    assert af(one) == [(300, 500), (800, 999)]
    assert three.file_bounds() == [(0, 400), (400, 700), (700, 1200)]
    assert three.rr_ms[[399, 400, 700]].tolist() == [800, 805, 810]
    assert af(two) == [(0, 100), (200, 350)]
    assert one.started.isoformat() == "2012-10-02T10:50:11"
    assert one.lead_in_s == 30


def test_the_middle_day_of_an_episode_over_three_files_is_af(root):
    record = IridiaReader(root).read("record_001")
    assert af(record) == [(350, 720)]
    assert np.all(record.rhythm()[400:700] == Rhythm.AF)


def test_files_follow_each_other_in_time(root):
    record = IridiaReader(root).read("record_001")
    assert record.file_onset_s.tolist() == pytest.approx([0, 320, 320 + 241.5])
    assert np.allclose(np.diff(record.onset_s()), record.rr_ms[:-1] / 1000)


def test_intervals_of_zero_and_46860_are_kept(tmp_path):
    write_record(tmp_path, "record_000", [np.array([800, 0, 46_860, 800])], [])
    write_metadata(tmp_path / "metadata.csv", [("record_000", "patient_000", 1)])
    record = IridiaReader(tmp_path).read("record_000")
    assert record.rr_ms.tolist() == [800, 0, 46_860, 800]
    assert record.stretches() == [(0, 2), (3, 4)]
    assert record.spans == (Span(0, 4, Rhythm.SR),)


def test_a_doubled_folder_the_records_folder_and_one_record_are_found(root, tmp_path_factory):
    records = root / "iridia-af-records-v1.0.1"
    assert len(IridiaReader(records).record_ids) == 3
    assert IridiaReader(records / "record_001").record_ids == ("record_001",)
    doubled = tmp_path_factory.mktemp("doubled")
    shutil.copytree(records, doubled / records.name / records.name)
    shutil.copy(root / "iridia-af-metadata-v1.0.1.csv", doubled)
    assert len(IridiaReader(doubled).record_ids) == 3
    assert len(IridiaReader(doubled / records.name).record_ids) == 3


def test_columns_are_read_by_name(root):
    folder = root / "iridia-af-records-v1.0.1" / "record_000"
    labels = "note,end_rr_index,end_file_index,start_rr_index,start_file_index\nx,500,0,300,0\n"
    (folder / "record_000_rr_labels.csv").write_text(labels)
    assert af(IridiaReader(root).read("record_000")) == [(300, 500)]


def test_ecg_files_and_labels_are_not_needed_and_do_not_disturb(root):
    folder = root / "iridia-af-records-v1.0.1" / "record_000"
    (folder / "record_000_ecg_00.h5").write_bytes(b"not read")
    (folder / "record_000_ecg_labels.csv").write_text("not read")
    assert len(IridiaReader(root).read("record_000")) == 1000


def test_the_digest_follows_the_content(root):
    reader = IridiaReader(root)
    before = reader.read("record_000").digest
    assert before == reader.read("record_000").digest
    labels = root / "iridia-af-records-v1.0.1" / "record_000" / "record_000_rr_labels.csv"
    labels.write_text(LABELS + "\n0,300,0,501\n")
    assert reader.read("record_000").digest != before


@pytest.mark.parametrize(
    ("row", "error", "facts"),
    [
        ("0,10,0,1001", RhythmError, ("line 2", 1001, "[1000]")),
        ("0,10,1,20", RhythmError, ("beat 20 of file 1",)),
        ("0,-1,0,20", RhythmError, ("beat -1 of file 0",)),
        ("0,30,0,20", RhythmError, ("line 2",)),
        ("0,10,0,50\n0,40,0,90", RhythmError, ("line 3", "overlaps")),
        ("0,10,0,x", FormatError, ("end_rr_index", "'x'")),
        ("0,10,0,nan", FormatError, ("end_rr_index", "'nan'")),
        ("0,10,0", FormatError, ("line 2", 3, 4)),
        ('0,10,0,"5', FormatError, ("CSV",)),
    ],
)
def test_labels_that_do_not_fit_are_named(root, row, error, facts):
    labels = root / "iridia-af-records-v1.0.1" / "record_000" / "record_000_rr_labels.csv"
    labels.write_text(f"{LABELS}\n{row}\n")
    with refused(error, *facts) as caught:
        IridiaReader(root).read("record_000")
    assert "record_000_rr_labels.csv" in str(caught.value)


@pytest.mark.parametrize(
    ("values", "error", "facts"),
    [
        (np.array([800, -5]), ValueRangeError, ("-5", "beat 1")),
        (np.array([800.0, np.nan]), ValueRangeError, ("nan", "beat 1")),
        (np.array([0.8, 0.9]), ValueRangeError, ("milliseconds",)),
        (np.array([800, 2**40]), ValueRangeError, ("milliseconds",)),
        (np.array([], dtype=np.int64), FormatError, ("RR interval",)),
        (np.array([[800]]), FormatError, ("1 axes",)),
        (np.array([b"800"]), FormatError, ("number values",)),
    ],
)
def test_intervals_that_cannot_be_are_named(root, values, error, facts):
    path = root / "iridia-af-records-v1.0.1" / "record_000" / "record_000_rr_00.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("rr", data=values)
    with refused(error, *facts) as caught:
        IridiaReader(root).read("record_000")
    assert "record_000_rr_00.h5" in str(caught.value)


def test_truncated_empty_and_foreign_hdf5_are_named(root):
    path = root / "iridia-af-records-v1.0.1" / "record_000" / "record_000_rr_00.h5"
    whole = path.read_bytes()
    for content in (b"", b"hello", whole[:100], whole[: len(whole) // 2]):
        path.write_bytes(content)
        with refused(FormatError, "record_000_rr_00.h5"):
            IridiaReader(root).read("record_000")


def test_files_missing_and_too_many_are_named(root):
    folder = root / "iridia-af-records-v1.0.1" / "record_001"
    shutil.copy(folder / "record_001_rr_00.h5", folder / "record_001_rr_03.h5")
    with refused(LayoutError, "record_001", 3):
        IridiaReader(root).read("record_001")
    (folder / "record_001_rr_03.h5").unlink()
    (folder / "record_001_rr_01.h5").unlink()
    with refused(LayoutError, 3):
        IridiaReader(root).read("record_001")
    with refused(LayoutError, "'record_009'"):
        IridiaReader(root).read("record_009")


def test_a_row_without_a_folder_and_the_reverse_are_named(root):
    metadata = root / "iridia-af-metadata-v1.0.1.csv"
    shutil.rmtree(root / "iridia-af-records-v1.0.1" / "record_001")
    with refused(LayoutError, 1, "record_001", "--partial"):
        IridiaReader(root)
    assert IridiaReader(root, partial=True).record_ids == ("record_000", "record_002")
    write_metadata(metadata, [("record_000", "patient_000", 1)])
    with refused(LayoutError, "record_002", "patient"):
        IridiaReader(root, partial=True)


def test_two_rows_of_one_record_unknown_columns_and_no_metadata_are_named(root):
    metadata = root / "iridia-af-metadata-v1.0.1.csv"
    write_metadata(metadata, [("record_000", "p", 1), ("record_000", "q", 1)])
    with refused(LayoutError, "line 3", "'record_000'"):
        IridiaReader(root)
    metadata.write_text(METADATA.replace("patient_id", "subject") + "\n")
    with refused(FormatError, "add patient_id"):
        IridiaReader(root)
    shutil.copy(metadata, root / "metadata-old.csv")
    with refused(LayoutError, "2 metadata files"):
        IridiaReader(root)
    metadata.unlink()
    (root / "metadata-old.csv").unlink()
    with refused(LayoutError, "metadata"):
        IridiaReader(root)


def test_a_record_has_no_more_beats_than_a_recording_may(root, monkeypatch):
    monkeypatch.setattr("pacl.records.iridia.MAX_BEATS", 1000)
    reader = IridiaReader(root)
    assert len(reader.read("record_000")) == 1000
    with refused(FormatError, "001_rr_02.h5", "'rr'", 500, 300):
        reader.read("record_001")


def test_a_table_without_end_is_refused(root, monkeypatch):
    monkeypatch.setattr("pacl.records.table.MAX_ROWS", 1)
    with refused(FormatError, "1 rows"):
        IridiaReader(root)
