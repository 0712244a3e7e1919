"""Exports of Apple Health: XML of any size, clock times of any locale."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.records import FormatError, ValueRangeError
from pacl.records.exports import ExportReader, apple_xml
from pacl.records.exports.source import source_of
from support.apple_health import DTD, STEPS, ZONE, document, series, twelve_hours
from support.refusals import refused

START = datetime(2021, 8, 1, 7, 30, 5, tzinfo=ZONE)
RR_MS = [800, 820, 780, 810, 790, 640, 1010, 700] * 6


def read(tmp_path, content):
    path = tmp_path / "export.xml"
    path.write_bytes(content)
    reader = ExportReader(path)
    return [reader.read(name) for name in reader.record_ids]


def all_series(tmp_path, content):
    path = tmp_path / "export.xml"
    path.write_bytes(content)
    return list(apple_xml.find_series(source_of(path)))


def test_intervals_are_the_differences_of_beat_times(tmp_path):
    (record,) = read(tmp_path, document([STEPS, series(START, RR_MS), STEPS]))
    assert record.rr_ms == pytest.approx(RR_MS, abs=0.01)
    assert record.started == START + timedelta(seconds=1.31)
    assert record.started.utcoffset() == timedelta(hours=2)
    assert (record.record_id, record.patient_id) == ("export", "export")


def test_series_of_a_day_and_device_are_one_recording(tmp_path):
    later = START + timedelta(hours=3)
    parts = [
        series(later, [900] * 10),  # an export is not always in order
        series(START, [800] * 20),
        series(START + timedelta(days=1), [700] * 5),
        series(START, [600] * 7, source="Second <Watch> & \u2019s"),
    ]
    path = tmp_path / "anna.xml"
    path.write_bytes(document(parts))
    reader = ExportReader(path)
    assert reader.record_ids == ("anna/2021-08-01", "anna/2021-08-01-2", "anna/2021-08-02")
    sizes = {name: reader.read(name).rr_ms.size for name in reader.record_ids}
    assert sorted(sizes.values()) == [5, 7, 30]
    both = reader.read(next(name for name, size in sizes.items() if size == 30))
    assert both.file_starts.tolist() == [0, 20]
    assert both.file_onset_s == pytest.approx([0, 3 * 3600])
    assert {reader.read(name).patient_id for name in reader.record_ids} == {"anna"}


@pytest.mark.parametrize(
    "clock",
    [
        twelve_hours,
        lambda at: twelve_hours(at).replace(".", ","),
        lambda at: twelve_hours(at).replace(" ", "\u202f"),
        lambda at: twelve_hours(at).replace("AM", "a.\u00a0m.").replace("PM", "p.\u00a0m."),
        lambda at: f"上午{twelve_hours(at)[:-3]}",
        lambda at: f"{at:%H:%M:%S},{at.microsecond // 10_000:02}",
        lambda at: f"{at:%H.%M.%S},{at.microsecond // 10_000:02}",
        lambda at: f"{at:%H:%M:%S}.{at.microsecond // 10_000:02} Uhr",
        lambda at: twelve_hours(at + timedelta(hours=-1)),  # summer time has begun since
        lambda at: twelve_hours(at + timedelta(hours=5, minutes=45)),  # another time zone
        lambda at: twelve_hours(at).translate({48 + i: 0x660 + i for i in range(10)}),
    ],
)
@pytest.mark.parametrize("start", [START, datetime(2021, 8, 1, 23, 59, 40, tzinfo=ZONE)])
def test_clock_times_of_all_locales_are_read_also_past_midnight(tmp_path, clock, start):
    (record,) = read(tmp_path, document([series(start, RR_MS, clock=clock)]))
    assert record.rr_ms == pytest.approx(RR_MS, abs=0.01)
    assert record.started == start + timedelta(seconds=1.31)


def test_missing_beats_are_a_gap_and_no_long_interval(tmp_path):
    (record,) = read(tmp_path, document([series(START, RR_MS, missing=[9, 20, 21])]))
    assert record.rr_ms.max() < 1100
    assert record.file_starts.tolist() == [0, 9, 18]
    assert record.rr_ms.size == len(RR_MS) - 5
    end_s = record.file_onset_s[-1] + record.rr_ms[18:].sum() / 1000
    assert end_s == pytest.approx(sum(RR_MS) / 1000)


def test_a_series_that_is_there_twice_counts_once(tmp_path):
    path = tmp_path / "export.xml"
    path.write_bytes(document([series(START, RR_MS)] * 2))
    reader = ExportReader(path)
    assert len(reader.read("export")) == len(RR_MS)
    assert "overlap" in reader.left_out[0]


def test_values_without_beats_say_what_is_there_and_what_to_do(tmp_path):
    value = series(START, [800]).partition("<Meta")[0].rstrip().rstrip(">") + "/>\n"
    with refused(ValueRangeError, "export.xml", 3, 2, "SDNN", "Breathe"):
        read(tmp_path, document([STEPS, STEPS, value, value, value]))


def test_unreadable_times_are_named(tmp_path):
    with refused(ValueRangeError, "half past seven"):
        read(tmp_path, document([series(START, RR_MS, clock=lambda _: "half past seven")]))


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (document([series(START, RR_MS)])[:-40], "cut"),
        (document([series(START, RR_MS)])[:1500], "cut"),
        (document([], dtd='<!DOCTYPE HealthData [<!ENTITY a "b">]>\n'), "entities"),
        (document([STEPS.replace("61", "&bomb;"), "<!-- x -->"]), "entity"),
        (document([]).replace(b"UTF-8", b"UTF-7"), "UTF-8"),
        (b"<?xml version='1.0'?><!DOCTYPE HealthData [" + b" " * 2_000_000, "HealthData"),
    ],
    ids=["end", "within", "entities", "undefined", "encoding", "prolog"],
)
def test_damaged_and_hostile_documents_are_refused(tmp_path, content, fact):
    with refused(FormatError, "export.xml", fact):
        read(tmp_path, content)


def test_a_wrong_dtd_of_some_versions_does_not_matter(tmp_path):
    wrong = DTD.replace("<!ATTLIST HealthData\n", "")
    (record,) = read(tmp_path, document([series(START, RR_MS)], dtd=wrong))
    assert len(record) == len(RR_MS)


def test_what_merely_looks_like_a_series_is_none(tmp_path):
    hidden = series(START + timedelta(hours=1), [500] * 9)
    for around in ("<!-- {} -->", "<X><![CDATA[{}]]></X>"):
        found = all_series(tmp_path, document([series(START, RR_MS), around.format(hidden)]))
        assert [len(one.beats) for one in found] == [len(RR_MS) + 1]


def test_a_search_and_a_parser_find_the_same_series(tmp_path, monkeypatch):
    monkeypatch.setattr(apple_xml, "_CHUNK", 700)
    monkeypatch.setattr(apple_xml, "_MOST_PROLOG", 700)
    rng = np.random.default_rng(0)
    parts = []
    for number in range(40):
        parts += [STEPS] * int(rng.integers(3))
        at = START + timedelta(hours=number)
        parts.append(series(at, rng.integers(500, 1200, size=rng.integers(1, 40)).tolist()))
        parts += ['<Workout a="1">\n <WorkoutEvent b="&lt;Record "/>\n</Workout>\n'] * 3
    quick = all_series(tmp_path, document(parts))
    slow = all_series(tmp_path, document([*parts, "<!-- parse it -->"]))
    assert quick == slow
    assert len(quick) == 40


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                STEPS,
                series(START, [800, 790]),
                series(START, [800, 790], source="<Record > <HeartRateVariabilityMetadataList>"),
                "<Record/>",
                '<Record a="1"/>',
                "<RecordBook>",
                "<HeartRateVariabilityMetadataList/>",
                "</Record>",
                "<!-- <Record -->",
                "<Workout/>",
                "text",
            ]
        ),
        max_size=8,
    ),
    st.integers(50, 900),
)
def test_the_search_never_finds_what_the_parser_does_not(tmp_path_factory, parts, chunk):
    folder = tmp_path_factory.mktemp("xml")
    results = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apple_xml, "_CHUNK", chunk)
        for extra in ([], ["<!-- parse it -->"]):
            try:
                results.append(all_series(folder, document([*parts, *extra])))
            except FormatError:
                results.append(None)
    quick, slow = results
    if slow is not None:
        assert quick == slow


def test_progress_is_reported_up_to_the_end(tmp_path):
    path = tmp_path / "export.xml"
    path.write_bytes(document([STEPS] * 30_000 + [series(START, RR_MS)]))
    told = []
    ExportReader(path, advance=lambda done, total: told.append((done, total)))
    size = path.stat().st_size
    assert told[-1] == (size, size)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert len(told) > 2


def test_a_time_that_goes_back_ends_a_stretch_and_moves_nothing_after_it(tmp_path):
    lines = series(START, RR_MS).split("\n")
    at = [number for number, line in enumerate(lines) if "Instantaneous" in line]
    lines[at[20]], lines[at[21]] = lines[at[21]], lines[at[20]]
    (record,) = read(tmp_path, document(["\n".join(lines)]))
    assert record.file_starts.tolist() == [0, 19]
    assert record.rr_ms[19:].tolist() == pytest.approx(RR_MS[22:], abs=0.01)
    assert record.file_onset_s[1] == pytest.approx(sum(RR_MS[:22]) / 1000)


def test_a_series_with_an_unreadable_start_hides_no_other(tmp_path):
    path = tmp_path / "export.xml"
    bad = series(START + timedelta(hours=1), RR_MS).replace("+0200", "then")
    path.write_bytes(document([bad, series(START, RR_MS)]))
    reader = ExportReader(path)
    assert len(reader.read("export")) == len(RR_MS)
    assert "then" in reader.left_out[0]
    with refused(ValueRangeError, "export.xml", "then", "region"):
        read(tmp_path, document([bad]))


@pytest.mark.parametrize("digits", [0, 1])
def test_times_too_coarse_for_beats_are_refused_with_what_to_do(tmp_path, digits):
    def clock(at):
        return f"{at:%H:%M:%S}" + f".{at.microsecond // 100_000}" * digits

    with refused(ValueRangeError, "export.xml", "coarse", "region"):
        read(tmp_path, document([series(START, RR_MS, clock=clock)]))


def test_a_step_far_from_its_rate_is_a_gap_even_if_a_heart_could_do_it(tmp_path):
    """Half a beat more than the rate says: a beat is missing, or one is false."""
    text = series(START, [800] * 40).replace('bpm="75"', 'bpm="50"', 1)
    (record,) = read(tmp_path, document([text]))
    assert record.rr_ms.size == 39


@pytest.mark.parametrize("early_s", [2, -100])
def test_the_first_beat_may_come_before_the_start_by_the_clock(tmp_path, early_s):
    def clock(at):
        return twelve_hours(at - timedelta(seconds=early_s))

    (record,) = read(tmp_path, document([series(START, RR_MS, clock=clock)]))
    assert record.started == START + timedelta(seconds=1.31 - early_s)


def test_series_that_overlap_in_part_count_once(tmp_path):
    later = series(START + timedelta(seconds=20), RR_MS)
    path = tmp_path / "export.xml"
    path.write_bytes(document([series(START, RR_MS), later]))
    reader = ExportReader(path)
    assert len(reader.read("export")) == len(RR_MS)
    assert "overlap" in reader.left_out[0]


@pytest.mark.parametrize("extra", ["", "<!-- parse it -->"])
def test_too_many_series_and_too_long_elements_are_refused(tmp_path, monkeypatch, extra):
    several = document([*[series(START, RR_MS)] * 3, extra])
    monkeypatch.setattr(apple_xml, "_MOST_SERIES", 2)
    with refused(FormatError, "more than 2"):
        read(tmp_path, several)
    monkeypatch.setattr(apple_xml, "_MOST_SERIES", 3)
    assert read(tmp_path, several)
    monkeypatch.setattr(apple_xml, "_CHUNK", 500)
    monkeypatch.setattr(apple_xml, "_MOST_RECORD", 1000)
    with refused(FormatError, "far too long"):
        read(tmp_path, document([extra or "<!-- -->", '<Workout a="' + "x" * 9000 + '"/>']))


def test_the_line_of_a_fault_is_that_of_the_file(tmp_path):
    content = document([series(START, RR_MS), "<!-- parse it -->\n<a b=1/>\n"])
    line = content[: content.index(b"<a b=1")].count(b"\n") + 1
    with refused(FormatError, f"line {line}"):
        read(tmp_path, content)
