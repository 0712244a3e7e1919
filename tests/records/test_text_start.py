"""When a recording without a clock began: by the name of its file, or as given."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from pacl.records import ReadOptions, open_records
from pacl.records.errors import LayoutError, ValueRangeError
from pacl.records.text import TextReader, parse_rr
from pacl.records.text.start import parse_start
from support.refusals import refused

RR = b"812\n790\n805\n"
CLOCK = b"timestamp,rr\n2026-04-01T09:00:00.000,812\n2026-04-01T09:00:00.812,790\n"


@pytest.mark.parametrize(
    ("name", "started"),
    [
        ("2017-05-12 07-31-05", datetime(2017, 5, 12, 7, 31, 5)),
        ("anna 2017-05-12 07-31-05 supine", datetime(2017, 5, 12, 7, 31, 5)),
        ("2017-05-12T07:31:05", datetime(2017, 5, 12, 7, 31, 5)),
        ("RR_20170512_073105", datetime(2017, 5, 12, 7, 31, 5)),
        ("20170512T073105Z", datetime(2017, 5, 12, 7, 31, 5, tzinfo=UTC)),
        ("2017-05-12_07.31", datetime(2017, 5, 12, 7, 31)),
        ("2017-05-12", None),
        ("12-05-2017 07-31-05", None),
        ("2017-13-12 07-31-05", None),
        ("2017-05-12 25-31-05", None),
        ("2017-05-12 07-31-05 to 2017-05-12 08-00-00", None),
        ("patient 20170512073105999", None),
        ("a", None),
    ],
)
def test_the_name_of_a_file_says_when_it_began(name: str, started: datetime | None) -> None:
    assert parse_rr(RR, f"some/{name}.txt").started == started


def test_the_clock_of_the_file_goes_before_its_name() -> None:
    assert parse_rr(CLOCK, "2017-05-12 07-31-05.csv").started == datetime(2026, 4, 1, 9)


def test_a_start_given_by_hand() -> None:
    assert parse_rr(RR, "a.txt", start="2026-04-01 21:30").started == datetime(2026, 4, 1, 21, 30)
    zoned = parse_rr(RR, "2017-05-12 07-31-05.txt", start="2026-04-01T21:30:00+02:00").started
    assert zoned == datetime(2026, 4, 1, 21, 30, tzinfo=timezone(timedelta(hours=2)))


def test_a_start_beside_a_clock_is_refused() -> None:
    with pytest.raises(ValueRangeError) as caught:
        parse_rr(CLOCK, "a.csv", start="2026-04-01T21:30:00")
    for fact in ("a.csv", "2026-04-01 09:00:00", "--start"):
        assert fact in str(caught.value)


@pytest.mark.parametrize(
    "start", ["", "tomorrow", "2026-04-01", "01.04.2026 21:30", "2026-04-31T09"]
)
def test_a_start_that_is_none(start: str, tmp_path: Path) -> None:
    with refused(ValueRangeError, "ISO 8601"):
        parse_rr(RR, "a.txt", start=start)
    (tmp_path / "a.txt").write_bytes(RR)
    with refused(ValueRangeError, "ISO 8601"):
        TextReader(tmp_path, start=start)


def test_a_start_is_that_of_one_recording(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(RR)
    options = ReadOptions(start="2026-04-01T21:30:00")
    assert open_records(tmp_path, options).read("a").started == datetime(2026, 4, 1, 21, 30)
    (tmp_path / "b.txt").write_bytes(RR)
    with refused(LayoutError, "2 recordings", "--start"):
        open_records(tmp_path, options)


def test_a_date_without_a_time_is_told_what_is_missing() -> None:
    with refused(ValueRangeError, "--start"):
        parse_start("2020-01-01", "night.txt")
