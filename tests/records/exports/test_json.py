"""JSON of apps and accounts, made after their descriptions."""

import json
from datetime import datetime, timedelta

import numpy as np
import pytest

from pacl.records import FormatError, RecordError, ValueRangeError
from pacl.records.exports import ExportReader
from pacl.records.exports.recording import as_date
from support.refusals import refused

RR_MS = [int(one) for one in np.random.default_rng(0).normal(800, 50, size=120)]
START = datetime(2024, 5, 4, 21, 30)


def read(tmp_path, document, name="log.json"):
    path = tmp_path / name
    text = document if isinstance(document, str) else json.dumps(document)
    path.write_text(text, encoding="utf-8")
    reader = ExportReader(path)
    return [reader.read(one) for one in reader.record_ids]


def packets(rr_ms, size=2, start=START):
    """Packets with the time by which they came."""
    at = start
    for first in range(0, len(rr_ms), size):
        some = rr_ms[first : first + size]
        at += timedelta(milliseconds=sum(some))
        yield at, some


def movesense():
    return {
        "data": [{"heartRate": {"average": 75.0, "rrData": some}} for _, some in packets(RR_MS)]
    }


def suunto():
    return {
        "Samples": [
            {
                "TimeISO8601": f"{at.isoformat(timespec='milliseconds')}+02:00",
                "Attributes": {"suunto/sml": {"R-R": {"Data": some}}},
            }
            for at, some in packets(RR_MS)
        ]
    }


def polar_session():
    rr = [{"duration": f"PT{one / 1000}S"} for one in RR_MS]
    start = START.isoformat()
    return {"exercises": [{"startTime": start, "timezoneOffset": 120, "samples": {"rr": rr}}]}


def accesslink():
    data = ",".join(map(str, RR_MS))
    samples = [
        {"recording-rate": 1, "sample-type": "0", "data": "75,76"},
        {"recording-rate": 0, "sample-type": "11", "data": data},
    ]
    return {"start-time": START.isoformat(), "samples": samples}


def lines():
    return "\n".join(json.dumps({"t": at.timestamp(), "rr": some}) for at, some in packets(RR_MS))


def seconds():
    return {"rr": [one / 1000 for one in RR_MS]}


def bare():
    return RR_MS


def beats(rr_ms, gaps=()):
    at_s = np.append(0.5, 0.5 + np.cumsum(rr_ms) / 1000)
    return [
        {"timeSinceSeriesStart": round(float(one), 6), "precededByGap": number in gaps}
        for number, one in enumerate(at_s)
    ]


def heartbeats():
    start = "2024-05-04 21:30:00 +0200"
    return [{"sourceName": "Watch", "startDate": start, "heartbeatSeries": beats(RR_MS)}]


def polar_day(rr_ms=RR_MS, start=START):
    samples = [
        {"sampleDateTime": at.isoformat(timespec="milliseconds"), "pulseLength": some[0]}
        for at, some in packets(rr_ms, 1, start)
    ]
    day = start.strftime("%Y-%m-%d")
    return {"date": day, "devicePpiSamplesList": [{"deviceId": "A", "ppiSamples": samples}]}


@pytest.mark.parametrize(
    "make",
    [movesense, suunto, polar_session, accesslink, lines, seconds, bare, heartbeats, polar_day],
)
def test_intervals_of_each_layout_are_found(tmp_path, make):
    (record,) = read(tmp_path, make())
    assert record.rr_ms == pytest.approx(RR_MS, abs=0.01)
    assert record.file_starts.tolist() == [0]
    assert (record.record_id, record.patient_id) == ("log", "log")


@pytest.mark.parametrize(
    ("make", "started"),
    [
        (suunto, "2024-05-04T21:30:00+02:00"),
        (polar_session, "2024-05-04T21:30:00+02:00"),
        (accesslink, "2024-05-04T21:30:00"),
        (heartbeats, "2024-05-04T21:30:00.500000+02:00"),
        (polar_day, "2024-05-04T21:30:00"),
        (movesense, None),
    ],
)
def test_the_start_keeps_its_zone(tmp_path, make, started):
    (record,) = read(tmp_path, make())
    expected = started and datetime.fromisoformat(started)
    if expected is None:
        assert record.started is None
    else:
        assert abs(record.started - expected) < timedelta(milliseconds=2)
        assert record.started.utcoffset() == expected.utcoffset()


@pytest.mark.parametrize("unit", [1, 1e3, 1e9])
def test_a_silence_between_packets_begins_a_new_file(tmp_path, unit):
    """Also by the count of a device, in any unit."""
    both = [*packets(RR_MS[:60]), *packets(RR_MS[60:], start=START + timedelta(minutes=9))]
    text = "\n".join(
        json.dumps({"timestamp": (at - START).total_seconds() * unit, "rr": some})
        for at, some in both
    )
    (record,) = read(tmp_path, text)
    assert record.file_starts.tolist() == [0, 60]
    assert record.file_onset_s[1] == pytest.approx(540, abs=2)


def test_a_gap_of_a_heartbeat_series_begins_a_new_file(tmp_path):
    series = {"start": "2024-05-04T21:30:00Z", "heartbeats": beats(RR_MS, gaps=[10])}
    (record,) = read(tmp_path, series)
    assert record.rr_ms.size == len(RR_MS) - 1
    assert record.file_starts.tolist() == [0, 9]


def test_days_and_sessions_are_recordings_with_their_dates(tmp_path):
    days = [polar_day(), polar_day(RR_MS[:50], START + timedelta(days=1))]
    assert [one.record_id for one in read(tmp_path, days)] == ["log/2024-05-04", "log/2024-05-05"]
    one = {"startTime": "2024-05-04T21:30:05", "samples": {"rr": RR_MS}}
    found = read(tmp_path, {"exercises": [one, one]})
    assert [each.record_id for each in found] == [
        "log/2024-05-04T21-30-05",
        "log/2024-05-04T21-30-05-2",
    ]


def test_no_interval_is_made_of_what_is_no_number(tmp_path):
    (record,) = read(tmp_path, {"rr": [*RR_MS[:20], None, 0, "x", *RR_MS[20:]]})
    assert record.rr_ms.tolist() == RR_MS
    assert record.file_starts.tolist() == [0, 20]


@pytest.mark.parametrize(
    ("document", "facts"),
    [
        ({"data": {"metrics": [{"name": "heart_rate_variability"}]}}, ("SDNN", "export.zip")),
        ({"ecg": [{"voltageMeasurements": [{"voltage": 1, "date": ""}]}]}, ("ECGs", "CSV")),
        ([{"dateTime": "x", "value": {"bpm": 61, "confidence": 2}}], ("averages", "intervals")),
        ({"deviceDays": [{"samples": [{"heartRate": 61}]}]}, ("averages", "ppi_samples")),
        ([{"rmssd": 41, "coverage": 0.9}], ("RMSSD", "strap")),
        ({"sleepStages": []}, ("sleep",)),
        ({"colour": "red"}, ("colour", "rr")),
        ({"rr": [14.5, 15.0, 14.2]}, ("14.5", "in ms or s")),
        ({"rr": list(range(800, 9800, 90))}, ("beat times",)),
    ],
)
def test_what_cannot_work_says_what_to_export_instead(tmp_path, document, facts):
    with refused(ValueRangeError, "log.json", *facts):
        read(tmp_path, document)


def test_packets_that_are_repeated_are_refused(tmp_path):
    text = "\n".join(
        json.dumps({"timestamp": 500 * one, "rrIntervals": [1016]}) for one in range(90)
    )
    with refused(RecordError, "log.json"):
        read(tmp_path, text)


def test_smoothed_intervals_are_refused_unless_allowed(tmp_path):
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"rr": [60_000 / (60 + one % 30) for one in range(400)]}))
    with refused(ValueRangeError, "heart rate"):
        ExportReader(path).read("log")
    assert len(ExportReader(path, allow_smoothed=True).read("log")) == 400


@pytest.mark.parametrize(
    "text",
    [
        '{"rr": [800, 810',
        '{"rr": [800]}\n{"rr": ',
        '{"rr": [NaN]}',
        '{"rr": [1' + "0" * 5000 + "]}",
        "[" * 50_000,
        '{"a":' * 900 + "1" + "}" * 900,
        '{"rr": "\ud800"}'.encode("utf-8", "surrogatepass"),
        '{"rr": [1e999, 1e999]}',
    ],
    ids=["cut", "cut line", "nan", "digits", "deep", "nested", "surrogate", "infinite"],
)
def test_damaged_and_hostile_documents_are_refused(tmp_path, text):
    path = tmp_path / "log.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with refused(RecordError, "log.json"):
        ExportReader(path).read("log")


def test_too_many_values_are_refused_before_they_are_parsed(tmp_path):
    path = tmp_path / "log.json"
    path.write_bytes(b"[" + b"[]," * 1_000_001 + b"1]")
    with refused(FormatError, "1,000,000"):
        ExportReader(path).read("log")


def test_advice_for_json_names_no_option_that_json_refuses(tmp_path):
    with pytest.raises(ValueRangeError) as caught:
        read(tmp_path, {"rr": [14.5, 15.0, 14.2]})
    assert "--unit" not in str(caught.value)


def test_a_gap_that_a_heartbeat_series_does_not_mark_is_no_interval(tmp_path):
    series = beats(RR_MS)
    for one in series[40:]:
        one["timeSinceSeriesStart"] += 11
    (record,) = read(tmp_path, {"start": "2024-05-04T21:30:00Z", "heartbeats": series})
    assert record.file_starts.tolist() == [0, 39]
    assert record.rr_ms.max() < 2000


def test_packets_with_more_intervals_than_time_stay_on_the_clock(tmp_path):
    """A burst that repeats some intervals does not move what follows it."""
    rows = [*packets(RR_MS[:60])]
    burst = (rows[-1][0], RR_MS[:20])
    after = [*packets(RR_MS[60:62], start=rows[-1][0] + timedelta(seconds=11))]
    text = "\n".join(
        json.dumps({"timestamp": at.isoformat(), "rr": some}) for at, some in [*rows, burst, *after]
    )
    (record,) = read(tmp_path, text)
    assert record.file_starts.tolist() == [0, 80]
    assert record.file_onset_s[1] == pytest.approx(sum(RR_MS[:60]) / 1000 + 11, abs=0.01)


@pytest.mark.parametrize("absurd", [1e300, 9e8, 4e6])
def test_an_absurd_interval_is_a_gap_and_no_other_error(tmp_path, absurd):
    day = polar_day([*RR_MS[:50], *RR_MS[50:]])
    day["devicePpiSamplesList"][0]["ppiSamples"][50]["pulseLength"] = absurd
    (record,) = read(tmp_path, day)
    assert record.rr_ms.tolist() == [*RR_MS[:50], *RR_MS[51:]]
    assert record.file_starts.tolist() == [0, 50]


def test_seconds_that_are_no_date_are_no_other_error():
    assert as_date(-1e12, START) == as_date(1e300, START) == START
