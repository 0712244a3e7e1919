"""RR intervals out of the text files people really have."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from pacl.records.errors import (
    FormatError,
    LayoutError,
    RecordError,
    RhythmError,
    ValueRangeError,
)
from pacl.records.reader import Reader
from pacl.records.rhythm import Rhythm, Span
from pacl.records.text import TextReader, parse_rr
from pacl.records.text.parse import MAX_BYTES
from support.refusals import refused

RR = [812, 790, 805, 1010, 640]


def rr_of(text: str | bytes, **options: object) -> list[float]:
    content = text if isinstance(text, bytes) else text.encode()
    return np.round(parse_rr(content, "some/a.txt", **options).rr_ms, 3).tolist()  # type: ignore[arg-type]


KUBIOS = """HRV ANALYSIS RESULTS - 13-Sep-2018 13:15:19
Kubios HRV Standard
Data length: 00:05:00 (h:min:s)
  Mean RR  (ms):              ,    707.5437,            ,
  HF (log):                   ,      7.5356,        -Inf,

RR INTERVAL DATA and SPECTRUM ESTIMATES,
          ,    SAMPLE 1,            ,            ,            ,
          ,     RR Data,            ,FFT spectrum,            ,
          ,        Time, RR interval,   Frequency,         PSD,
          ,         (s),         (s),        (Hz),   (ms^2/Hz),
          ,       0.812,       0.812,       0.000,   5942.2394,
          ,       1.602,       0.790,       0.003,  44995.6734,
          ,       2.407,       0.805,       0.007, 123127.9213,
          ,       3.417,       1.010,       0.010, 383079.1304,
          ,       4.057,       0.640,       0.013, 152471.5807,
          ,            ,            ,       0.017,  30832.8927,
"""

HRM = """[Params]
Version=106
Interval=238
Date=20260401
StartTime=09:00:05.2

[Note]
before breakfast

[HRData]
812
790
805
1010
640
"""

DIALECTS = {
    "one a line": "812\n790\n805\n1010\n640\n",
    "no last newline": "812\n790\n805\n1010\n640",
    "carriage returns": "812\r790\r805\r1010\r640\r",
    "windows": "812\r\n790\r\n805\r\n1010\r\n640\r\n",
    "blank lines": "\n\n812\n790\n\n805\n \t\n1010\n640\n\n\n",
    "comments": "# a\n% b\n// c\n; d\n812\n790\n# e\n805\n1010\n640\n",
    "blanks around": "  812 \n790  \n  805\n1010\n640\n",
    "seconds": "0.812\n0.790\n0.805\n1.010\n0.640\n",
    "seconds, decimal comma": "0,812\n0,790\n0,805\n1,010\n0,640\n",
    "decimal comma below a name": "RR (ms)\n812,0\n790,0\n805,0\n1010,0\n640,0\n",
    "name": "RR\n812\n790\n805\n1010\n640\n",
    "name of two words": "RR intervals\n812\n790\n805\n1010\n640\n",
    "any name above one column": "beats of Anna\n812\n790\n805\n1010\n640\n",
    "name and unit below": "RR\n[ms]\n812\n790\n805\n1010\n640\n",
    "csv": "beat,rr_ms,quality\n0,812,1\n1,790,1\n2,805,0\n3,1010,1\n4,640,1\n",
    "quoted": '"beat","RR-interval [ms]"\n"0","812"\n"1","790"\n"2","805"\n"3","1010"\n"4","640"\n',
    "tsv": "beat\tNN interval\n1\t812\n2\t790\n3\t805\n4\t1010\n5\t640\n",
    "semicolon, decimal comma": "t (s);IBI (s)\n0,0;0,812\n0,8;0,79\n1,6;,805\n2,4;1,01\n3,4;,64\n",
    "separator at the end": "rr;rhythm\n812;SR;\n790;SR;\n805;SR;\n1010;SR;\n640;SR;\n",
    "blanks": "time rr\n0.0 812\n0.8 790\n1.6  805\n2.4\t1010\n3.4 640\n",
    "polar flow": "0.812\t812\n1.602\t790\n2.407\t805\n3.417\t1010\n4.057\t640\n",
    "polar sensor logger": (
        "Phone timestamp;RR-interval [ms]\n"
        "2026-04-01T09:00:00.000;812\n2026-04-01T09:00:00.812;790\n2026-04-01T09:00:01.602;805\n"
        "2026-04-01T09:00:02.407;1010\n2026-04-01T09:00:03.417;640\n"
    ),
    "hrv logger": (
        "date,rr,since start\n2025-03-15 09:00:15 +0000,812,0\n2025-03-15 09:00:16 +0000,790,812\n"
        "2025-03-15 09:00:17 +0000,805,1602\n2025-03-15 09:00:18 +0000,1010,2407\n"
        "2025-03-15 09:00:19 +0000,640,3417\n"
    ),
    "empatica": "1775181600.0, IBI\n7.5,0.812\n8.3,0.790\n9.1,0.805\n10.1,1.010\n10.8,0.640\n",
    "kubios report": KUBIOS,
    "polar hrm": HRM,
    "one line": "812 790 805 1010 640",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_gives_the_same_intervals(dialect: str) -> None:
    assert rr_of(DIALECTS[dialect]) == RR


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding: str) -> None:
    assert rr_of("# médecin: Müller\n812\n790\n805\n1010\n640\n".encode(encoding)) == RR


def test_utf16_big_endian_with_mark() -> None:
    assert rr_of(b"\xfe\xff" + "812\n790".encode("utf-16-be")) == [812, 790]


def test_a_record_knows_where_it_came_from() -> None:
    record = parse_rr(b"812\n790\n", "some/folder/anna.txt")
    assert (record.record_id, record.patient_id) == ("anna", "anna")
    assert record.source == "some/folder/anna.txt"
    assert record.rr_ms.dtype == np.float32
    assert record.spans == (Span(0, 2, Rhythm.UNKNOWN),)
    assert record.started is None
    assert record.digest != parse_rr(b"812\n791\n", "some/folder/anna.txt").digest
    assert record.digest == parse_rr(b"812\n790\n", "elsewhere.csv").digest


def test_one_interval_is_a_record() -> None:
    assert rr_of("812") == [812]


# Columns


def test_columns_by_name_and_by_number() -> None:
    text = "a,b\n812,700\n790,710\n"
    assert rr_of(text, column="b") == [700, 710]
    assert rr_of(text, column="1") == [812, 790]
    assert rr_of(text, column=2) == [700, 710]
    assert rr_of("rr_ms,rr_s\n812,0.7\n", column="RR_S") == [700]


def test_a_column_asked_for_is_not_asked_about() -> None:
    assert rr_of("interval,rr\n0,812\n0.8,790\n", time_column="interval") == [812, 790]
    assert rr_of("rr,rhythm,nn\n812,SR,0.8\n", column="rr") == [812]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("rr,nn\n812,800\n", ("2 columns", "'rr', 'nn'")),
        ("a,b\n812,800\n", ("'a', 'b'",)),
        ("812,800\n790,810\n", ("2 columns", "812 | 800")),
    ],
)
def test_ambiguous_columns_are_listed(text: str, facts: tuple[str, ...]) -> None:
    with refused(FormatError, "--column", *facts):
        rr_of(text)


def test_beat_numbers_are_not_whole_seconds() -> None:
    assert rr_of("1,812\n2,790\n3,805\n", column=2) == [812, 790, 805]
    assert rr_of("1,812\n0,790\n3,105\n") == [1812, 790, 3105]


def test_a_column_that_is_not_there() -> None:
    with refused(FormatError, "column='c'", "'a', "):
        rr_of("a,b\n812,800\n", column="c")


def test_lines_of_other_width() -> None:
    with refused(FormatError, "a.txt line 4", 3, 2):
        rr_of("rr,q\n# x\n812,1\n790,1,5\n")


# Units


@pytest.mark.parametrize(
    ("name", "value"), [("rr [ms]", "812"), ("RR (s)", "0.812"), ("ibi_seconds", "0.812")]
)
def test_unit_by_name(name: str, value: str) -> None:
    assert rr_of(f"{name}\n{value}\n") == [812]


def test_unit_neither_ms_nor_s() -> None:
    with pytest.raises(ValueRangeError) as caught:
        rr_of("72\n75\n71\n")
    assert str(caught.value) == (
        "some/a.txt: the median RR interval is 72, expected 0.2-3 (s) or 200-3000 (ms); it may be "
        "heart rate; give the intervals, or force the unit with unit='ms' or unit='s' (--unit)"
    )
    assert rr_of("72\n75\n71\n", unit="ms") == [72, 75, 71]
    assert rr_of("5\n6\n", unit="s") == [5000, 6000]


def test_name_against_median() -> None:
    with refused(ValueRangeError, "'rr_ms'", 0.8, "--unit"):
        rr_of("rr_ms\n0.8\n0.8\n")
    assert rr_of("rr_ms\n0.8\n0.8\n", unit="s") == [800, 800]


def test_beat_times_are_not_intervals() -> None:
    times = "\n".join(str(800 * i + 13) for i in range(1, 30))
    with refused(ValueRangeError, 813, 23213, "beat times"):
        rr_of(times)
    with refused(ValueRangeError, "beat times"):
        rr_of(f"rr\n{times}", unit="ms")


# Values


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "8o0", "8_00", "1e308", "1e999", "812ms"])
def test_no_number_names_its_line(value: str) -> None:
    with pytest.raises(ValueRangeError) as caught:
        rr_of(f"rr\n# here\n812\n{value}\n790\n")
    assert "a.txt line 4: expected a number in column 'rr', found" in str(caught.value)
    assert "time cannot be counted across an unknown interval" in str(caught.value)


def test_empty_cell_names_its_line() -> None:
    with refused(ValueRangeError, "line 3", "'rr'"):
        rr_of("rr,q\n812,1\n,1\n")


def test_first_cell_empty_in_a_semicolon_file_is_no_comment() -> None:
    with refused(ValueRangeError, "line 3", "'rr'"):
        rr_of("rr;q\n812;1\n;1\n790;1\n")


def test_a_spoilt_first_number_is_no_header() -> None:
    with refused(ValueRangeError, "line 1", "column number 1"):
        rr_of("h12\n790\n")


def test_negative() -> None:
    with refused(ValueRangeError, "line 2", "-7"):
        rr_of("812\n-790\n")


def test_zero() -> None:
    with pytest.raises(ValueRangeError) as caught:
        rr_of("812\n0\n805\n")
    assert str(caught.value) == (
        "some/a.txt line 2: an RR interval of 0, often a mark for a lost beat; repair or remove "
        "it, or keep it with allow_zero=True (--allow-zero)"
    )
    assert rr_of("812\n0\n805\n", allow_zero=True) == [812, 0, 805]
    with refused(ValueRangeError, "median RR interval is 0"):
        rr_of("0\n0\n", allow_zero=True)


def test_longer_than_a_day() -> None:
    with refused(ValueRangeError, "line 3", "1e+15 ms"):
        rr_of("812\n790\n1e15\n")


# Bytes


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"", "RR interval"),
        (b"\n\n# only words\n", "RR interval"),
        (b"rr\n", "header"),
        (b"812\n\x00\x01\n", "binary"),
        ("812\n".encode("utf-16-le"), "binary"),
        (b"8" * 70_000, 70_000),
        (b"812\n" * 10_000_001, 10_000_000),
    ],
)
def test_bytes_that_are_no_table(content: bytes, fact: str | int) -> None:
    with refused(FormatError, fact):
        parse_rr(content, "a.txt")


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as out:
        out.truncate(MAX_BYTES + 1)
    with refused(FormatError, 268_435_457, 268_435_456):
        TextReader(path).read("a")
    with refused(FormatError, 268_435_456):
        parse_rr(bytes(MAX_BYTES + 1), "a.txt")


# Exports


def test_kubios_times_mark_the_end_of_intervals() -> None:
    late = KUBIOS.replace("       3.417,", "     103.417,").replace(
        "       4.057,", "     104.057,"
    )
    record = parse_rr(late.encode(), "k.txt")
    assert record.file_starts.tolist() == [0, 3]
    assert record.file_onset_s.tolist() == pytest.approx([0, 102.407])


def test_kubios_with_a_hole() -> None:
    with refused(ValueRangeError, "line 13", "'RR interval "):
        rr_of(KUBIOS.replace("       0.790,", "            ,"))


def test_kubios_with_two_samples() -> None:
    two = KUBIOS.replace("  Frequency,         PSD,", "       Time, RR interval,")
    two = two.replace("       (Hz),   (ms^2/Hz),", "        (s),         (s),")
    with refused(FormatError, "2 columns", "--column"):
        rr_of(two)


def test_kubios_without_intervals() -> None:
    with refused(FormatError, "Kubios"):
        rr_of(KUBIOS.replace("RR interval,", "power,"))


def test_hrm_start_and_mode() -> None:
    assert parse_rr(HRM.encode(), "a.hrm").started == datetime(2026, 4, 1, 9, 0, 5)
    with refused(FormatError, "5 s", "heart rate", "Interval=238"):
        rr_of(HRM.replace("238", "5"))
    with refused(FormatError, "[HRData]"):
        rr_of(HRM[: HRM.index("812")])
    with refused(ValueRangeError, "line 12"):
        rr_of(HRM.replace("790", "7x0"))


# Times


def test_absolute_times_start_the_record() -> None:
    record = parse_rr(DIALECTS["polar sensor logger"].encode(), "p.txt")
    assert record.started == datetime(2026, 4, 1, 9)
    zoned = parse_rr(DIALECTS["hrv logger"].encode(), "h.csv")
    assert zoned.started == datetime(2025, 3, 15, 9, 0, 15, tzinfo=UTC)
    epoch = parse_rr(b"timestamp,rr\n1775181600000,812\n1775181600812,790\n", "e.csv")
    assert epoch.started == datetime(2026, 4, 3, 2, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "times",
    [
        ("time", "10.0", "10.8", "11.6", "95.2", "96.0"),
        ("time [ms]", "10000", "10800", "11600", "95200", "96000"),
        ("timestamp", "10000", "10800", "11600", "95200", "96000"),
        ("t", "1775181610.0", "1775181610.8", "1775181611.6", "1775181695.2", "1775181696.0"),
        ("time", "23:59:00.0", "23:59:00.8", "23:59:01.6", "00:00:25.2", "00:00:26.0"),
        ("time", "9:59:00", "9:59:00.8", "9:59:01.6", "10:00:25.2", "10:00:26"),
        (
            "datetime",
            *("2026-04-01T09:00:00.0", "2026-04-01T09:00:00.8", "2026-04-01T09:00:01.6"),
            *("2026-04-01T09:01:25.2", "2026-04-01T09:01:26.0"),
        ),
        (
            "datetime",
            *("2026-04-01 09:00:00.0Z", "2026-04-01 09:00:00.8Z", "2026-04-01 10:00:01.6+01:00"),
            *("2026-04-01 09:01:25.2Z", "2026-04-01 09:01:26.0Z"),
        ),
    ],
)
def test_a_jump_in_time_begins_a_new_file(times: tuple[str, ...]) -> None:
    rows = zip(times, ("rr", "800", "801", "800", "800", "802"), strict=True)
    record = parse_rr("\n".join(f"{t};{rr}" for t, rr in rows).encode(), "a.csv")
    assert record.file_starts.tolist() == [0, 3]
    assert record.file_onset_s.tolist() == pytest.approx([0, 85.2], abs=1e-3)
    assert record.stretches() == [(0, 3), (3, 5)]


def test_a_pause_of_less_than_the_gap_is_none() -> None:
    text = "time,rr\n0,800\n0.8,800\n11.5,800\n12.3,800\n"
    assert parse_rr(text.encode(), "a.csv").file_starts.tolist() == [0]
    longer = text.replace("11.5", "11.7").replace("12.3", "12.5")
    assert parse_rr(longer.encode(), "a.csv").file_starts.tolist() == [0, 2]


def test_a_long_interval_is_not_a_pause_as_well() -> None:
    text = "time,rr\n0,800\n0.8,46860\n47.66,800\n48.46,800\n"
    assert parse_rr(text.encode(), "a.csv").file_starts.tolist() == [0]


def test_date_and_clock_in_columns_of_their_own() -> None:
    text = "date,time,rr\n2026-04-01,23:59:59,800\n2026-04-02,00:00:00,800\n"
    assert parse_rr(text.encode(), "a.csv").file_starts.tolist() == [0]


def test_date_beside_a_time_that_is_none() -> None:
    with refused(ValueRangeError, "'time'"):
        rr_of("date,time,rr\n2026-04-01,noon,800\n2026-04-02,noon,800\n")


def test_backwards() -> None:
    text = "time,rr\n0,800\n1.6,800\n0.8,800\n"
    with pytest.raises(ValueRangeError) as caught:
        rr_of(text)
    assert str(caught.value) == (
        "some/a.txt line 4: time goes backwards in column 'time', to '0.8'; sort the lines or read "
        "without times with time_column=''"
    )
    assert rr_of(text, time_column="") == [800, 800, 800]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("01.04.2026 09:00", "01.04.2026 09:00"),
        ("2026-04-01T09:00:00", "2026-04-31T09:00:00"),
        ("2026-04-01T09:00:00", "2026-04-01T09:00:0Z"),
        ("2026-04-01T09:00:00", "2026-04-01T09:00:01Z"),
        ("09:00:00", "x"),
        ("0001-01-01T00:00:00", "0001-01-01T00:00:01"),
        ("2026-04-01", "2026-04-01"),
        ("", ""),
    ],
)
def test_times_that_are_none(first: str, second: str) -> None:
    with refused(ValueRangeError, "'date'"):
        rr_of(f"date,rr\n{first},800\n{second},810\n")


def test_a_unit_of_time_that_cannot_be() -> None:
    rows = "\n".join(f"{800 * i},{800 + i % 3}" for i in range(20))
    with refused(ValueRangeError, "800000 ms", "'time [s]'"):
        rr_of(f"time [s],rr\n{rows}\n")


# Rhythms


def test_rhythms_become_spans() -> None:
    labels = ["N", "(N", "SR", "0", "NSR", "SBR", "AF", "(AFIB", "1", "afib", "(AFL", "VT", "", ""]
    text = "rr,rhythm\n" + "\n".join(f"800,{label}" for label in labels)
    record = parse_rr(text.encode(), "a.csv")
    assert record.rhythm().tolist() == [0] * 6 + [1] * 4 + [2] * 2 + [3] * 2
    assert record.spans[7] == Span(7, 8, Rhythm.AF, "(AFIB")
    assert record.spans[-1] == Span(12, 14, Rhythm.UNKNOWN, "")


def test_unknown_rhythm_names_line_and_choices() -> None:
    text = "rr,rhythm\n800,SR\n800,flimmern\n"
    with pytest.raises(RhythmError) as caught:
        rr_of(text)
    assert "a.txt line 3: unknown rhythm 'flimmern', expected one of SR, N" in str(caught.value)
    assert "map it with rhythms={'flimmern': Rhythm.OTHER}" in str(caught.value)
    record = parse_rr(text.encode(), "a.csv", rhythms={"flimmern": Rhythm.AF})
    assert record.rhythm().tolist() == [0, 1]


def test_rhythm_column_asked_for_or_left_out() -> None:
    text = b"rr,label\n800,SR\n800,AF\n"
    assert parse_rr(text, "a.csv").rhythm().tolist() == [3, 3]
    assert parse_rr(text, "a.csv", rhythm_column="label").rhythm().tolist() == [0, 1]
    named = text.replace(b"label", b"rhythm")
    assert parse_rr(named, "a.csv", rhythm_column="").rhythm().tolist() == [3, 3]


def test_rhythms_may_be_read_differently() -> None:
    record = parse_rr(b"rr,rhythm\n800,(AFL\n", "a.csv", rhythms={"(AFL": Rhythm.AF})
    assert record.rhythm().tolist() == [1]


# Folders


def test_a_folder_is_many_records(tmp_path: Path) -> None:
    for name in ("b.txt", "a.CSV", "c.rri", "notes.pdf"):
        (tmp_path / name).write_text("812\n790\n")
    (tmp_path / "d.txt").mkdir()
    reader: Reader = TextReader(tmp_path)
    assert reader.root == tmp_path
    assert reader.record_ids == ("a", "b", "c")
    assert reader.read("b").rr_ms.tolist() == [812, 790]
    with refused(LayoutError, "'d'"):
        reader.read("d")


def test_options_reach_every_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y,z,t\n70,0,AF!,5\n0,1,AF!,1\n")
    reader = TextReader(
        tmp_path / "a.csv",
        column="x",
        time_column="y",
        rhythm_column="z",
        unit="s",
        rhythms={"AF!": Rhythm.AF},
        allow_zero=True,
        patients={"a": "anna"},
    )
    record = reader.read("a")
    assert record.rr_ms.tolist() == [70_000, 0]
    assert record.rhythm().tolist() == [1, 1]
    assert record.patient_id == "anna"


def test_patients_must_be_whole(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("812\n")
    with refused(LayoutError, "'a'"):
        TextReader(tmp_path, patients={"b": "anna"}).read("a")


def test_two_files_of_one_stem(tmp_path: Path) -> None:
    for name in ("a.csv", "a.txt"):
        (tmp_path / name).write_text("812\n")
    with refused(LayoutError, "a.csv", "a.txt", "'a'"):
        TextReader(tmp_path)


@pytest.mark.parametrize("name", ["", "missing", "missing.txt"])
def test_nothing_there(tmp_path: Path, name: str) -> None:
    with refused(LayoutError, tmp_path / name):
        TextReader(tmp_path / name)


def test_a_file_that_vanishes_is_a_record_error(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("812\n")
    reader = TextReader(tmp_path)
    path.unlink()
    with refused(RecordError, "a.txt"):
        reader.read("a")
