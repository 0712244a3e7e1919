"""Steps of a stretch, judged or not: the episodes they make, and the time between them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64, Int64, UInt8
from pacl.detect.episode import AfEpisode
from pacl.detect.flutter import may_be_flutter
from pacl.detect.not_judged import Fault, NotJudged, reason_of
from pacl.spans import runs

ROUNDING_S = 1e-3


@dataclass(frozen=True, slots=True)
class StretchCounts:
    """Plausible beats of one stretch, and what there was to judge, by what was wrong with it.

    `looked_at` counts windows, or beats that are judged one by one. `seen_s` are the seconds that
    lie in those that are fit to be judged.
    """

    plausible: int
    looked_at: int = 0
    sparse: int = 0
    repeated: int = 0
    seen_s: float = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class StretchSteps:
    """Steps of one stretch, all of it: strides of windows, or single beats.

    Parameters
    ----------
    first, last
        Each step's first and last beat.
    log_odds
        Log odds of AF; NaN where a step is not judged.
    af
        Whether it is called AF.
    fault
        Why it is not judged.
    """

    first: Int64[Array, "step"]
    last: Int64[Array, "step"]
    log_odds: Float64[Array, "step"]
    af: Bool[Array, "step"]
    fault: UInt8[Array, "step"]
    counts: StretchCounts = field(default_factory=lambda: StretchCounts(0))

    @classmethod
    def joined(cls, stretches: Iterable[tuple[int, "StretchSteps"]]) -> "StretchSteps":
        """Judged steps of many stretches, each with the number of beats before it."""
        none = np.empty(0, np.int64)
        parts = [(none, none, np.empty(0), np.empty(0, np.bool_), np.empty(0, np.uint8))]
        for offset, one in stretches:
            kept = one.fault == Fault.NONE
            parts.append(
                (
                    one.first[kept] + offset,
                    one.last[kept] + offset,
                    one.log_odds[kept],
                    one.af[kept],
                    one.fault[kept],
                )
            )
        first, last, log_odds, af, fault = map(np.concatenate, zip(*parts, strict=True))
        return cls(first, last, log_odds, af, fault)


def silent(
    steps: StretchSteps, start: int, begins_s: Array, ends_s: Array, needed_beats: int
) -> Iterator[NotJudged]:
    """What nothing is said of in a stretch that begins with beat `start` of a recording."""
    edges = [0, *(np.flatnonzero(np.diff(steps.fault)) + 1).tolist(), steps.fault.size]
    for low, high in pairwise(edges):
        fault = Fault(int(steps.fault[low]))
        if fault is not Fault.NONE:
            first, last = start + int(steps.first[low]), start + int(steps.last[high - 1])
            why = reason_of(fault, needed_beats)
            yield NotJudged(float(begins_s[first]), float(ends_s[last]), why)


def af_episodes(
    steps: StretchSteps,
    rr_ms: Float32[Array, "beat"],
    start_s: Float64[Array, "step"],
    end_s: Float64[Array, "step"],
    likely: Float64[Array, "step"],
) -> Iterator[AfEpisode]:
    """Neighbouring steps in AF are one episode; a gap ends it, and a pause between files."""
    at_once = start_s[1:] - end_s[:-1] < ROUNDING_S
    follows = np.append(False, (steps.first[1:] == steps.last[:-1] + 1) & at_once)
    lasts_s = end_s - start_s
    for low, high in runs(steps.af):
        breaks = [low, *(low + 1 + np.flatnonzero(~follows[low + 1 : high])).tolist(), high]
        for one, other in pairwise(breaks):
            if not lasts_s[one:other].any():
                continue  # beats of 0 ms alone
            confidence = float(np.average(likely[one:other], weights=lasts_s[one:other]))
            beats = rr_ms[steps.first[one] : steps.last[other - 1] + 1]
            yield AfEpisode(
                float(start_s[one]), float(end_s[other - 1]), confidence, may_be_flutter(beats)
            )
