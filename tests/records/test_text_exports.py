"""Exports of straps and apps, each written after its description, and those that hold no beats."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from pacl.records import TextReader
from pacl.records.errors import FormatError, RecordError, ValueRangeError
from pacl.records.text import parse_rr
from support.refusals import refused

RR = [812, 790, 805, 1010, 640, 815, 798, 801]
ENDS_MS = np.cumsum(RR).tolist()
BEGAN = datetime(2026, 4, 1, 9)


def iso(ms: int, zone: str = "") -> str:
    return (BEGAN + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds") + zone


def rows(*columns: object, sep: str = ",") -> str:
    return "".join(sep.join(map(str, row)) + "\n" for row in zip(*columns, strict=True))  # type: ignore[call-overload]


BEGINS_MS = [0, *ENDS_MS[:-1]]
FIT_S = int((BEGAN - datetime(1989, 12, 31)).total_seconds())

READ = {
    "elite hrv, text": rows(RR),
    "elite hrv, csv": "RR Intervals\n" + rows(RR),
    "hrv4training, recording": "RR\n" + rows(RR),
    "hrv logger": "date, timestamp, rr, since start\n"
    + rows(
        [f"2026-04-01 09:00:{round(ms / 1000):02} +0000" for ms in BEGINS_MS],
        [1775034000 + round(ms / 1000) for ms in BEGINS_MS],
        RR,
        BEGINS_MS,
    ),
    "polar sensor logger": "Phone timestamp;RR-interval [ms]\n"
    + rows([iso(1637 * (i // 2) + 1700) for i in range(8)], RR, sep=";"),
    "polar ppi": "Phone Data RX timestamp;PP-interval [ms];error estimate [ms];blocker;contact;"
    "contact supported;hr [bpm]\n"
    + rows([iso(ms) for ms in ENDS_MS], RR, *([x] * 8 for x in (5, 0, 1, 1, 74)), sep=";"),
    "movesense": "Timestamp,rrData\n" + rows(ENDS_MS, RR),
    "movesense, lists": "timestamp,average,rrData\n1700,74.1,[812 790]\n3400,74,[805]\n"
    "4700,73,[1010 640]\n6300,74,[815]\n7100,74,[798 801]\n",
    "nrf connect": "nRF Connect, 2026-04-01\nPolar H10 12345678 (00:11:22:33:44:55)\n"
    + "".join(
        f'A\t09:00:{i:02}.250\t"Heart Rate Measurement: 74 bpm,Contact is Detected,RR Interval: '
        f'{a:.2f} ms, {b:.2f} ms" received\n'
        for i, (a, b) in enumerate(zip(RR[::2], RR[1::2], strict=True))
    ),
    "fitcsvtool": "Type,Local Number,Message,Field 1,Value 1,Units 1,Field 2,Value 2,Units 2\n"
    "Definition,0,file_id,serial_number,1,,,,\n"
    + "".join(
        f'Data,0,record,timestamp,"{FIT_S + 2 * i}",s,heart_rate,"74",bpm\n'
        f'Data,8,hrv,time,"{a / 1000}|{b / 1000}|65.535|65.535|65.535",s,,,\n'
        for i, (a, b) in enumerate(zip(RR[::2], RR[1::2], strict=True))
    ),
    "firstbeat": "Firstbeat Bodyguard\nStart time: 01.04.2026 09:00:00\nSubject: 7\n\nRRVector\n"
    + rows(RR),
    "faros": "# eMotion Faros\n# start 01.04.2026 09:00:00\nRR [ms]\n" + rows(RR),
    "holter": "Patient: 7\nDate: 2026-04-01 09:00:00\nBeat,Type,RR (ms)\n"
    + rows(range(1, 9), "NNNVNNNN", RR),
    "mindware": "RR\tinterval\n".replace("\t", " ") + rows(RR),
    "hexoskin": "RR_interval [s]\n" + rows([rr / 1000 for rr in RR]),
    "empatica e4": "1775034000.000000, IBI\n"
    + rows([f"{(ms + 7000) / 1000:.6f}" for ms in ENDS_MS], [f"{rr / 1000:.6f}" for rr in RR]),
    "embraceplus": "systolic_peak_timestamp\n"
    + rows([(1775034000000 + ms) * 10**6 for ms in (0, *ENDS_MS)]),
    "corsense": "rr\n" + rows(RR),
    "bluetooth logger": "timestamp,heart rate,RR1,RR2\n"
    + rows([1.8, 3.6, 5.2, 6.7], [74] * 4, RR[::2], RR[1::2]),
    "garmin connect iq": "Date,BBI\n" + rows([iso(ms) for ms in ENDS_MS], RR),
}


@pytest.mark.parametrize("app", READ)
def test_every_app_gives_the_same_intervals(app: str) -> None:
    record = parse_rr(READ[app].encode(), "export.csv")
    assert np.abs(record.rr_ms - np.array(RR, dtype=np.float32)).max() < 0.01
    assert record.file_starts.tolist() == [0]


@pytest.mark.parametrize(
    ("app", "off_s"),
    [
        ("hrv logger", 0),
        ("polar sensor logger", 0.1),
        ("polar ppi", 0),
        ("fitcsvtool", 0),
        ("empatica e4", 7),
        ("embraceplus", 0),
        ("firstbeat", 0),
        ("holter", 0),
        ("garmin connect iq", 0),
    ],
)
def test_when_they_began(app: str, off_s: float) -> None:
    started = parse_rr(READ[app].encode(), "export.csv").started
    assert started is not None
    aware = started.replace(tzinfo=UTC)
    assert abs((aware - BEGAN.replace(tzinfo=UTC)).total_seconds() - off_s) < 0.35


def wrist(share: float) -> tuple[np.ndarray, np.ndarray, str]:
    """Ends and lengths of the intervals that a sensor is sure of, and both as text."""
    rng = np.random.default_rng(0)
    rr_s = rng.normal(0.8, 0.05, 3000)
    ends_s = np.cumsum(rr_s)
    seen = rng.random(3000) < share
    seen[1000:1100] = False
    cells = [f"{at:.6f},{rr:.6f}" for at, rr in zip(ends_s[seen], rr_s[seen], strict=True)]
    return ends_s[seen], rr_s[seen], "\n".join(cells)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.9])
def test_the_time_of_beats_that_a_wrist_sensor_leaves_out_is_kept(share: float) -> None:
    ends_s, rr_s, cells = wrist(share)
    record = parse_rr(f"1775034000.000000, IBI\n{cells}".encode(), "IBI.csv")
    plausible = record.rr_ms[(record.rr_ms >= 200) & (record.rr_ms <= 2000)]
    assert plausible.size == rr_s.size
    assert np.abs(plausible - 1000 * rr_s).max() < 0.01
    assert record.gaps().size >= 1
    assert record.onset_s()[-1] == pytest.approx(ends_s[-1] - ends_s[0], abs=1.5)


def test_beats_left_out_are_no_contradiction_of_clock_and_intervals() -> None:
    _, rr_s, cells = wrist(0.4)
    record = parse_rr(f"time [s],IBI [s]\n{cells}".encode(), "wrist.csv")
    assert len(record) == rr_s.size
    assert len(record.file_starts) > 1


def test_pauses_of_hours_are_files_of_their_own() -> None:
    text = "1775034000.0, IBI\n8.0,0.8\n8.8,0.8\n9000.0,0.9\n9000.8,0.8\n"
    record = parse_rr(text.encode(), "IBI.csv")
    assert record.file_starts.tolist() == [0, 2]
    assert record.file_onset_s[1] == pytest.approx(8991.9, abs=1e-3)


def test_an_empatica_file_of_a_header_only_or_a_wrong_number() -> None:
    with refused(RecordError, "IBI.csv"):
        parse_rr(b"1775034000.000000, IBI\n", "IBI.csv")
    with refused(ValueRangeError, "IBI.csv line 3"):
        parse_rr(b"1775034000.000000, IBI\n7.5,0.8\nx,0.8\n8.3,0.8\n", "IBI.csv")


def test_several_recordings_of_packets(tmp_path: Path) -> None:
    path = tmp_path / "ward.csv"
    path.write_text("patient,rr\nanna,[812;790]\nbert,[700]\nanna,[805]\n")
    reader = TextReader(path)
    assert reader.record_ids == ("ward/anna", "ward/bert")
    assert reader.read("ward/anna").rr_ms.tolist() == [812, 790, 805]


POLAR_FLOW = (
    "Name,Sport,Date,Start time,Duration,Total distance (km),Average heart rate (bpm)\n"
    "Anna,Running,01-04-2026,09:00:00,00:00:03,0.1,85\n"
    "Sample rate,Time,HR (bpm),Speed (km/h),Pace (min/km),Cadence,Altitude (m)\n"
    "1,00:00:00,85,,,,\n1,00:00:01,86,,,,\n1,00:00:02,88,,,,\n"
)
REFUSED = {
    "hrv4training": (
        "date,timestamp_measurement,HR,AVNN,SDNN,rMSSD,pNN50,LF,HF,HRV4T_Recovery_Points\n"
        "2026-04-01,2026-04-01 07:00:00,54,1111,60,55,30,900,700,8.1\n",
        ("HRV4Training", "RR intervals"),
    ),
    "hrv logger, features": (
        "timestamp,AVNN,SDNN,rMSSD,pNN50,LF,HF\n10,800,50,40,10,900,800\n20,810,52,41,11,900,800\n",
        ("HRV Logger", "_RR.csv"),
    ),
    "hrv logger, heart rate": ("timestamp,HR\n10,74\n11,75\n", ("heart rate", "'HR'")),
    "polar flow": (POLAR_FLOW, ("Polar Flow", "RR intervals")),
    "polar sensor logger, heart rate": (
        "Phone timestamp;HR [bpm];HRV [ms];Breathing interval [rpm];\n"
        "2026-04-01T09:00:00.000;64;42.5;;\n2026-04-01T09:00:01.000;65;42.1;;\n",
        ("Polar Sensor Logger", "_RR.txt"),
    ),
    "apple, heart rate": (
        "Date/Time,Heart Rate [Min] (count/min),Heart Rate [Max] (count/min)\n"
        "2026-04-01 09:00:00,60,71\n2026-04-01 09:05:00,62,73\n",
        ("Apple Health", "export.zip"),
    ),
    "apple, sdnn": (
        "Date/Time,Heart Rate Variability (ms)\n2026-04-01 09:00:00,47.2\n2026-04-02 09:00:00,51\n",
        ("Apple Health", "export.zip"),
    ),
    "apple, a table of records": (
        "type,sourceName,unit,value\nHKQuantityTypeIdentifierHeartRate,Watch,count/min,61\n",
        ("RR intervals", "--column"),
    ),
    "heart rate": ("heart_rate\n72\n75\n71\n", ("heart rate averages", "'heart_rate'")),
    "heart rate and time": ("time,bpm\n0,72\n1,75\n", ("heart rate averages", "RR intervals")),
    "sdnn": ("date,SDNN\n2026-04-01,47\n2026-04-02,52\n", ("summary values", "'SDNN'")),
    "ithlete": ("Date,Time,HRV,HR,Indicator\n2026-04-01,07:00,72,54,W\n", ("ithlete",)),
    "kubios": (
        "HRV ANALYSIS RESULTS - 13-Sep-2018\nKubios HRV Standard\nMean RR (ms):, 707.5,\n",
        ("Kubios", "RR data"),
    ),
    "garmin without hrv": (
        "Type,Local Number,Message,Field 1,Value 1,Units 1\n"
        'Data,0,record,timestamp,"1000000000",s\n',
        ("RR intervals", "Log HRV"),
    ),
    "strap without rr": (
        '09:00:00 "Heart Rate Measurement: 74 bpm,Contact is Detected" received\n',
        ("RR intervals",),
    ),
    "ecg, by name": ("time,ecg [uV]\n0,-12\n0.004,-9\n", ("ECG", "--layout ecg --sampling-rate")),
    "ecg, by values": (
        "\n".join(f"{v:.3f}" for v in np.sin(np.arange(600) / 9)),
        ("ECG", "--layout ecg --sampling-rate"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_averages_and_signals_are_refused_with_what_to_export(case: str) -> None:
    text, facts = REFUSED[case]
    with refused(FormatError, "export.csv", *facts):
        parse_rr(text.encode(), "export.csv")


def test_a_column_asked_for_is_read_whatever_its_name() -> None:
    text = b"date,HRV\n2026-04-01T09:00:00,812\n2026-04-01T09:00:01,790\n"
    with refused(FormatError, "'HRV'", "--column"):
        parse_rr(text, "a.csv")
    assert parse_rr(text, "a.csv", column="HRV").rr_ms.tolist() == [812, 790]
    assert parse_rr(b"HRV\n812\n790\n", "a.csv").rr_ms.tolist() == [812, 790]


def test_beats_of_a_heart_rate_table_are_read() -> None:
    text = b"time,heart rate,rr\n0.0,74,812\n0.8,75,790\n"
    assert parse_rr(text, "a.csv").rr_ms.tolist() == [812, 790]


def test_counts_of_a_converter_are_no_intervals():
    counts = 2048 + 300 * np.sin(np.arange(1000) / 9).round()
    with refused(FormatError, "x.txt", "outside 200-2000 ms", "--layout ecg --sampling-rate"):
        parse_rr("".join(f"{one:.0f}\n" for one in counts + 400).encode(), "x.txt")


def test_daily_values_of_whoop_are_named():
    text = b"Cycle start time,Heart rate variability (ms),Recovery score %\n2026-04-01,55,70\n"
    with refused(FormatError, "x.csv", "WHOOP"):
        parse_rr(text, "x.csv")


def test_a_log_of_pacl_listen_that_was_torn_reads_to_its_last_whole_row():
    rows = "".join(f"2026-04-01T21:30:{at:02}.000,1000,1\n" for at in range(20))
    whole = "# pacl listen 1\ntime,rr_ms,valid\n" + rows
    record = parse_rr((whole + "2026-04-01T21:3").encode(), "x.csv")
    assert len(record) == 20
    assert len(parse_rr(whole.encode(), "x.csv")) == 20
