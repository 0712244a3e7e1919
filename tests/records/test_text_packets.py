"""Times of packets are when they arrived: no beat is lost, no gap is made up, no gap is missed."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.records import Record
from pacl.records.errors import ValueRangeError
from pacl.records.text import parse_rr
from support.refusals import refused

BEGAN = datetime(2026, 4, 1, 9)


def intervals(count: int, seed: int = 0) -> np.ndarray:
    return np.rint(np.random.default_rng(seed).normal(800, 90, count).clip(400, 1500))


def arrivals(rr_ms: np.ndarray, *, every_s: float = 1.0, late_s: float = 0.05) -> np.ndarray:
    """When each interval arrives: with the first packet after it ended."""
    ends_s = np.cumsum(rr_ms) / 1000
    return np.ceil(ends_s / every_s) * every_s + late_s


def log(at_s: np.ndarray, rr_ms: np.ndarray) -> bytes:
    rows = (
        f"{(BEGAN + timedelta(seconds=float(at))).isoformat(timespec='milliseconds')};{rr:.0f}"
        for at, rr in zip(at_s, rr_ms, strict=True)
    )
    return ("Phone timestamp;RR-interval [ms]\n" + "\n".join(rows)).encode()


def read(at_s: np.ndarray, rr_ms: np.ndarray) -> Record:
    return parse_rr(log(at_s, rr_ms), "polar.txt")


def test_several_intervals_of_one_packet_share_its_time() -> None:
    rr_ms = intervals(600)
    record = read(arrivals(rr_ms, every_s=3), rr_ms)
    assert record.rr_ms.tolist() == rr_ms.tolist()
    assert record.file_starts.tolist() == [0]
    assert record.started is not None
    assert abs((record.started - BEGAN).total_seconds()) < 0.6


def test_packets_of_early_and_late_arrival_go_back_in_time() -> None:
    rr_ms = intervals(2000)
    jitter = np.random.default_rng(1).uniform(0, 1.5, rr_ms.size)
    at_s = np.cumsum(rr_ms) / 1000 + jitter
    assert (np.diff(at_s) < 0).any()
    record = read(at_s, rr_ms)
    assert record.rr_ms.tolist() == rr_ms.tolist()
    assert record.file_starts.tolist() == [0]


@pytest.mark.parametrize("held_s", [12, 30, 300])
def test_packets_held_back_and_delivered_at_once_are_no_gap(held_s: float) -> None:
    rr_ms = intervals(2000)
    at_s = arrivals(rr_ms)
    free_s = at_s[700] + held_s
    at_s = np.where((at_s >= at_s[700]) & (at_s < free_s), free_s, at_s)
    assert np.diff(at_s).max() > 11
    assert read(at_s, rr_ms).file_starts.tolist() == [0]


@pytest.mark.parametrize("gap_s", [13, 60, 4000])
def test_a_real_gap_stays_one_and_its_length_is_kept(gap_s: float) -> None:
    rr_ms = intervals(2000)
    at_s = arrivals(rr_ms)
    at_s[900:] += gap_s
    record = read(at_s, rr_ms)
    (start,) = record.file_starts.tolist()[1:]
    assert abs(start - 900) <= 2
    true_s = rr_ms[:start].sum() / 1000 + gap_s
    assert record.file_onset_s[1] == pytest.approx(true_s, abs=1.1)


def test_a_gap_whose_next_packets_are_held_back_is_still_one() -> None:
    rr_ms = intervals(2000)
    at_s = arrivals(rr_ms)
    at_s[900:] += 60
    at_s[900:920] = at_s[920]
    assert len(read(at_s, rr_ms).file_starts) == 2


def test_a_strap_that_counts_in_1024ths_drifts_and_is_read_with_its_gap() -> None:
    rr_ms = intervals(6000)
    at_s = arrivals(rr_ms / 1.024)
    at_s[3000:] += 60
    assert len(read(at_s, rr_ms).file_starts) == 2


def test_whole_seconds_shared_by_fast_beats_are_no_packets() -> None:
    rr_ms = np.full(200, 480.0) + np.arange(200) % 7
    at_s = np.floor(np.append(0, np.cumsum(rr_ms)[:-1]) / 1000)
    record = read(at_s, rr_ms)
    assert record.started == BEGAN
    assert record.file_starts.tolist() == [0]


def test_a_clock_of_whole_minutes_has_no_gap_each_minute() -> None:
    rr_ms = intervals(1500)
    at_s = np.floor(np.cumsum(rr_ms) / 60_000) * 60
    assert read(at_s, rr_ms).file_starts.tolist() == [0]


def test_lines_in_the_wrong_place_are_refused_with_the_line() -> None:
    rr_ms = intervals(300)
    at_s = np.cumsum(rr_ms) / 1000
    swapped = np.arange(300)
    swapped[[100, 101]] = [101, 100]
    with refused(ValueRangeError, "line 103", "time goes backwards"):
        read(at_s[swapped], rr_ms[swapped])
    moved = np.concatenate([np.arange(50, 300), np.arange(50)])
    with refused(ValueRangeError, "line 252", "time goes backwards"):
        read(at_s[moved], rr_ms[moved])


def test_a_clock_that_was_set_back_is_no_packet() -> None:
    rr_ms = intervals(400)
    at_s = np.cumsum(rr_ms) / 1000
    at_s[200:] -= at_s[199]
    with refused(ValueRangeError, "line 202", "time goes backwards"):
        read(at_s, rr_ms)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    every_s=st.sampled_from([0.5, 1.0, 2.0, 5.0]),
    jitter_s=st.sampled_from([0.0, 0.3, 1.0]),
    gap_s=st.sampled_from([0, 20, 100]),
)
def test_any_packets_keep_beats_and_gaps(
    seed: int, every_s: float, jitter_s: float, gap_s: int
) -> None:
    rng = np.random.default_rng(seed)
    rr_ms = intervals(400, seed)
    at_s = arrivals(rr_ms, every_s=every_s)
    packet = np.cumsum(np.append(0, np.diff(at_s) > 0))
    at_s = at_s + rng.uniform(0, jitter_s, packet[-1] + 1)[packet]
    at_s[packet > packet[200]] += gap_s
    record = read(at_s, rr_ms)
    assert record.rr_ms.tolist() == rr_ms.tolist()
    assert len(record.file_starts) == (2 if gap_s else 1)


# Lists in cells


@pytest.mark.parametrize(
    "text",
    [
        'time,hr,rr\n10.0,72,"812, 790"\n12.0,73,\n13.0,74,"805"\n14.0,75,"1010, 640"\n',
        "time,rr\n10.0,[812;790]\n13.0,[805]\n14.0,[1010;640]\n",
        "time;rr\n10.0;[812, 790]\n12.0;[]\n13.0;[805]\n14.0;[1010, 640]\n",
        'time;rr [ms]\n10.0;"[812, 790]"\n13.0;[805]\n14.0;[1010, 640]\n',
        "time,hr,RR1,RR2,RR3\n10.0,72,812,790,\n12.0,73,,,\n13.0,74,805,,\n14.0,75,1010,640,\n",
        "time;RR-interval 1 [ms];RR-interval 2 [ms]\n10;812;790\n13;805;\n14;1010;640\n",
        "time,rr\n10.0,812 790\n13.0,805\n14.0,1010 640\n",
        "Timestamp,rrData\n10000,812|790\n13000,805\n14000,1010|640\n",
        'time,rr\n10.0,"812,790"\n13.0,805\n14.0,"1010,640"\n',
        "[812, 790, 805, 1010, 640]",
        "(812, 790)\n(805,)\n(1010, 640)\n".replace(",)", ")"),
        "time,hr,rr\n10.0,72,812\n10.0,72,790\n12.0,73,\n13.0,74,805\n14.0,75,1010\n14.0,75,640\n",
    ],
)
def test_lists_of_intervals_become_beats(text: str) -> None:
    assert parse_rr(text.encode(), "a.csv").rr_ms.tolist() == [812, 790, 805, 1010, 640]


def test_a_quoted_decimal_comma_is_no_list() -> None:
    with refused(ValueRangeError, "0,812"):
        parse_rr(b'beat,rr\n1,"0,812"\n2,"0,790"\n', "a.csv")


def test_a_hole_is_refused_where_rows_are_beats() -> None:
    with refused(ValueRangeError, "line 3"):
        parse_rr(b"time,rr\n10.0,812\n10.8,\n11.6,800\n", "a.csv")


def test_a_list_with_a_wrong_number_names_its_line() -> None:
    with refused(ValueRangeError, "line 3", "x"):
        parse_rr(b"time;rr\n10.0;[812, 790]\n13.0;805|x\n", "a.csv")
