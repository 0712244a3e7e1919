"""Lines of intervals, CSV and JSON."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacl.errors import PaclError
from pacl.live import LeftOut, LineParser, LineSplitter, LiveError, Noted, Packet, parse_message
from pacl.records import RecordError
from support.refusals import refused


def told(text, unit="ms"):
    parser = LineParser("here", unit)
    return [event for line in text.encode().split(b"\n") for event in parser.push(line)]


def packets(text, unit="ms"):
    return [one for one in told(text, unit) if isinstance(one, Packet)]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("812\n790\n", "ms"),
        ("\ufeff812\r\n\r\n790", "ms"),
        ("0.812\n0.79\n", "s"),
        ("RR\n812\n790\n", "ms"),
        ("rr_s,note\n0.812,a\n0.79,b\n", "ms"),
        ("note;RR-interval [ms]\na;812\nb;790\n", "s"),
        ('{"rr": 812}\n{"rr": 790}\n', "ms"),
        ('{"rr_ms": 812}\n{"rr_s": 0.79}\n', "s"),
        ("# a comment\n812\n# another\n790\n", "ms"),
    ],
)
def test_the_first_line_shows_what_the_others_are(text, unit):
    assert [one.rr_ms for one in packets(text, unit)] == [(812.0,), (790.0,)]


def test_times_and_flags_of_a_table_are_used():
    text = "time,rr_ms,valid\n2026-04-01T21:30:00.000+02:00,812,1\n2026-04-01T21:30:01+02:00,790,0"
    one, other = packets(text)
    assert other.at_s - one.at_s == pytest.approx(1 - 0.022)
    assert other.stated_s - one.stated_s == 1
    assert (one.usable, other.usable) == (True, False)
    (ms,) = packets("time [ms],rr_ms\n5000,800\n")
    assert ms.at_s == pytest.approx(5.8)


def test_a_header_is_said():
    assert isinstance(told("RR interval\n812")[0], Noted)


def test_a_table_without_intervals_is_refused():
    with refused(LiveError, "here", "'hr'", "rr_ms"):
        told("time,hr\n1,60\n")


def test_a_bad_line_is_left_out_with_its_number():
    found = told("812\nnonsense\n790\n-5\nnan\n1e99\n8_00\n")
    assert [type(one) for one in found] == [Packet, LeftOut, Packet, *[LeftOut] * 4]
    assert "line 2" in found[1].why
    assert "nonsense" in found[1].why


def test_too_many_bad_lines_in_a_row_are_an_error():
    assert len(told("812\n" + "bad\n" * 100 + "790\n" + "bad\n" * 100)) == 202
    with refused(LiveError, "line 102", 100):
        told("812\n" + "bad\n" * 101)


@pytest.mark.parametrize(
    "line",
    [
        "[1]",
        "{",
        "{}",
        '{"rr": "812"}',
        '{"rr": true}',
        '{"rr": NaN}',
        '{"rr": -1}',
        '{"rr": 812, "rr_ms": 812}',
        '{"rr": 812, "time": "soon"}',
        '{"rr": 812, "time": 1e300}',
        '{"rr": 812, "sequence": -1}',
        '{"hr_packet": "1"}',
        '{"hr_packet": "10 48 00"}',
        '{"rr": [' + ",".join(["800"] * 1001) + "]}",
        "[" * 5000,
        '{"rr": 1' + "0" * 400 + "}",
    ],
)
def test_an_object_that_is_no_packet_is_refused(line):
    with refused(RecordError, "here"):
        parse_message(line.encode(), "here")


@pytest.mark.parametrize(
    "text", ["0.812\n0\n0.79\n0.8\n", "rr\n0.8\n0.8\n0.8\n", '{"rr": [0.8, 0.8, 0.81]}']
)
def test_seconds_taken_for_ms_are_refused_with_what_to_do(text):
    with refused(LiveError, "here", "10 ms", "--unit s"):
        told(text)


def test_a_short_interval_now_and_then_is_fine():
    assert len(packets("5\n6\n812\n5\n6\n7\n8\n")) == 7
    assert len(packets("0.8\n0.8\n0.8\n0.8\n", "s")) == 4


@pytest.mark.parametrize(
    ("head", "fact"),
    [
        (b"%PDF-1.7\n1 0 obj\n", "PDF"),
        (b"<?xml version='1.0'?>\n<gpx>\n", "GPX"),
        (b"\x0e\x10\x98\x08\x00\x00\x00\x00.FIT\x00\x00\n", "pacl detect"),
        (b"\xff\xfe8\x001\x002\x00\n\x00", "UTF-8"),
        (bytes(range(256)) * 20, "binary"),
    ],
)
@pytest.mark.parametrize("piece", [1, 7, 10_000])
def test_what_is_no_text_is_named(head, fact, piece):
    splitter = LineSplitter("here")
    whole = piece >= len(head)  # in pieces it is refused as soon as it can be no text
    with refused(LiveError, "here", fact if whole else "expected"):
        for at in range(0, len(head), piece):
            splitter.push(head[at : at + piece])


def test_an_object_with_everything():
    found = parse_message(
        b'{"rr": [812, 790.5], "time": "2026-04-01T21:30:00Z", "sequence": 7, "contact": false,'
        b' "valid": true, "other": {}}',
        "here",
    )
    assert found == Packet((812.0, 790.5), 1775079000.0, contact=False, sequence=7)
    strap = parse_message(b'{"hr_packet": "16 3c 00 04", "time": 3}', "here")
    assert strap == Packet((1000.0,), 3.0, contact=True, rate_bpm=60)


@given(st.lists(st.binary(max_size=40), max_size=30))
def test_lines_are_the_same_however_they_come(pieces):
    whole = b"".join(pieces)
    splitter = LineSplitter("here")
    splitter.push(b"{\n")  # any bytes may follow an object
    found = [line for piece in pieces for line in splitter.push(piece)]
    assert [*found, splitter.rest()] == whole.split(b"\n")


def test_a_line_without_end_is_refused_before_it_fills_memory():
    splitter = LineSplitter("here")
    with refused(LiveError, "here", 65_536):
        for _ in range(100):
            splitter.push(b"8" * 1000)


@given(st.lists(st.binary(max_size=60), max_size=20))
def test_any_bytes_are_events_or_an_error_of_ours(lines):
    parser = LineParser("here")
    try:
        for line in lines:
            for event in parser.push(line):
                assert isinstance(event, Packet | LeftOut | Noted)
    except PaclError:
        pass
