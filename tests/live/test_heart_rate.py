"""Packets of straps."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacl.live import HeartRate, make_heart_rate, parse_heart_rate, rounded_ms
from pacl.live.heart_rate import parse_hex
from pacl.records import FormatError
from support.refusals import refused


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        ("00 48", HeartRate(72)),
        ("01 2c 01", HeartRate(300)),
        ("04 48", HeartRate(72, contact=False)),
        ("06 48", HeartRate(72, contact=True)),
        ("02 48", HeartRate(72)),  # a contact bit without the bit that says it is supported
        ("08 48 05 01", HeartRate(72, energy_kj=261)),
        ("10 48", HeartRate(72)),
        ("10 48 00 02 00 04", HeartRate(72, (500.0, 1000.0))),
        ("1f 48 00 01 00 00 08", HeartRate(72, (2000.0,), True, 1)),
        ("e0 48", HeartRate(72)),  # bits that are not used yet
    ],
)
def test_a_packet_is_read_by_its_flags(packet, expected):
    assert parse_heart_rate(parse_hex(packet)) == expected


@pytest.mark.parametrize(
    ("packet", "fact"),
    [
        ("", "0 bytes"),
        ("00", "1 bytes"),
        ("01 48", "at least 3"),
        ("08 48 05", "at least 4"),
        ("10 48 00", "half an interval"),
        ("00 48 00", "1 bytes more"),
        ("00" * 513, "513"),
    ],
)
def test_a_packet_that_does_not_fit_its_flags_is_refused(packet, fact):
    with refused(FormatError, fact):
        parse_heart_rate(parse_hex(packet))


def test_bytes_are_written_as_digits():
    assert parse_hex("16:3c") == parse_hex("163C") == parse_hex("16 3c") == b"\x16\x3c"
    with refused(FormatError, "xy"):
        parse_hex("xy")


def test_thousands_of_random_packets_are_read_or_refused():
    random.seed(4)
    read = 0
    for _ in range(20_000):
        packet = random.randbytes(random.randint(0, 22))
        try:
            found = parse_heart_rate(packet)
        except FormatError:
            continue
        read += 1
        assert all(0 <= one < 64_000 for one in found.rr_ms)
    assert read > 2_000


@given(st.lists(st.floats(0, 60_000), max_size=9), st.sampled_from([True, False, None]))
def test_what_is_packed_is_unpacked(rr_ms, contact):
    found = parse_heart_rate(make_heart_rate(rr_ms, contact=contact))
    assert found.rr_ms == tuple(map(rounded_ms, rr_ms))
    assert found.contact is contact
    assert all(abs(a - b) <= 1000 / 2048 for a, b in zip(rr_ms, found.rr_ms, strict=True))
