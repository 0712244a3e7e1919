"""Beat times in text: their differences are the intervals, or the file says what is missing."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from pacl.records import Rhythm, WfdbReader
from pacl.records.errors import RecordError, ValueRangeError
from pacl.records.text import parse_rr
from support.refusals import refused

RR = np.array([812, 790, 805, 1010, 640, 700, 712, 698, 850, 820, 640, 800], dtype=np.float64)
AT_S = np.append(0.4, 0.4 + np.cumsum(RR) / 1000)
BEGAN = datetime(2026, 4, 1, 22)


def column(name: str, cells: object) -> bytes:
    lines = [name] if name else []
    return "\n".join([*lines, *map(str, cells)]).encode()  # type: ignore[call-overload]


def ms(at_s: np.ndarray) -> list[int]:
    return [round(1000 * at) for at in at_s]


FORMS = {
    "seconds without a name": column("", [f"{at:.3f}" for at in AT_S]),
    "seconds": column("R-peak [s]", [f"{at:.3f}" for at in AT_S]),
    "seconds by their size": column("beat_time", [f"{at:.3f}" for at in AT_S]),
    "decimal comma": column("beat time", [f"{at:.3f}".replace(".", ",") for at in AT_S]),
    "milliseconds": column("rpeak_ms", ms(AT_S)),
    "milliseconds of a time": column("timestamp", ms(AT_S)),
    "unix ms": column("peak", [1775181600000 + at for at in ms(AT_S)]),
    "unix ns": column("systolic_peak_timestamp", [(1775181600000 + at) * 10**6 for at in ms(AT_S)]),
    "unix s": column("qrs", [f"{1775181600 + at:.3f}" for at in AT_S]),
    "iso": column("beat", [(BEGAN + timedelta(seconds=at)).isoformat() for at in AT_S]),
    "clock": column("time", [f"23:59:{58 + at:06.3f}" for at in AT_S if at < 1.9]),
    "samples with a rate": column("R-peak sample (1000 Hz)", ms(AT_S)),
    "numbered": column("beat,time [s]", [f"{i},{at:.3f}" for i, at in enumerate(AT_S)]),
    "sample and time": column(
        "sample,beat time [s]", [f"{round(at * 360)},{at:.3f}" for at in AT_S]
    ),
}


@pytest.mark.parametrize("form", [name for name in FORMS if name != "clock"])
def test_every_form_gives_the_same_intervals(form: str) -> None:
    record = parse_rr(FORMS[form], "a.csv")
    assert np.abs(record.rr_ms - RR).max() < 1e-2
    assert record.file_starts.tolist() == [0]


def test_clock_times_pass_midnight() -> None:
    cells = ("23:59:58.200", "23:59:59.012", "23:59:59.802", "00:00:00.607")
    record = parse_rr(column("beat time", cells), "a.csv")
    assert np.round(record.rr_ms).tolist() == [812, 790, 805]


def test_dates_and_zones_are_kept() -> None:
    at = parse_rr(FORMS["iso"], "a.csv").started
    assert at == BEGAN + timedelta(seconds=0.4)
    unix = parse_rr(FORMS["unix ns"], "a.csv").started
    assert unix is not None
    assert abs(unix - datetime(2026, 4, 3, 2, 0, 0, 400_000, tzinfo=UTC)) < timedelta(seconds=0.01)


def test_samples_need_a_rate() -> None:
    samples = column("r_peaks_sample", [round(at * 360) for at in AT_S])
    for content in (samples, column("r_peaks_sample", [f"{at * 2:.1f}" for at in AT_S])):
        with refused(ValueRangeError, "'r_peaks_sample'", "--sampling-rate"):
            parse_rr(content, "a.csv")
    record = parse_rr(samples, "a.csv", sampling_rate=360.0)
    assert np.abs(record.rr_ms - RR).max() < 4


def test_whole_numbers_may_be_samples_or_ms() -> None:
    for name in ("", "peaks"):
        content = column(name, ms(AT_S))
        with refused(ValueRangeError, "beat times", "--unit", "--sampling-rate"):
            parse_rr(content, "a.csv")
        assert np.abs(parse_rr(content, "a.csv", unit="ms").rr_ms - RR).max() < 1e-2
        doubled = parse_rr(content, "a.csv", sampling_rate=500.0)
        assert np.abs(doubled.rr_ms - 2 * RR).max() < 1e-2


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), 1e9])
def test_a_rate_that_is_none(rate: float) -> None:
    with refused(ValueRangeError, "Hz", "--sampling-rate"):
        parse_rr(column("sample", ms(AT_S)), "a.csv", sampling_rate=rate)


def test_a_rate_beside_intervals_or_seconds_is_refused() -> None:
    with refused(RecordError, "--sampling-rate"):
        parse_rr(b"812\n790\n", "a.csv", sampling_rate=250.0)
    with refused(RecordError, "--sampling-rate"):
        parse_rr(FORMS["seconds"], "a.csv", sampling_rate=250.0)
    assert len(parse_rr(b"rr\n812\n790\n", "a.csv", sampling_rate=250.0)) == 2


def test_a_rhythm_belongs_to_the_interval_that_begins_at_its_beat() -> None:
    labels = ["N"] * 5 + ["(AFIB"] * 8
    text = column("time,rhythm", [f"{at:.3f},{x}" for at, x in zip(AT_S, labels, strict=True)])
    record = parse_rr(text, "a.csv")
    assert record.rhythm().tolist() == [0] * 5 + [1] * 7
    assert parse_rr(text, "a.csv", rhythm_column="").rhythm().tolist() == [Rhythm.UNKNOWN] * 12
    other = text.replace(b"rhythm", b"label")
    assert parse_rr(other, "a.csv", rhythm_column="label").rhythm().tolist() == [0] * 5 + [1] * 7


def test_a_gap_is_no_beat() -> None:
    at_s = AT_S.copy()
    at_s[6:] += 3600
    record = parse_rr(column("beat time [s]", [f"{at:.3f}" for at in at_s]), "a.csv")
    assert record.file_starts.tolist() == [0, 5]
    assert len(record) == 11
    assert record.file_onset_s[1] == pytest.approx(at_s[6] - at_s[0], abs=1e-3)
    at_s[6:] -= 3600 - 15
    short = parse_rr(column("beat time [s]", [f"{at:.3f}" for at in at_s]), "a.csv")
    assert short.gaps().tolist() == [5]
    assert short.duration_s == pytest.approx(at_s[-1] - at_s[0], abs=1e-3)


def test_a_beat_that_is_marked_spoils_the_intervals_on_both_sides() -> None:
    marks = [int(at == 4) for at in range(AT_S.size)]
    rows = [f"{at:.3f},{mark}" for at, mark in zip(AT_S, marks, strict=True)]
    record = parse_rr(column("beat time [s],artifact", rows), "a.csv")
    plausible = record.rr_ms[(record.rr_ms >= 200) & (record.rr_ms <= 2000)]
    assert np.round(plausible).tolist() == np.delete(RR, [3, 4]).tolist()
    assert record.duration_s == pytest.approx(RR.sum() / 1000, abs=1e-3)


def test_several_patients_keep_their_beats_apart() -> None:
    rows = [f"{who},{at:.3f}" for at in AT_S for who in ("anna", "bert")]
    text = column("patient,beat time [s]", rows)
    assert np.round(parse_rr(text, "a.csv", part="bert").rr_ms).tolist() == RR.tolist()


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (column("beat time [s]", [0.4, 1.2, 2.0, 2.8, 3.6, 4.4, 5.2, 6.0, 6.8, 7.6, 0.9]), "0.9"),
        (column("beat time [s]", [f"{at / 250:.4f}" for at in range(500)]), "4 ms"),
        (column("beat time [s]", range(5, 500)), "evenly spaced"),
        (column("beat time [s]", [0, 1, 2, 2, 3, 4, 5, 6, 6, 7, 8]), "rounded to 1 s"),
        (column("beat time [s]", [0, 100, 300, 500, 900, 1000, 1300]), "expected 200-3000"),
    ],
)
def test_times_that_are_not_those_of_beats(content: bytes, fact: str) -> None:
    with refused(RecordError, fact):
        parse_rr(content, "a.csv")


def test_a_column_that_counts_lines_is_not_beat_times() -> None:
    rows = [f"{i},x" for i in range(1, 40)]
    with refused(RecordError, "'beat', 'note'"):
        parse_rr(column("beat,note", rows), "a.csv")


def test_times_beside_other_numbers_are_not_beats() -> None:
    rows = [f"{at:.3f},{20 + i}" for i, at in enumerate(AT_S)]
    with refused(RecordError, "'time [s]', 'temperature'", "--column"):
        parse_rr(column("time [s],temperature", rows), "a.csv")
    asked = parse_rr(column("time [s],temperature", rows), "a.csv", column="time [s]")
    assert np.round(asked.rr_ms).tolist() == RR.tolist()


# rdann

RDANN = """    0:00.050       18     +    0    0    0\t(N
    0:00.400      144     N    0    0    0
    0:01.212      436     N    0    0    0
    0:02.002      721     V    1    0    0
    0:02.100      756     ~    0    0    0
    0:02.807     1010     N    0    0    0
    0:02.900     1044     +    0    0    0\t(AFIB
    0:03.817     1374     N    0    0    0
    0:04.457     1604     N    0    0    0
"""


def test_rdann_prints_beats_and_rhythms() -> None:
    record = parse_rr(RDANN.encode(), "100.txt")
    assert np.round(record.rr_ms).tolist() == [812, 790, 805, 1010, 640]
    assert record.rhythm().tolist() == [0, 0, 0, 0, 1]
    titled = "      Time   Sample #  Type  Sub Chan  Num\tAux\n" + RDANN
    assert len(parse_rr(titled.encode(), "100.txt")) == 5


def test_rdann_passes_midnight() -> None:
    stamps = ("[23:59:59.100 31/01/2003]", "[23:59:59.900 31/01/2003]", "[00:00:00.650 01/02/2003]")
    text = "".join(f"{at}  {9 * i}     N    0    0    0\n" for i, at in enumerate(stamps))
    assert np.round(parse_rr(text.encode(), "a.txt").rr_ms).tolist() == [800, 750]


def test_rdann_with_a_wrong_line() -> None:
    with refused(RecordError, "line 3", "bad"):
        parse_rr(RDANN.replace("    0:01.212", "    bad").encode(), "a.txt")
    with refused(RecordError, "without a beat"):
        parse_rr(RDANN.splitlines()[0].encode(), "a.txt")


@pytest.mark.real
def test_real_beats_written_as_times_are_the_same_record(data) -> None:
    reader = WfdbReader(data / "afdb")
    for record_id in reader.record_ids[:6]:
        record = reader.read(record_id)
        at_s = record.onset_s()
        rhythms = {0: "N", 1: "AFIB", 2: "AFL", 3: ""}
        rows = [f"{at:.3f},{rhythms[int(x)]}" for at, x in zip(at_s, record.rhythm(), strict=True)]
        read = parse_rr(column("beat_time,rhythm", rows), "a.csv")
        begins = np.round(at_s - at_s[0], 3)
        found = read.onset_s()
        assert len(found) > 0.99 * len(begins)
        assert np.abs(found[:1000] - begins[:1000]).max() < 0.01
        af = [r.rr_ms[r.rhythm() == Rhythm.AF].clip(0, 2000).sum() for r in (record, read)]
        assert af[1] == pytest.approx(af[0], rel=0.01)
