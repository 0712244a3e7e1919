"""ECG out of WFDB records; wfdb itself is the oracle for every format and layout."""

import os
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
import wfdb

from pacl.records import FormatError, LayoutError
from pacl.records.errors import RecordError
from pacl.records.signals import read_wfdb_ecg
from pacl.records.signals.wfdb_formats import FORMATS
from support.refusals import refused

RNG = np.random.default_rng(0)


def write(folder: Path, name: str, lines: list[str], record: str, **files: bytes) -> Path:
    (folder / f"{name}.hea").write_text("\n".join([record, *lines]) + "\n")
    for ending, content in files.items():
        (folder / f"{name}.{ending}").write_bytes(content)
    return folder / name


def content_of(form: str, samples: int) -> bytes:
    """Random samples as bytes, some of them missing; unused bits are 0, as writers leave them."""
    raw = RNG.integers(0, 256, FORMATS[form].bytes_for(samples) + 8, dtype=np.uint8)
    if form == "311":
        raw[3::4] &= 0x3F
    raw = raw[: FORMATS[form].bytes_for(samples)]
    return raw.tobytes()


def same(stem: Path, *, frame: int = 1) -> None:
    ours = read_wfdb_ecg(stem)
    theirs = wfdb.rdrecord(str(stem), smooth_frames=False)
    expected = [signal for signal in theirs.e_p_signal if signal.size == theirs.sig_len * frame]
    assert ours.fs_hz == theirs.fs * frame
    assert len(ours.segments) == 1
    np.testing.assert_allclose(
        ours.segments[0].millivolts, np.stack(expected), rtol=2e-6, atol=2e-6
    )


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("signals", "length"), [(1, 1), (1, 7), (2, 100), (3, 101), (5, 3000)])
def test_every_format_is_read_as_wfdb_reads_it(tmp_path, form, signals, length):
    lines = [
        f"x.dat {form} {100 + 3 * at}.5({7 * at - 9})/mV 12 {at} {at * 5} 0 0 V{at + 1}"
        for at in range(signals)
    ]
    dat = content_of(form, signals * length)
    same(write(tmp_path, "x", lines, f"x {signals} 250 {length}", dat=dat))


@pytest.mark.parametrize(
    ("form", "sizes"),
    [
        ("16", (0, 2, 4, 6)),
        ("24", (0, 3, 6, 9)),
        ("80", (0, 1, 2, 3)),
        ("212", (0, 2, 3, 5)),
        ("310", (0, 2, 4, 4)),
        ("311", (0, 2, 3, 4)),
    ],
)
def test_bytes_of_some_samples(form, sizes):
    assert tuple(FORMATS[form].bytes_for(count) for count in range(4)) == sizes
    for size in range(sizes[-1] + 1):
        most = max(count for count in range(4) if sizes[count] <= size)
        assert FORMATS[form].samples_in(size) == most


@pytest.mark.parametrize("form", FORMATS)
def test_chunks_join_without_a_seam(tmp_path, form, monkeypatch):
    monkeypatch.setattr("pacl.records.signals.wfdb_files._CHUNK_SAMPLES", 50)
    lines = [f"x.dat {form} 200 12 0 3 0 0 V{at}" for at in (1, 2, 3)]
    dat = content_of(form, 3 * 501)
    same(write(tmp_path, "x", lines, "x 3 250 501", dat=dat))


@pytest.mark.parametrize("form", ["16", "212", "310", "311", "80"])
def test_skew_byte_offset_and_several_files(tmp_path, form):
    lines = [
        f"x.dat {form}:3+17 200 12 0 0 0 0 I",
        f"x.dat {form}+17 100/uV 12 4 0 0 0 II",
        "x.two 16:40 50(1000)/mV 16 0 0 0 0 V1",
    ]
    stem = write(
        tmp_path,
        "x",
        lines,
        "x 3 250 100",
        dat=b"?" * 17 + content_of(form, 200),
        two=content_of("16", 100),
    )
    ours = read_wfdb_ecg(stem).segments[0].millivolts
    theirs = wfdb.rdrecord(str(stem)).p_signal.T
    theirs[1] /= 1000  # wfdb keeps uV
    np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=2e-6)
    assert np.isnan(ours[0, -3:]).all()
    assert np.isnan(ours[2, -40:]).all()


def test_of_several_samples_a_frame_the_fastest_are_kept(tmp_path):
    lines = [
        "x.dat 16x4 200 12 0 0 0 0 ECG",
        "x.dat 16 200 12 0 0 0 0 V5",
        "x.dat 16x4 9 9 0 0 0 0 V",
    ]
    stem = write(tmp_path, "x", lines, "x 3 125 50", dat=content_of("16", 9 * 50))
    same(stem, frame=4)
    assert read_wfdb_ecg(stem).leads == ("ECG", "V")
    assert read_wfdb_ecg(stem, "V5").fs_hz == 125


def test_the_lowest_number_is_a_missing_sample(tmp_path):
    dat = np.array([5, -32768, 7], "<i2").tobytes()
    stem = write(tmp_path, "x", ["x.dat 16 10 12 0 0 0 0 II"], "x 1 250 3", dat=dat)
    found = read_wfdb_ecg(stem).segments[0].millivolts[0]
    assert found[[0, 2]].tolist() == pytest.approx([0.5, 0.7])
    assert np.isnan(found[1])


def test_fields_left_out_and_a_gain_of_zero(tmp_path):
    dat = np.array([200, -400], "<i2").tobytes()
    for line in ("x.dat 16", "x.dat 16 0", "x.dat 16 200 II", "x.dat 16 200/mV"):
        found = read_wfdb_ecg(write(tmp_path, "x", [line], "x 1 250", dat=dat))
        assert found.segments[0].millivolts.tolist() == [[1, -2]]


def test_start_digest_and_source(tmp_path):
    line = "x.dat 16 200 12 0 0 0 0 II"
    stem = write(tmp_path, "x", [line], "x 1 250 3 9:30:00 31/01/2003", dat=bytes(6))
    first = read_wfdb_ecg(stem)
    assert first.started == datetime(2003, 1, 31, 9, 30)
    assert first.source == str(stem)
    (tmp_path / "x.dat").write_bytes(bytes(5) + b"\1")
    assert read_wfdb_ecg(stem).digest != first.digest
    (tmp_path / "x.dat").write_bytes(bytes(6))
    assert read_wfdb_ecg(stem).digest == first.digest
    (tmp_path / "x.dat").write_bytes(bytes(7))  # behind the last sample, but part of the file
    assert read_wfdb_ecg(stem).digest != first.digest


def test_without_a_number_of_samples_the_file_decides(tmp_path):
    lines = ["x.dat 16 200 12 0 0 0 0 I", "x.dat 16 200 12 0 0 0 0 II"]
    for record in ("x 2 250", "x 2 250 0"):
        stem = write(tmp_path, "x", lines, record, dat=content_of("16", 15))
        assert read_wfdb_ecg(stem).segments[0].millivolts.shape == (2, 7)


# Segments


def write_segments(folder: Path, names: list[list[str]], lengths: list[int]) -> None:
    for number, (signals, length) in enumerate(zip(names, lengths, strict=True), 1):
        lines = [f"m_{number}.dat 16 {150 + number} 12 0 0 0 0 {name}" for name in signals]
        dat = RNG.integers(-900, 900, len(signals) * length).astype("<i2").tobytes()
        record = f"m_{number} {len(signals)} 250 {length}"
        write(folder, f"m_{number}", lines, record, dat=dat)


def test_a_fixed_layout_is_joined_and_null_segments_are_gaps(tmp_path):
    write_segments(tmp_path, [["I", "II"]] * 3, [100, 50, 25])
    segments = ["m_1 100", "m_2 50", "~ 500", "m_3 25"]
    stem = write(tmp_path, "m", segments, "m/4 2 250 675")
    ours = read_wfdb_ecg(stem)
    parts = [wfdb.rdrecord(str(tmp_path / f"m_{at}")).p_signal.T for at in (1, 2, 3)]
    assert [segment.onset_s for segment in ours.segments] == [0, 650 / 250]
    joined = np.concatenate(parts[:2], axis=1)
    np.testing.assert_allclose(ours.segments[0].millivolts, joined, rtol=1e-6)
    np.testing.assert_allclose(ours.segments[1].millivolts, parts[2], rtol=1e-6)
    assert ours.duration_s == 675 / 250
    whole = write(tmp_path, "w", ["m_1 100", "m_2 50", "m_3 25"], "w/3 2 250 175")
    theirs = wfdb.rdrecord(str(whole)).p_signal.T
    (segment,) = read_wfdb_ecg(whole).segments
    np.testing.assert_allclose(segment.millivolts, theirs, rtol=1e-6)


def test_a_variable_layout_has_leads_that_come_and_go(tmp_path):
    write_segments(tmp_path, [["II", "V"], ["PLETH"], ["V"], ["PLETH", "II"]], [100, 40, 60, 20])
    layout = [f"~ 0 {gain} 12 0 0 0 0 {name}" for gain, name in ((151, "II"), (151, "V"))]
    layout.append("~ 0 151/NU 12 0 0 0 0 PLETH")
    write(tmp_path, "m_0", layout, "m_0 3 250 0")
    segments = ["m_0 0", "m_1 100", "m_2 40", "m_3 60", "~ 30", "m_4 20"]
    stem = write(tmp_path, "m", segments, "m/6 3 250 250")
    ours = read_wfdb_ecg(stem)
    assert ours.leads == ("II", "V")
    assert [segment.onset_s * 250 for segment in ours.segments] == [0, 140, 230]
    theirs = wfdb.rdrecord(str(stem), m2s=True)
    expected = theirs.p_signal[:, [theirs.sig_name.index(name) for name in ours.leads]].T
    for segment in ours.segments:
        start = round(segment.onset_s * 250)
        part = expected[:, start : start + segment.millivolts.shape[1]]
        np.testing.assert_allclose(segment.millivolts, part, rtol=1e-6)
    assert np.isnan(ours.segments[1].millivolts[0]).all()
    assert [segment.onset_s for segment in read_wfdb_ecg(stem, "V").segments] == [0, 0.56]


@pytest.mark.parametrize(
    ("segments", "record", "facts"),
    [
        (["m_1 100", "m_2 51"], "m/2 2 250 151", (50, 51)),
        (["m_1 100", "m_2 50"], "m/2 2 250 151", (150, 151)),
        (["m_1 100", "m_1 100"], "m/2 2 250 200", ("m_1", "twice")),
        (["m_1 100", "m_9 100"], "m/2 2 250 200", ("m_9.hea",)),
        (["m_1 100", "m_2 50"], "m/2 2 500 150", ("250 Hz", "500 Hz")),
        (["m_1 100"], "m/2 2 250", (2, 1)),
        (["~ 100"], "m/1 2 250", ("empty",)),
        (["~ 0", "m_1 100"], "m/2 2 250", ("first segment",)),
    ],
)
def test_segments_that_do_not_fit(tmp_path, segments, record, facts):
    write_segments(tmp_path, [["I", "II"]] * 2, [100, 50])
    with refused(FormatError, *facts):
        read_wfdb_ecg(write(tmp_path, "m", segments, record))


# Refusals


@pytest.mark.parametrize(
    ("line", "record", "facts"),
    [
        ("x.dat 16 200 12 0 0 0 0 II", "x 1 250 11", ("x.dat", 10, 11)),
        ("x.dat 16+3 200 12 0 0 0 0 II", "x 1 250 9", (8, 9)),
        ("x.dat 516 200 12 0 0 0 0 II", "x 1 250 10", ("format 516", "16, 24, 32, 61", "xform")),
        ("x.dat 16 200 12 0 0 0 0 II", "x 2 250 10", (2, 1)),
        ("x.dat 16 200 12 0 0 0 0 II", "x 1", ("sampling frequency",)),
        ("x.dat 16 200 12 0 0 0 0 II", "x 1 nan 10", ("nan",)),
        ("x.dat 16x0 200 12 0 0 0 0 II", "x 1 250 10", ("0 samples a frame",)),
        ("x.dat 16 1e99 12 0 0 0 0 II", "x 1 250 10", ("1e+99",)),
        ("x.dat sixteen", "x 1 250 10", ("sixteen",)),
        ("x.dat 16 200/mmHg 12 0 0 0 0 ABP", "x 1 250 10", ("ABP", "mmHg", "--lead")),
        ("x.dat 16+21 200 12 0 0 0 0 II", "x 1 250", ("no sample",)),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tmp_path, line, record, facts):
    with refused(FormatError, *facts):
        read_wfdb_ecg(write(tmp_path, "x", [line], record, dat=bytes(20)))


@pytest.mark.parametrize("name", ["../x.dat", "/etc/passwd", "a/x.dat", "-", "..", "a\\x.dat", "~"])
def test_no_file_outside_the_folder_is_opened(tmp_path, name):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "x.dat").write_bytes(bytes(200))
    with refused(RecordError, "x.hea"):
        read_wfdb_ecg(write(inner, "x", [f"{name} 16 200 12 0 0 0 0 II"], "x 1 250"))
    if name.strip("~-."):
        with refused(LayoutError, "m.hea"):
            read_wfdb_ecg(write(inner, "m", [f"{name} 10"], "m/1 1 250"))


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.dat")
    with refused(FormatError, "x.dat", "pipe"):
        read_wfdb_ecg(write(tmp_path, "x", ["x.dat 16 200 12 0 0 0 0 II"], "x 1 250 10"))


def test_more_than_fits_in_memory_is_refused(tmp_path):
    lines = [f"x.dat 16 200 12 0 0 0 0 V{at}" for at in range(1, 7)]
    stem = write(tmp_path, "x", lines, "x 6 250")
    with (tmp_path / "x.dat").open("wb") as file:
        file.truncate(6 * 2 * 100_000_000)
    with refused(LayoutError, "6 leads", "--lead"):
        read_wfdb_ecg(stem)


def test_files_of_different_length_without_a_promise(tmp_path):
    lines = ["x.dat 16 200 12 0 0 0 0 I", "x.two 16 200 12 0 0 0 0 II"]
    stem = write(tmp_path, "x", lines, "x 2 250", dat=bytes(20), two=bytes(90))
    with refused(FormatError, 10, 45):
        read_wfdb_ecg(stem)


@pytest.mark.real
def test_real_records_are_read_as_wfdb_reads_them(data):
    stems = [path.with_suffix("") for path in sorted(data.glob("*/*.dat"))]
    assert len(stems) == 11
    for stem in stems:
        same(stem)
        assert len(read_wfdb_ecg(stem).leads) == 2
