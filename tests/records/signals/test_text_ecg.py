"""ECG out of text: Apple's export, logs of straps, tables, one number a line."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from pacl.records import FormatError, ValueRangeError
from pacl.records.signals import read_ecg_head, read_text_ecg
from support.refusals import refused

RNG = np.random.default_rng(0)
UV = np.round(RNG.normal(0, 300, 2000), 3)

ENGLISH = """Name,Anna Example
Date of Birth,"Feb 5, 1952"
Recorded Date,2020-02-05 09:14:40 -0400
Classification,Sinus Rhythm
Symptoms,
Software Version,1.51
Device,"Watch5,4"
Sample Rate,512.844 hertz


Lead,Lead I
Unit,µV

"""
GERMAN = """Name
Geburtstag,"05.02.1952"
Aufzeichnungsdatum,2020-02-05 09:14:40 -0400
Klassifizierung,Sinusrhythmus
Symptome,
Softwareversion,1.51
Gerät,"Watch5,4"
Messrate,"512,844\u00a0Hertz"


Ableitung,Ableitung I
Einheit,µV

"""
SPANISH = """Nombre,Anna
Fecha de registro,2020-02-05 09:14:40 -0400
Clasificación,Ritmo sinusal
Frecuencia de muestreo,"512,844 hercios"

Derivación,Derivación I
Unidad,µV

"""


def put(folder: Path, text: str | bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines(values, *, comma: bool = False) -> str:
    text = "\n".join(f"{value:.3f}" for value in values) + "\n"
    return text.replace(".", ",") if comma else text


def column(folder: Path, text: str | bytes, **options) -> list[float]:
    (segment,) = read_text_ecg(put(folder, text), **options).segments
    return segment.millivolts[0].tolist()


@pytest.mark.parametrize(
    ("head", "comma", "lead", "verdict"),
    [
        (ENGLISH, False, "Lead I", "Sinus Rhythm"),
        (GERMAN, True, "Ableitung I", "Sinusrhythmus"),
        (SPANISH, True, "Derivación I", "Ritmo sinusal"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_apple_in_many_languages(tmp_path, head, comma, lead, verdict, encoding):
    path = put(tmp_path, (head + lines(UV, comma=comma)).encode(encoding))
    ours = read_text_ecg(path)
    assert (ours.fs_hz, ours.leads) == (512.844, (lead,))
    assert ours.started == datetime(2020, 2, 5, 9, 14, 40, tzinfo=timezone(timedelta(hours=-4)))
    np.testing.assert_allclose(ours.segments[0].millivolts[0], UV / 1000, rtol=1e-6)
    assert read_ecg_head(path.read_bytes(), "a").classification == verdict


def test_apple_with_whole_numbers_among_decimal_commas(tmp_path):
    body = "-265,868\n12\n0,5\n-1,25\n" * 9
    assert column(tmp_path, GERMAN + body)[:4] == pytest.approx(
        [-0.265868, 0.012, 0.0005, -0.00125]
    )


def polar(rows: int, *, gap: int | None = None) -> str:
    """A log of Polar Sensor Logger: packets of 73 samples, phone times that jitter."""
    out = ["Phone timestamp;sensor timestamp [ns];timestamp [ms];ecg [uV]"]
    start = datetime(2026, 4, 24, 14, 10, 15, 270_000)
    for row in range(rows):
        late_s = 10.0 if gap is not None and row >= gap else 0.0
        at_s = row / 130 + late_s
        phone = start + timedelta(seconds=row // 73 * 73 / 130 + late_s + (row // 73 % 3) * 0.2)
        stamp = 599_616_050_941_733_632 + round(at_s * 1e9)
        out.append(
            f"{phone.isoformat(timespec='milliseconds')};{stamp};{1000 * at_s:.6f};{row % 700 - 90}"
        )
    return "\n".join(out) + "\n"


def test_polar_log_counts_by_the_sensor_and_keeps_the_gap(tmp_path):
    ours = read_text_ecg(put(tmp_path, polar(2000, gap=1100)))
    assert (ours.fs_hz, ours.leads) == (130.0, ("ecg [uV]",))
    assert ours.started == datetime(2026, 4, 24, 14, 10, 15, 270_000)
    assert [part.millivolts.shape[1] for part in ours.segments] == [1100, 900]
    assert [part.onset_s for part in ours.segments] == pytest.approx([0, 1100 / 130 + 10], abs=1e-4)
    assert ours.segments[0].millivolts[0, :3].tolist() == pytest.approx([-0.09, -0.089, -0.088])


def test_packets_that_share_a_time_and_come_late_are_no_gap(tmp_path):
    rows = ["Phone timestamp;ecg [uV]"]
    start = datetime(2026, 4, 24, 14, 0)
    for row in range(73 * 60):
        packet = row // 73
        at_s = max(
            (packet + 1) * 73 / 130, 16.0 if 20 <= packet < 28 else 0
        )  # a stall of the radio
        at_s += 20.0 if packet >= 45 else 0.0  # and a real gap
        rows.append(f"{(start + timedelta(seconds=at_s)).isoformat()};{row % 50}")
    ours = read_text_ecg(put(tmp_path, "\n".join(rows)))
    assert ours.fs_hz == pytest.approx(130, rel=2e-3)
    assert [part.millivolts.shape[1] for part in ours.segments] == [73 * 45, 73 * 15]
    assert ours.segments[1].onset_s == pytest.approx(45 * 73 / 130 + 20, abs=0.05)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("time [s]", lambda s: f"{s:.4f}"),
        ("time", lambda s: f"{s:.4f}"),
        ("timestamp [ms]", lambda s: f"{1000 * s:.0f}"),
        ("timestamp", lambda s: f"{1000 * s:.0f}"),
        ("t_us", lambda s: f"{1e6 * s:.0f}"),
        ("Timestamp", lambda s: f"{1_775_181_600_000 + 1000 * s:.0f}"),
        ("timestamp_ns", lambda s: f"{1_775_181_600_000_000_000 + int(1e9 * s)}"),
        ("Elapsed time", lambda s: f"{int(s // 60)}:{s % 60:06.3f}"),
        (
            "time",
            lambda s: (datetime(2026, 4, 3, 2) + timedelta(seconds=s)).isoformat(
                " ", "milliseconds"
            ),
        ),
    ],
)
@pytest.mark.parametrize("hz", [125, 130, 250, 360])
def test_the_rate_comes_from_times_in_any_unit(tmp_path, name, form, hz):
    rows = [f"{form(at / hz)},{at % 90 / 100 - 0.3:.2f}" for at in range(900)]
    ours = read_text_ecg(put(tmp_path, f"{name},ECG (mV)\n" + "\n".join(rows)))
    assert ours.fs_hz == pytest.approx(hz, rel=2e-3)
    assert len(ours.segments) == 1
    assert ours.segments[0].millivolts[0, :3].tolist() == pytest.approx([-0.3, -0.29, -0.28])


def test_unix_times_say_when_it_began(tmp_path):
    rows = "\n".join(f"{1_775_181_600_000 + 4 * at},{at % 9}" for at in range(100))
    ours = read_text_ecg(put(tmp_path, f"Timestamp,Sample [uV]\n{rows}"))
    assert (ours.fs_hz, ours.started) == (250, datetime(2026, 4, 3, 2, tzinfo=UTC))


def test_movesense_without_units(tmp_path):
    rows = "\n".join(f"{1000 + at * 8},{round(900 * np.sin(at / 9))}" for at in range(2000))
    ours = read_text_ecg(put(tmp_path, f"timestamp,sample\n{rows}"))
    assert (ours.fs_hz, ours.leads) == (125, ("sample",))
    assert np.abs(ours.segments[0].millivolts).max() == pytest.approx(0.9, abs=1e-3)  # as uV


def test_movesense_with_a_packet_a_row(tmp_path):
    names = ",".join(f"sample{at}" for at in range(16))
    packets = [(row * 125, [row * 16 + at for at in range(16)]) for row in range(300)]
    packets = [(at_ms + (5000 if row > 99 else 0), p) for row, (at_ms, p) in enumerate(packets)]
    text = "\n".join(f"{at_ms},{','.join(map(str, packet))}" for at_ms, packet in packets)
    ours = read_text_ecg(put(tmp_path, f"timestamp,{names}\n{text}"))
    assert (ours.fs_hz, ours.leads) == (pytest.approx(128, rel=1e-3), ("ECG",))
    assert [part.millivolts.shape for part in ours.segments] == [(1, 1600), (1, 3200)]
    assert ours.segments[1].onset_s == pytest.approx(17.5, abs=0.01)
    assert np.diff(ours.segments[0].millivolts[0]) == pytest.approx(1e-3, abs=1e-5)


def test_several_leads_and_a_counter(tmp_path):
    text = "'sample #','MLII','V5'\n" + "".join(f"{at},{at % 5},-{at % 7}.5\n" for at in range(99))
    with refused(FormatError, "--sampling-rate"):
        read_text_ecg(put(tmp_path, text))
    ours = read_text_ecg(put(tmp_path, text), fs_hz=360.0)
    assert ours.leads == ("MLII", "V5")
    assert ours.segments[0].millivolts[:, 1].tolist() == [1, -1.5]
    assert read_text_ecg(put(tmp_path, text), fs_hz=360.0, lead="V5").leads == ("V5",)
    assert read_text_ecg(put(tmp_path, text), fs_hz=360.0, column="3").leads == ("V5",)


@pytest.mark.parametrize("head", ["", "time,ecg\n", "Time,voltage\n"])
def test_numbers_that_count_the_rows_are_no_times(tmp_path, head):
    text = head + "".join(f"{at},{at % 9 - 4}\n" for at in range(99))
    with refused(FormatError, "--sampling-rate"):
        read_text_ecg(put(tmp_path, text))
    assert read_text_ecg(put(tmp_path, text), fs_hz=360.0).fs_hz == 360


def test_rdsamp_has_units_below_the_names(tmp_path):
    rows = "".join(f"'0:{at / 360:06.3f}',-0.{100 + at},0.5\n" for at in range(300))
    text = f"'Elapsed time','MLII','RESP'\n'hh:mm:ss.mmm','mV','mV'\n{rows}"
    ours = read_text_ecg(put(tmp_path, text))
    assert (ours.leads, ours.fs_hz) == (("MLII",), pytest.approx(360, rel=3e-3))
    assert ours.segments[0].millivolts[0, 0] == pytest.approx(-0.1)


@pytest.mark.parametrize(
    "text",
    ["{}", "\n{}\n\n", "# fs: 250 Hz\n{}", "ECG\n{}", "Sample rate: 250\nECG [mV]\n{}", "\ufeff{}"],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_one_number_a_line(tmp_path, text, newline):
    content = text.format(lines(UV / 1000)).replace("\n", newline)
    found = column(tmp_path, content, fs_hz=250.0)
    written = [float(line) for line in lines(UV / 1000).split()]
    np.testing.assert_allclose(found, written, rtol=1e-6)


def test_the_rate_of_the_head_and_that_given(tmp_path):
    text = "Sample Rate:\t500\nTime\tECG\n" + "".join(f"{at / 500:.3f}\t{at}\n" for at in range(99))
    assert read_text_ecg(put(tmp_path, text)).fs_hz == 500
    with refused(ValueRangeError, "500", "250", "--sampling-rate"):
        read_text_ecg(put(tmp_path, text), fs_hz=250.0)
    single = put(tmp_path, "fs=125\n" + lines(UV))
    assert read_text_ecg(single).fs_hz == 125
    assert read_text_ecg(single, fs_hz=125.0).fs_hz == 125
    with refused(ValueRangeError, "250 Hz", "125 Hz", "--sampling-rate"):
        read_text_ecg(single, fs_hz=250.0)
    with refused(ValueRangeError, "0 Hz", "--sampling-rate"):
        read_text_ecg(single, fs_hz=0.0)
    with refused(FormatError, "125 and 250", "--sampling-rate"):
        read_text_ecg(put(tmp_path, "fs=125\nsampling rate: 250\n" + lines(UV)))


def test_without_any_rate_it_is_not_guessed(tmp_path):
    with refused(FormatError, "--sampling-rate"):
        read_text_ecg(put(tmp_path, lines(UV)))


@pytest.mark.parametrize(("size", "expected"), [(1e-3, 1000), (1.0, 1), (1000.0, 1e-3)])
def test_a_unit_that_is_not_stated_is_judged_by_size(tmp_path, size, expected):
    values = np.sin(np.arange(3000) / 20) * size
    text = "\n".join(f"{value:.7f}" for value in values)
    found = column(tmp_path, text, fs_hz=250.0)
    np.testing.assert_allclose(found, values * expected, atol=1e-3)


def test_no_ecg_spreads_over_volts(tmp_path):
    text = "\n".join(str(at % 2 * 5_000_000) for at in range(500))
    with refused(ValueRangeError, "unit", "5e+06"):
        read_text_ecg(put(tmp_path, text), fs_hz=250.0)


def test_missing_samples_and_numbers_in_other_forms(tmp_path):
    text = "ecg [mV],q\n0.1,1\n,1\nNaN,1\n1e-1,1\n +0.5 ,1\n\n.25,1\n"
    found = column(tmp_path, text, fs_hz=250.0, column="1")
    np.testing.assert_allclose(found, [0.1, np.nan, np.nan, 0.1, 0.5, 0.25])


@pytest.mark.parametrize(
    ("text", "options", "facts"),
    [
        ("ecg\n1\n2\n3\n4\nfive\n", {}, ("line 6", "'five'")),
        ("ecg\n1\n2\n3\n4\n1.2.3\n", {}, ("line 6", "'1.2.3'")),
        ("ecg\n1\n2\n3\n4\n1_0\n", {}, ("line 6", "'1_0'")),
        ("ecg\n1\n2\n3\n4\ninf\n", {}, ("line 6", "'inf'")),
        ("ecg,b\n1,2\n1,2\n1,2\n1,2\n1,2,3\n", {}, ("line 6", "3 columns")),
        ("ecg,b\n1,2\n1,2\n1,2\n1,2\n1,2,3\n4\n", {}, ("line 6", "3 columns")),
        ("ecg\n" * 9, {}, ("rows of numbers",)),
        ("", {}, ("rows of numbers",)),
        ("a,b\n" + "1,2\n" * 9, {}, ("'a', 'b'", "--column")),
        ("a,b\n" + "1,2\n" * 9, {"column": "c"}, ("'c'", "'a', 'b'")),
        ("a,b\n" + "1,2\n" * 9, {"column": "a", "lead": "b"}, ("--column", "--lead")),
        ("1\n2\n\0\n3\n4\n5\n", {}, ("binary",)),
        ("nan\n" * 9, {}, ("rows of numbers",)),
        ("ecg\n" + "1\n" * 9 + "8" * 70_000, {}, ("65,536",)),
    ],
)
def test_what_is_no_table_of_samples_is_refused(tmp_path, text, options, facts):
    with refused((FormatError, ValueRangeError), "a.csv", *facts):
        read_text_ecg(put(tmp_path, text), fs_hz=250.0, **options)


def test_time_that_goes_back(tmp_path):
    rows = [f"{at % 500 / 250:.3f},{at}" for at in range(900)]
    with refused(ValueRangeError, "'time'", 501):
        read_text_ecg(put(tmp_path, "time,ecg\n" + "\n".join(rows)))


def test_pieces_join_without_a_seam(tmp_path, monkeypatch):
    path = put(tmp_path, polar(1500).replace("\n", "\r\n"))
    whole = read_text_ecg(path)
    monkeypatch.setattr("pacl.records.signals.text_columns._CHUNK_BYTES", 701)
    parts = read_text_ecg(path)
    assert (parts.segments[0].millivolts == whole.segments[0].millivolts).all()
    broken = put(tmp_path, path.read_bytes() + b"2026;x;y;z\r\n")
    for size in (701, 702, 703, 1000):
        monkeypatch.setattr("pacl.records.signals.text_columns._CHUNK_BYTES", size)
        with refused(ValueRangeError, "line 1502"):
            read_text_ecg(broken)
    assert (parts.digest, parts.fs_hz) == (whole.digest, whole.fs_hz)
