"""A strap that was never worn: the packets of a recording, with loss, reordering and pauses."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from pacl.axes import Array, Float64
from pacl.live.heart_rate import make_heart_rate
from pacl.live.replay import Entry
from pacl.records import GAP_MS, Record

PACKET_S = 1.0
"""Straps send about once a second."""


def packets_of(
    record: Record,
    generator: np.random.Generator,
    *,
    loss: float = 0.0,
    reordered: float = 0.0,
    jitter_s: float = 0.3,
    pauses: Sequence[tuple[float, float]] = (),
    began_s: float = 0.0,
    numbered: bool = False,
) -> Iterator[Entry]:
    """Packets of all beats of a recording, in the order in which they arrive.

    Parameters
    ----------
    record
        Gaps and times between files become pauses of the connection.
    generator
        Draws what is lost, late and swapped.
    loss
        Share of packets that never arrive.
    reordered
        Share of packets that arrive after the next one; these need `numbered`.
    jitter_s
        By how much packets are late at most.
    pauses
        Start and end of times without connection, in seconds from the start of the recording.
    began_s
        When second 0 is, as Unix time for example.
    numbered
        Number the packets.
    """
    ends_s = record.onset_s() + record.rr_ms / 1000.0
    gone = [tuple(map(float, pause)) for pause in pauses]
    held: Entry | None = None
    was_gone, last_s = False, -math.inf
    for number, beats in enumerate(_grouped(ends_s)):
        rr_ms = record.rr_ms[beats.start : beats.stop].astype(np.float64)
        end_s = float(ends_s[beats.stop - 1])
        away = bool((rr_ms > GAP_MS).any())
        away |= any(start < end_s <= stop for start, stop in gone)
        last_s = max(last_s, began_s + end_s + float(generator.uniform(0, jitter_s)))
        if away != was_gone:
            was_gone = away
            yield Entry(last_s, happened="disconnected" if away else "connected")
        if away or generator.random() < loss:
            continue
        sent = Entry(last_s, make_heart_rate(rr_ms.tolist()), sequence=number if numbered else None)
        if held is not None:
            yield sent
            yield Entry(last_s, held.packet, sequence=held.sequence)
            held = None
        elif generator.random() < reordered:
            held = sent
        else:
            yield sent
    if held is not None:
        yield held


def _grouped(ends_s: Float64[Array, "beat"]) -> Iterator[range]:
    """Beats that ended in the same second."""
    seconds = np.floor(ends_s / PACKET_S)
    edges = [0, *(np.flatnonzero(np.diff(seconds)) + 1).tolist(), ends_s.size]
    for start, stop in pairwise(edges):
        yield range(start, stop)
