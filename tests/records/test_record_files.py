"""The files of a recording and their digest: known without reading beats, and never too few."""

import os

import edfio
import numpy as np
import pytest

from pacl.records import (
    EcgReader,
    FormatError,
    LayoutError,
    ReadOptions,
    content_digest,
    open_records,
    reading_digest,
    record_files,
)
from pacl.testing import made_ecg
from support.fit import activity
from support.mit import annotation_file

FS = 250.0
AT_S = 1.0 + np.cumsum(np.random.default_rng(0).normal(0.8, 0.05, 90))
ECG = made_ecg(AT_S, FS, float(int(AT_S[-1]) + 2))[0]
BEATS = annotation_file([(1000 * second, "N", "") for second in range(1, 6)], fs=1000)
RR = "800\n810\n790\n"


def names(reader, record_id):
    return [path.name for path in record_files(reader, record_id)]


def write_signal(folder, name="x"):
    numbers = np.round(ECG * 1000).astype("<i2")
    numbers.tofile(folder / f"{name}.dat")
    line = f"{name}.dat 16 1000/mV 16 0 {numbers[0]} 0 0 II\n"
    (folder / f"{name}.hea").write_text(f"{name} 1 {FS:g} {numbers.size}\n{line}")


def test_a_folder_of_all_kinds_knows_the_files_of_each(tmp_path):
    (tmp_path / "text.csv").write_text(RR)
    (tmp_path / "run.fit").write_bytes(activity([800] * 60))
    (tmp_path / "beats.atr").write_bytes(BEATS)
    lead = edfio.EdfSignal(ECG.astype(float), FS, label="ECG II", physical_dimension="mV")
    edfio.Edf([lead]).write(tmp_path / "night.edf")
    reader = open_records(tmp_path)
    found = {record_id: names(reader, record_id) for record_id in reader.record_ids}
    assert found == {
        "beats": ["beats.atr"],
        "night": ["night.edf"],
        "run": ["run.fit"],
        "text": ["text.csv"],
    }


def test_a_signal_counts_only_where_beats_are_found_in_it(tmp_path):
    write_signal(tmp_path)
    assert names(open_records(tmp_path), "x") == ["x.hea", "x.dat"]
    (tmp_path / "x.atr").write_bytes(BEATS)
    assert names(open_records(tmp_path), "x") == ["x.hea", "x.atr"]
    in_signal = open_records(tmp_path, ReadOptions(beats="signal"))
    assert names(in_signal, "x") == ["x.hea", "x.atr", "x.dat"]
    only_rhythm = annotation_file([(0, "+", "(N")], fs=1000)
    (tmp_path / "x.atr").write_bytes(only_rhythm)
    assert names(open_records(tmp_path), "x") == ["x.hea", "x.atr", "x.dat"]


def test_segments_and_their_signals_belong_to_a_record(tmp_path):
    for name in ("x_1", "x_2"):
        write_signal(tmp_path, name)
    (tmp_path / "x.hea").write_text(
        f"x/3 1 {FS:g} {2 * ECG.size + 50}\nx_1 {ECG.size}\n~ 50\nx_2 {ECG.size}\n"
    )
    reader = open_records(tmp_path / "x")
    assert names(reader, "x") == ["x.hea", "x_1.hea", "x_2.hea", "x_1.dat", "x_2.dat"]
    reader.read("x")


def test_a_file_that_is_missing_is_told_when_it_is_read(tmp_path):
    write_signal(tmp_path)
    reader = open_records(tmp_path)
    (tmp_path / "x.dat").unlink()
    assert names(reader, "x") == ["x.hea"]


def test_a_header_cannot_name_files_elsewhere(tmp_path):
    write_signal(tmp_path)
    reader = open_records(tmp_path)
    header = (tmp_path / "x.hea").read_text()
    (tmp_path / "x.hea").write_text(header.replace("x.dat", "../../secret"))
    assert "secret" not in str(record_files(reader, "x"))


def test_the_manifest_is_among_the_files(tmp_path):
    (tmp_path / "a.csv").write_text(RR)
    (tmp_path / "cohort.toml").write_text("unmarked = 'SR'\n")
    assert names(open_records(tmp_path), "a") == ["a.csv", "cohort.toml"]


def test_a_reader_that_cannot_tell_gives_none(tmp_path):
    class Other:
        root, record_ids, left_out = tmp_path, ("a",), ()

        def read(self, record_id):
            raise AssertionError("nothing is read")

    assert record_files(Other(), "a") is None
    assert reading_digest(Other(), "a") is None


def test_the_digest_follows_names_and_bytes_not_folders(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.csv").write_text(RR)
    one, two = (content_digest([tmp_path / at / "a.csv"]) for at in ("one", "two"))
    assert one == two
    os.utime(tmp_path / "two" / "a.csv", (0, 0))
    assert content_digest([tmp_path / "two" / "a.csv"]) == one
    (tmp_path / "two" / "a.csv").write_text(RR.replace("790", "791"))
    assert content_digest([tmp_path / "two" / "a.csv"]) != one
    (tmp_path / "one" / "a.csv").rename(tmp_path / "one" / "b.csv")
    assert content_digest([tmp_path / "one" / "b.csv"]) != one


def test_a_large_file_is_hashed_piece_by_piece(tmp_path):
    (tmp_path / "a").write_bytes(bytes(3 * 2**20 + 5))
    (tmp_path / "b").write_bytes(bytes(3 * 2**20 + 6))
    assert content_digest([tmp_path / "a"]) != content_digest([tmp_path / "b"])


def test_a_file_that_cannot_be_hashed_is_a_typed_error(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(FormatError, match=path.name):
            content_digest([path])


def test_options_and_names_are_part_of_the_reading_digest(tmp_path):
    (tmp_path / "a.csv").write_text(RR)
    (tmp_path / "patients.csv").write_text("record_id,patient_id\na,anna\n")
    of = {
        how: reading_digest(open_records(tmp_path / "a.csv", how), "a", how)
        for how in (ReadOptions(), ReadOptions(unit="ms"), ReadOptions(start="2026-04-01T21:30:00"))
    }
    assert len(set(of.values())) == 3
    by_patients = ReadOptions(patients=tmp_path / "patients.csv")
    reader = open_records(tmp_path / "a.csv", by_patients)
    before = reading_digest(reader, "a", by_patients)
    (tmp_path / "patients.csv").write_text("record_id,patient_id\na,berta\n")
    assert reading_digest(reader, "a", by_patients) != before


def test_parts_of_one_file_have_digests_of_their_own(tmp_path):
    rows = "".join(f"{who},{rr}\n" for who in ("anna", "berta") for rr in (800, 810, 790, 805))
    (tmp_path / "both.csv").write_text(f"patient_id,rr_ms\n{rows}")
    reader = open_records(tmp_path)
    assert reader.record_ids == ("both/anna", "both/berta")
    assert reading_digest(reader, "both/anna") != reading_digest(reader, "both/berta")


def test_unknown_records_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text(RR)
    with pytest.raises(LayoutError, match="nobody"):
        record_files(open_records(tmp_path), "nobody")
    lead = edfio.EdfSignal(ECG.astype(float), FS, label="ECG II", physical_dimension="mV")
    edfio.Edf([lead]).write(tmp_path / "night.edf")
    with pytest.raises(LayoutError, match="nobody"):
        record_files(EcgReader(tmp_path / "night.edf"), "nobody")
