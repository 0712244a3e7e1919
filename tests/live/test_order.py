"""Packets in order."""

import random

from hypothesis import given
from hypothesis import strategies as st

from pacl.live import InOrder, Packet


def numbered(*numbers):
    return [Packet((800.0 + one,), sequence=one) for one in numbers]


def timed(*times):
    return [Packet((800.0,), at_s=float(one)) for one in times]


def through(order, packets):
    found = [one for packet in packets for one in order.push(packet)]
    return [*found, *order.flush()]


def test_the_example_of_the_docstring():
    order = InOrder()
    found = through(order, numbered(1, 2, 4, 3, 3, 6, 7, 8, 9, 10))
    assert [one.sequence for one in found] == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    assert (order.repeated, order.late) == (1, 0)


def test_a_late_packet_is_dropped_once_it_was_given_up():
    order = InOrder()
    found = through(order, numbered(1, 3, 4, 5, 6, 7, 2))
    assert [one.sequence for one in found] == [1, 3, 4, 5, 6, 7]
    assert order.late == 1


def test_a_source_that_counts_anew_is_followed():
    found = through(InOrder(), numbered(500, 501, 0, 1, 2))
    assert [one.sequence for one in found] == [500, 501, 0, 1, 2]


def test_without_numbers_and_times_nothing_waits_or_is_dropped():
    order = InOrder(2.0)
    packet = Packet((800.0,))
    assert order.push(packet) == order.push(packet) == [packet]


def test_a_strap_sends_equal_packets_that_are_no_repetition():
    assert len(through(InOrder(), timed(1, 2, 2, 3))) == 4


def test_packets_that_state_one_time_are_one_and_none_is_dropped():
    order = InOrder(2.0)
    found = through(order, timed(1, 2, 2, 3, 9))
    assert [(one.at_s, len(one.rr_ms)) for one in found] == [(1, 1), (2, 2), (3, 1), (9, 1)]
    assert order.repeated == 0


def test_rows_go_by_the_time_they_state_not_by_their_length():
    rows = [Packet((rr,), at + rr / 1000, stated_s=at) for at, rr in [(1.0, 900.0), (1.0, 500.0)]]
    assert through(InOrder(2.0), rows) == rows


def test_packets_of_one_time_without_end_do_not_fill_memory():
    order = InOrder(2.0)
    through_s = sum(len(one.rr_ms) for at in range(5_000) for one in order.push(*timed(1)))
    assert through_s >= 2_900


def test_stated_times_are_sorted_within_two_seconds():
    order = InOrder(2.0)
    found = through(order, timed(1, 3, 2, 4, 9, 3.5, 10, 11, 12))
    assert [one.at_s for one in found] == [1, 2, 3, 4, 9, 10, 11, 12]
    assert order.late == 1


def test_a_clock_that_was_set_back_is_followed():
    order = InOrder(2.0)
    found = through(order, timed(1000, 1001, 1002, 1005, 3, 4, 8))
    assert [one.at_s for one in found] == [1000, 1001, 1002, 1005, 3, 4, 8]
    assert order.late == 0


@given(st.integers(0, 2**32 - 1))
def test_neighbours_that_are_swapped_come_out_sorted(seed):
    numbers = list(range(60))
    for at in random.Random(seed).sample(range(0, 58, 2), 12):
        numbers[at], numbers[at + 1] = numbers[at + 1], numbers[at]
    if numbers[0]:  # a later one that comes first of all cannot be known as such
        numbers[:2] = [0, 1]
    assert [one.sequence for one in through(InOrder(), numbered(*numbers))] == list(range(60))
