"""Intervals that a column marks as invalid pass as time, and are used by nothing."""

import numpy as np
import pytest

from pacl.records import ReadOptions, Record, open_records
from pacl.records.errors import ValueRangeError
from pacl.records.record import GAP_MS, PLAUSIBLE_MS
from pacl.records.rhythm import Rhythm
from pacl.records.text import parse_rr
from support.refusals import refused

POLAR = (
    "Phone timestamp;PP-interval [ms];error estimate [ms];blocker;contact;contact supported\n"
    "2026-04-01T09:00:00.000;800;6;0;1;1\n"
    "2026-04-01T09:00:00.800;810;6;1;1;1\n"
    "2026-04-01T09:00:01.610;790;6;0;1;1\n"
    "2026-04-01T09:00:02.400;780;31;0;1;1\n"
    "2026-04-01T09:00:03.180;820;30;0;1;1\n"
    "2026-04-01T09:00:04.000;805;6;0;0;1\n"
    "2026-04-01T09:00:04.805;815;6;0;1;1\n"
)


def plausible(record: Record) -> list[float]:
    low, high = PLAUSIBLE_MS
    return record.rr_ms[(record.rr_ms >= low) & (record.rr_ms <= high)].tolist()


def parse(text: str, **options: str | None) -> Record:
    return parse_rr(text.encode(), "a.csv", **options)  # type: ignore[arg-type]


def test_polar_marks_are_honoured_and_no_time_is_lost() -> None:
    record = parse(POLAR)
    assert plausible(record) == [800, 790, 820, 815]
    assert record.duration_s == pytest.approx(5.62, abs=1e-4)
    onset_s = record.onset_s()[np.isin(record.rr_ms, [800, 790, 820, 815])]
    assert onset_s.tolist() == pytest.approx([0, 1.61, 3.18, 4.805], abs=1e-4)
    everything = parse(POLAR, valid_column="")
    assert plausible(everything) == [800, 810, 790, 780, 820, 805, 815]


def test_contact_counts_only_where_the_sensor_measures_it() -> None:
    text = POLAR.replace(";1;1\n", ";0;0\n").replace(";0;1\n", ";0;0\n")
    assert plausible(parse(text)) == [800, 790, 820, 805, 815]


@pytest.mark.parametrize(
    ("name", "marks"),
    [
        ("valid", "1 0 1"),
        ("is_valid", "true False TRUE"),
        ("RR valid", "yes no yes"),
        ("accepted", "1 0 1"),
        ("invalid", "0 1 0"),
        ("artifact", "false true false"),
        ("Artefact", "0 1 0"),
        ("is_artefact", "n y n"),
        ("rejected", "0 1 0"),
        ("blockerBit", "0 1 0"),
    ],
)
def test_names_and_their_sense(name: str, marks: str) -> None:
    rows = zip((800, 700, 810), marks.split(), strict=True)
    text = f"rr,{name}\n" + "".join(f"{rr},{mark}\n" for rr, mark in rows)
    record = parse(text)
    assert plausible(record) == [800, 810]
    assert record.duration_s == pytest.approx(2.31)


def test_an_empty_mark_is_no_artefact() -> None:
    assert plausible(parse("rr,artifact\n800,\n700,1\n810,\n")) == [800, 810]
    with refused(ValueRangeError, "line 2", "0 or 1"):
        parse("rr,valid\n800,\n700,1\n")


def test_a_mark_that_is_none_names_its_line_and_the_way_out() -> None:
    text = "rr,valid\n800,1\n810,0.7\n"
    with pytest.raises(ValueRangeError) as caught:
        parse(text)
    for fact in ("a.csv line 3", "'valid'", "'0.7'", "--valid-column"):
        assert fact in str(caught.value)
    assert plausible(parse(text, valid_column="")) == [800, 810]


def test_quality_has_no_sense_of_its_own_but_may_be_given_one() -> None:
    text = "rr,quality\n800,1\n700,0\n810,1\n"
    assert plausible(parse(text)) == [800, 700, 810]
    assert plausible(parse(text, valid_column="quality")) == [800, 810]


def test_no_valid_interval_at_all() -> None:
    with refused(ValueRangeError, "'valid'", "--valid-column"):
        parse("rr,valid\n800,0\n810,0\n")


def test_an_invalid_interval_may_be_zero() -> None:
    record = parse("rr,valid\n800,1\n0,0\n810,1\n")
    assert record.rr_ms.tolist() == [800, 0, 810]


@pytest.mark.parametrize("cell", ["", "nan", "NaN", "NA", "-"])
def test_an_invalid_interval_of_unknown_length_ends_the_stretch(cell: str) -> None:
    record = parse(f"rr,valid\n800,1\n810,1\n{cell},0\n{cell},0\n790,1\n")
    assert plausible(record) == [800, 810, 790]
    assert [(stop - start) for start, stop in record.stretches()] == [4, 1]
    assert record.file_onset_s.tolist() == pytest.approx([0, 1.61])


def test_the_clock_says_how_long_an_unknown_interval_lasted() -> None:
    rows = ["0,800,1", "0.8,810,1", "1.61,,0", "4.5,790,1", "5.29,800,1"]
    record = parse("time [s],rr [ms],valid\n" + "\n".join(rows) + "\n")
    assert plausible(record) == [800, 810, 790, 800]
    assert record.file_onset_s.tolist() == pytest.approx([0, 4.5])


def test_a_valid_interval_must_be_known() -> None:
    with refused(ValueRangeError, "a.csv line 3", "'rr'"):
        parse("rr,valid\n800,1\n,1\n810,0\n")
    with refused(ValueRangeError, "a.csv line 3", "'rr'", "abc"):
        parse("rr,valid\n800,1\nabc,0\n810,1\n")


@pytest.mark.parametrize("invalid", [1, 2, 3, 12, 13, 100, 9000])
def test_runs_keep_their_time_whatever_their_length(invalid: int) -> None:
    rows = [(800, 1)] * 3 + [(790, 0)] * invalid + [(810, 1)] * 3
    record = parse("rr,valid\n" + "".join(f"{rr},{mark}\n" for rr, mark in rows))
    assert plausible(record) == [800] * 3 + [810] * 3
    assert record.duration_s == pytest.approx(sum(rr for rr, _ in rows) / 1000)
    assert (record.gaps().size > 0) == (790 * invalid > GAP_MS)
    assert record.rr_ms.max() < 86_400_000


def test_rhythms_and_pauses_stay_where_they_are() -> None:
    rows = ["0,800,1,SR", "0.8,700,0,SR", "1.5,800,1,AF", "60,800,0,AF", "60.8,810,1,AF"]
    record = parse("time,rr [ms],valid,rhythm\n" + "\n".join(rows) + "\n")
    assert plausible(record) == [800, 800, 810]
    assert record.file_starts.size == 2
    first_af = next(span.start for span in record.spans if span.rhythm is Rhythm.AF)
    assert record.onset_s()[first_af] == pytest.approx(1.5)
    assert record.file_onset_s[1] == pytest.approx(60)
    assert record.onset_s()[-1] == pytest.approx(60.8)


def test_the_option_reaches_the_reader(tmp_path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("rr,ok\n800,1\n700,0\n810,1\n")
    reader = open_records(path, ReadOptions(valid_column="ok"))
    assert plausible(reader.read("a")) == [800, 810]


def test_a_mark_asked_for_is_not_taken_for_intervals() -> None:
    assert plausible(parse("x,ok\n800,1\n700,0\n810,1\n", valid_column="ok")) == [800, 810]


def test_intervals_that_are_marked_say_nothing_about_the_unit() -> None:
    record = parse("rr,valid\n5000,0\n4000,0\n6000,0\n800,1\n810,1\n")
    assert plausible(record) == [800, 810]
