"""Steps of a stretch that were judged: the episodes they make, and the time between them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.detect.detection import AfEpisode
from pacl.detect.not_judged import UNFIT, NotJudged
from pacl.detect.steps import StretchWindows

ROUNDING_S = 1e-3


@dataclass(frozen=True, slots=True)
class StretchCounts:
    """Plausible beats and windows of one stretch, and windows that are unfit, by reason.

    `seen_s` are the seconds that lie in windows that are fit.
    """

    plausible: int
    windows: int
    sparse: int
    repeated: int
    seen_s: float

    @classmethod
    def of(cls, cut: StretchWindows, rr_ms: Array) -> "StretchCounts":
        """Count those of a stretch."""
        sparse = int(np.count_nonzero(cut.sparse))
        unfit = int(np.count_nonzero(~cut.fit))
        return cls(cut.kept.size, cut.fit.size, sparse, unfit - sparse, _seen_s(cut, rr_ms))


def _seen_s(cut: StretchWindows, rr_ms: Array) -> float:
    """Seconds that lie in any fit window; windows are in order and overlap."""
    if not cut.fit.any():
        return 0.0
    elapsed_s = np.append(0.0, np.cumsum(rr_ms, dtype=np.float64)) / 1000
    first, stop = cut.first[cut.fit], cut.last[cut.fit] + 1
    new = np.maximum(first, np.append(0, stop[:-1]))
    return float((elapsed_s[stop] - elapsed_s[new]).sum())


@dataclass(frozen=True, eq=False, slots=True)
class StretchSteps:
    """Steps of one stretch: first and last beat in the record, log odds (NaN if not judged)."""

    first: Int64[Array, "step"]
    last: Int64[Array, "step"]
    log_odds: Float64[Array, "step"]
    counts: StretchCounts
    before: str = UNFIT
    after: str = UNFIT
    """Why nothing is said of what comes before the first judged step, and after the last."""


def runs(mask: Array) -> Iterator[tuple[int, int]]:
    """Half-open ranges where a mask holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def silent(
    steps: StretchSteps, stretch: tuple[int, int], begins_s: Array, ends_s: Array, short: str
) -> Iterator[NotJudged]:
    """What of a stretch nothing is said of."""
    at, stop = stretch
    spoken = list(runs(np.isfinite(steps.log_odds)))
    edges = [(int(steps.first[low]), int(steps.last[high - 1]) + 1) for low, high in spoken]
    for number, (first, after) in enumerate([*edges, (stop, stop)]):
        if first > at:
            if not edges:
                why = UNFIT if steps.first.size else short
            elif number == 0:
                why = steps.before
            else:
                why = steps.after if number == len(edges) else UNFIT
            yield NotJudged(float(begins_s[at]), float(ends_s[first - 1]), why)
        at = after


def af_episodes(
    first: Int64[Array, "step"],
    last: Int64[Array, "step"],
    start_s: Float64[Array, "step"],
    end_s: Float64[Array, "step"],
    likely: Float64[Array, "step"],
    af: Array,
) -> Iterator[AfEpisode]:
    """Neighbouring steps in AF are one episode; a gap ends it, and a pause between files."""
    at_once = start_s[1:] - end_s[:-1] < ROUNDING_S
    follows = np.append(False, (first[1:] == last[:-1] + 1) & at_once)
    for low, high in runs(af):
        breaks = [low, *(at for at in range(low + 1, high) if not follows[at]), high]
        for one, other in pairwise(breaks):
            confidence = float(np.average(likely[one:other], weights=(end_s - start_s)[one:other]))
            yield AfEpisode(float(start_s[one]), float(end_s[other - 1]), confidence)
