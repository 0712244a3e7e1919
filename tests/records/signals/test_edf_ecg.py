"""ECG out of EDF, EDF+ and BDF; edfio writes them and is the oracle."""

import datetime as dt
from pathlib import Path

import edfio
import numpy as np
import pytest

from pacl.records import FormatError
from pacl.records.signals import looks_like_edf, read_edf_ecg
from support.refusals import refused

RNG = np.random.default_rng(0)
SIGNALS = (("ECG I", "mV", 256, 2.0), ("EEG C4-A1", "uV", 256, 100.0), ("ECG II", "uV", 256, 900.0))


def signal(label: str, unit: str, hz: float, size: float, seconds: int = 10) -> edfio.EdfSignal:
    values = RNG.normal(0, size / 3, int(hz * seconds)).clip(-size, size)
    return edfio.EdfSignal(
        values, hz, label=label, physical_dimension=unit, physical_range=(-size, size)
    )


def written(path: Path, signals=None, **options) -> Path:
    edfio.Edf(signals or [signal(*one) for one in SIGNALS], **options).write(path)
    return path


def edited(path: Path, at: int, text: str) -> Path:
    content = bytearray(path.read_bytes())
    content[at : at + len(text)] = text.encode()
    path.write_bytes(bytes(content))
    return path


def test_leads_are_read_as_edfio_reads_them(tmp_path):
    path = written(tmp_path / "a.edf")
    ours = read_edf_ecg(path)
    theirs = edfio.read_edf(path).signals
    assert (ours.leads, ours.fs_hz) == (("ECG I", "ECG II"), 256)
    (segment,) = ours.segments
    assert segment.onset_s == 0
    np.testing.assert_allclose(segment.millivolts[0], theirs[0].data, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(segment.millivolts[1], theirs[2].data / 1e3, rtol=1e-6, atol=1e-7)
    assert read_edf_ecg(path, "3").leads == ("ECG II",)


def test_the_fastest_leads_are_kept_and_records_may_be_odd(tmp_path):
    signals = [
        signal("ECG1", "uV", 100, 900),
        signal("RESP", "mV", 10, 1),
        signal("ECG2", "V", 500, 0.003),
    ]
    path = written(tmp_path / "a.edf", signals, data_record_duration=0.5)
    ours = read_edf_ecg(path)
    assert (ours.leads, ours.fs_hz) == (("ECG2",), 500)
    theirs = edfio.read_edf(path).signals[2].data * 1000
    np.testing.assert_allclose(ours.segments[0].millivolts[0], theirs, rtol=1e-6, atol=1e-6)
    assert read_edf_ecg(path, "ECG1").fs_hz == 100


def test_chunks_join_without_a_seam(tmp_path, monkeypatch):
    path = written(tmp_path / "a.edf")
    whole = read_edf_ecg(path)
    monkeypatch.setattr("pacl.records.signals.edf_ecg._CHUNK_BYTES", 3000)
    parts = read_edf_ecg(path)
    assert (parts.segments[0].millivolts == whole.segments[0].millivolts).all()
    assert parts.digest == whole.digest


def test_the_start_has_the_year_of_the_recording_field(tmp_path):
    path = written(
        tmp_path / "a.edf",
        recording=edfio.Recording(startdate=dt.date(2012, 3, 2)),
        starttime=dt.time(21, 30, 5),
    )
    assert read_edf_ecg(path).started == dt.datetime(2012, 3, 2, 21, 30, 5)
    edited(path, 88, "Startdate 02-MAR-2112 ")
    assert read_edf_ecg(path).started == dt.datetime(2112, 3, 2, 21, 30, 5)
    edited(path, 88, " " * 80)
    assert read_edf_ecg(path).started == dt.datetime(2012, 3, 2, 21, 30, 5)
    assert read_edf_ecg(edited(path, 168, "02.03.87")).started == dt.datetime(1987, 3, 2, 21, 30, 5)
    assert read_edf_ecg(edited(path, 168, "31.02.03")).started is None


def with_gaps(path: Path, onsets: list[str], kind: str = "EDF+D") -> Path:
    """Rewrite the time-keeping annotations of an EDF+ file with records of one second."""
    edf = edfio.Edf(
        [signal("ECG", "mV", 100, 2.0, seconds=len(onsets))],
        annotations=[edfio.EdfAnnotation(0, None, "x")],
    )
    edf.write(path)
    content = bytearray(path.read_bytes())
    content[192:197] = kind.encode()
    signals = int(content[252:256])
    head = 256 * (1 + signals)
    record = (len(content) - head) // len(onsets)
    for at, onset in enumerate(onsets):
        start = head + at * record + 2 * 100
        entry = onset.encode() + b"\x14\x14\0"
        content[start : head + (at + 1) * record] = entry.ljust(record - 200, b"\0")
    path.write_bytes(bytes(content))
    return path


def test_gaps_of_edf_plus_d_begin_new_segments(tmp_path):
    path = with_gaps(tmp_path / "a.edf", ["+0.5", "+1.5", "+2.5", "+100", "+101", "+110.25"])
    ours = read_edf_ecg(path)
    assert [segment.onset_s for segment in ours.segments] == [0.5, 100, 110.25]
    assert [segment.millivolts.shape[1] for segment in ours.segments] == [300, 200, 100]
    assert ours.duration_s == 111.25
    joined = np.concatenate([segment.millivolts for segment in ours.segments], axis=1)
    same = read_edf_ecg(edited(path, 192, "EDF+C"))
    assert (same.segments[0].millivolts == joined).all()
    assert [segment.onset_s for segment in same.segments] == [0.5]


def test_small_delays_add_up_to_a_gap(tmp_path):
    path = with_gaps(tmp_path / "a.edf", [f"+{at * 1.004:.3f}" for at in range(12)])
    assert [part.millivolts.shape[1] for part in read_edf_ecg(path).segments] == [300] * 4


@pytest.mark.parametrize(
    ("onsets", "fact"),
    [(["+0", "+1", "+1.5"], "data record 3"), (["+0", "x"], "data record 2"), (["+5", "+1"], "2")],
)
def test_times_that_are_none_or_go_back(tmp_path, onsets, fact):
    with refused(FormatError, "a.edf", fact):
        read_edf_ecg(with_gaps(tmp_path / "a.edf", onsets))


def test_times_are_not_read_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.records.signals.edf_ecg.MAX_TIMED_RECORDS", 2)
    path = with_gaps(tmp_path / "a.edf", ["+0", "+1", "+2"])
    with refused(FormatError, 3, 2):
        read_edf_ecg(path)
    assert read_edf_ecg(edited(path, 192, "EDF+C")).duration_s == 3


def test_a_recorder_that_was_stopped(tmp_path):
    path = written(tmp_path / "a.edf")
    path.write_bytes(path.read_bytes()[:-100])
    with refused(FormatError, 9, 10, "cut off"):
        read_edf_ecg(path)
    assert read_edf_ecg(edited(path, 236, "-1      ")).duration_s == 9
    with refused(FormatError, 9, 8):
        read_edf_ecg(edited(path, 236, "8       "))


def test_bdf_has_three_bytes_a_sample(tmp_path):
    path = written(tmp_path / "a.edf", [signal("ECG", "uV", 100, 900.0)])
    content = bytearray(path.read_bytes())
    numbers = RNG.integers(-(2**23), 2**23, 1000).astype("<i4")
    content[0:8] = b"\xffBIOSEMI"
    content[192:236] = b"24BIT".ljust(44)
    for at, text in ((104, "-8388608"), (112, "8388607 ")):  # behind unit and range of a signal
        content[256 + 16 + at : 256 + 24 + at] = text.encode()
    bdf = tmp_path / "a.bdf"
    bdf.write_bytes(bytes(content[:512]) + numbers.view(np.uint8).reshape(-1, 4)[:, :3].tobytes())
    ours = read_edf_ecg(bdf)
    expected = ((numbers + 2**23) * (1800 / (2**24 - 1)) - 900) / 1000
    np.testing.assert_allclose(ours.segments[0].millivolts[0], expected, rtol=1e-5, atol=1e-7)
    assert looks_like_edf(bdf.read_bytes())


@pytest.mark.parametrize(
    ("at", "text", "facts"),
    [
        (0, "1       ", ("EDF",)),
        (184, "999     ", ("EDF",)),
        (252, "9   ", ("EDF",)),
        (236, "-7      ", ("-7",)),
        (236, "many    ", ("many",)),
        (244, "1e9     ", ("1e+09",)),
        (244, "0       ", ("0 s",)),
        (256 + 216, "-5      ", ("-5",)),
        (256 + 216, "99999999", ("1 MHz",)),
        (256 + 216, "999999  ", ("10", "promises")),
        (256 + 104, "5       ", ("'ECG'",)),
        (256 + 120, "99999   ", ("'ECG'", "99999")),
        (256 + 96, "mmHg    ", ("'ECG'", "mmHg", "--lead")),
    ],
)
def test_absurd_headers_are_refused(tmp_path, at, text, facts):
    one = signal("ECG", "mV", 100, 2.0)
    path = edited(written(tmp_path / "a.edf", [one]), at, text)
    if at == 256 + 104:
        edited(path, 256 + 112, text)
    with refused(FormatError, "a.edf", *facts):
        read_edf_ecg(path)


def test_a_file_that_ends_in_its_header(tmp_path):
    path = written(tmp_path / "a.edf")
    for size in (0, 100, 256, 600):
        path.write_bytes(path.read_bytes()[:size])
        with refused(FormatError, "a.edf"):
            read_edf_ecg(path)


def test_recognition(tmp_path):
    head = written(tmp_path / "a.edf").read_bytes()[:256]
    assert looks_like_edf(head)
    assert not looks_like_edf(head[:255])
    assert not looks_like_edf(b"0       " + bytes(300))
    assert not looks_like_edf(b"812\n790\n" * 50)
