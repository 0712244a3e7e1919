"""FIT files, real ones and ones written here."""

import numpy as np
import pytest

from pacl.records import FormatError, ValueRangeError
from pacl.records.exports import ExportReader
from support import fit
from support.fit import STARTED, FitWriter, activity
from support.refusals import refused

REAL = {
    "garmin-edge-820-bike": (126, "2017-06-12T09:10:15.896000-07:00"),
    "garmin-fenix-5-run": (113, "2017-06-11T07:34:09.907000-07:00"),
    "garmin-fenix-5-walk": (62, "2017-06-11T07:32:51.677000-07:00"),
}


def read(path):
    reader = ExportReader(path)
    return [reader.read(name) for name in reader.record_ids]


def written(tmp_path, content):
    path = tmp_path / "run.fit"
    path.write_bytes(content)
    return path


@pytest.mark.real
def test_real_files_of_garmin_have_their_intervals_and_starts(data):
    reader = ExportReader(data / "fit")
    assert reader.record_ids == tuple(REAL)
    for name, (beats, started) in REAL.items():
        record = reader.read(name)
        assert (len(record), record.started.isoformat()) == (beats, started)
        assert record.file_starts.tolist() == [0]
        assert 500 < np.median(record.rr_ms) < 1200
        assert record.patient_id == name


@pytest.mark.real
def test_the_decoder_finds_the_same_intervals(data):
    fitdecode = pytest.importorskip("fitdecode")
    for path in sorted((data / "fit").glob("*.fit")):
        with fitdecode.FitReader(path) as frames:
            expected = [
                round(1000 * one)
                for frame in frames
                if frame.frame_type == fitdecode.FIT_FRAME_DATA and frame.name == "hrv"
                for one in frame.get_value("time")
                if one is not None
            ]
        assert read(path)[0].rr_ms.tolist() == expected


def test_intervals_stand_on_the_clock_in_the_zone_of_the_activity(tmp_path):
    (record,) = read(written(tmp_path, activity([800, 810, 790, 805] * 30)))
    assert record.rr_ms.tolist() == [800, 810, 790, 805] * 30
    assert record.started.utcoffset().total_seconds() == 7200
    assert abs(record.started.timestamp() - (631_065_600 + STARTED)) < 2
    assert record.record_id == record.patient_id == "run"


def test_a_pause_and_a_long_silence_each_begin_a_new_file(tmp_path):
    writer = FitWriter()
    writer.file_id()
    at = fit.beats(writer, [800] * 20, STARTED)
    writer.timer(at, 4)
    writer.timer(at + 5, 0)  # a pause of 5 s is no gap by the clock alone
    at = fit.beats(writer, [900] * 20, at + 5)
    at = fit.beats(writer, [700] * 20, at + 60)  # the strap lost contact
    (record,) = read(written(tmp_path, writer.content()))
    assert record.file_starts.tolist() == [0, 20, 40]
    assert np.diff(record.file_onset_s) == pytest.approx([16 + 5, 18 + 60], abs=2.5)


def test_a_stop_after_which_beats_go_on_is_no_gap(tmp_path):
    writer = FitWriter()
    writer.file_id()
    at = fit.beats(writer, [800] * 20, STARTED)
    writer.timer(at, 4)
    fit.beats(writer, [810] * 5, at)
    (record,) = read(written(tmp_path, writer.content()))
    assert record.file_starts.tolist() == [0]


def test_chained_files_are_recordings_by_their_starts(tmp_path):
    content = activity([800] * 50) + activity([900] * 60, at=STARTED + 86_400)
    reader = ExportReader(written(tmp_path, content))
    assert reader.record_ids == ("run/2021-09-08T03-46-40", "run/2021-09-09T03-46-40")
    assert [len(reader.read(name)) for name in reader.record_ids] == [50, 60]
    assert {reader.read(name).patient_id for name in reader.record_ids} == {"run"}


@pytest.mark.parametrize("number", [fit.BEAT_INTERVALS, fit.RAW_BBI])
def test_newer_messages_of_garmin_are_read(tmp_path, number):
    writer = FitWriter()
    writer.file_id()
    for packet in range(20):
        at = STARTED + round(2.4 * (packet + 1))
        writer.message(number, [(253, "u32", at), (0, "u16", 0), (1, "u16", [800, 810, 790])])
    (record,) = read(written(tmp_path, writer.content()))
    assert record.rr_ms.tolist() == [800, 810, 790] * 20


def test_the_gap_bit_of_raw_intervals_begins_a_new_file(tmp_path):
    writer = FitWriter()
    writer.file_id()
    data = [800, 810, 0x8000 | 790, 800]
    writer.message(fit.RAW_BBI, [(253, "u32", STARTED), (0, "u16", 0), (1, "u16", data)])
    (record,) = read(written(tmp_path, writer.content()))
    assert record.rr_ms.tolist() == [800, 810, 790, 800]
    assert record.file_starts.tolist() == [0, 2]


def test_a_file_without_intervals_says_what_it_has_and_what_to_switch_on(tmp_path):
    writer = FitWriter()
    writer.file_id()
    for second in range(30):
        writer.record(STARTED + second)
    with refused(ValueRangeError, "run.fit", 30, "averages", "Log HRV", "Suunto"):
        read(written(tmp_path, writer.content()))


def test_damage_is_refused_with_a_remedy(tmp_path):
    content = bytearray(activity([800] * 50))
    content[60] ^= 1
    with refused(FormatError, "run.fit", "again"):
        read(written(tmp_path, bytes(content)))
    with refused(FormatError, "run.fit", "again"):
        read(written(tmp_path, bytes(content[:100])))


def test_intervals_that_are_written_twice_are_refused(tmp_path):
    writer = FitWriter()
    writer.file_id()
    for second in range(200):
        writer.hrv([900, 900])
        writer.record(STARTED + second)
    with refused(ValueRangeError, 360, 199):
        read(written(tmp_path, writer.content()))


def test_an_activity_of_a_chain_without_beats_is_left_out_with_a_line(tmp_path):
    without = FitWriter()
    without.file_id()
    without.record(STARTED)
    reader = ExportReader(written(tmp_path, activity([800] * 50) + without.content()))
    assert reader.record_ids == ("run",)
    assert reader.left_out == ("activity 2 of run.fit (no beat-to-beat intervals)",)


def test_stamps_since_the_device_was_switched_on_are_no_dates(tmp_path):
    writer = FitWriter()
    fit.beats(writer, [800] * 20, 100)
    (record,) = read(written(tmp_path, writer.content()))
    assert record.started is None
    assert record.rr_ms.tolist() == [800] * 20
