"""Rhythms, and the stretches of beats over which one lasts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from pacl.axes import Array, Int8


class Rhythm(IntEnum):
    """The rhythm of a beat. `SR` and `AF` are learned from, the others never are."""

    SR = 0
    AF = 1
    OTHER = 2
    UNKNOWN = 3


@dataclass(frozen=True, slots=True)
class Span:
    """Beats `start` up to, but not including, `stop`, all in one rhythm.

    `mark` is what the source itself called the rhythm: `(SVTA`, `AF`, or nothing.
    """

    start: int
    stop: int
    rhythm: Rhythm
    mark: str = ""

    def __len__(self) -> int:
        return self.stop - self.start


def tile(spans: Iterable[Span], beats: int, between: Rhythm) -> tuple[Span, ...]:
    """Fill what `spans` leave free with `between`, so that together they cover all beats.

    `spans` are sorted, disjoint and within `[0, beats)`; empty ones vanish.
    """
    tiles: list[Span] = []
    at = 0
    for span in spans:
        if span.start > at:
            tiles.append(Span(at, span.start, between))
        if len(span):
            tiles.append(span)
        at = span.stop
    if at < beats:
        tiles.append(Span(at, beats, between))
    return tuple(tiles)


def runs(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Join neighbours of the same rhythm, with any marks: `(N` and `(SBR` are one SR run."""
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].rhythm is span.rhythm:
            last = joined[-1]
            mark = last.mark if last.mark == span.mark else ""
            joined[-1] = Span(last.start, span.stop, span.rhythm, mark)
        else:
            joined.append(span)
    return tuple(joined)


def per_beat(spans: Sequence[Span]) -> Int8[Array, "beat"]:
    """The rhythm of each beat, for spans that tile the record."""
    values = np.array([span.rhythm for span in spans], dtype=np.int8)
    return np.repeat(values, [len(span) for span in spans])
