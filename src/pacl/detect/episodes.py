"""Steps joined to stretches of time: episodes of AF, and what is not judged."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64
from pacl.detect.detection import AfEpisode
from pacl.detect.flutter import may_be_flutter
from pacl.detect.judge import StretchSteps
from pacl.detect.not_judged import Fault, reason_of
from pacl.spans import NotJudged, runs

ROUNDING_S = 1e-3

BRIDGED_S = 30.0
"""A shorter stretch whose beats cannot be trusted does not end an episode of AF."""


def not_judged_steps(
    steps: StretchSteps, start: int, begins_s: Array, ends_s: Array, needed_beats: int
) -> Iterator[NotJudged]:
    """What is not judged in a stretch that begins with beat `start` of a recording."""
    edges = [0, *(np.flatnonzero(np.diff(steps.fault)) + 1).tolist(), steps.fault.size]
    for low, high in pairwise(edges):
        fault = Fault(int(steps.fault[low]))
        if fault not in (Fault.NONE, Fault.MASKED):  # the record itself says what is masked
            first, last = start + int(steps.first[low]), start + int(steps.last[high - 1])
            why = reason_of(fault, needed_beats)
            yield NotJudged(float(begins_s[first]), float(ends_s[last]), why)


def af_episodes(
    steps: StretchSteps,
    rr_ms: Float32[Array, "beat"],
    start_s: Float64[Array, "step"],
    end_s: Float64[Array, "step"],
    likely: Float64[Array, "step"],
    masked: Bool[Array, "beat"],
    by_hand: Bool[Array, "beat"],
) -> Iterator[AfEpisode]:
    """Join neighbouring steps in AF to episodes; gaps and pauses between files end them.

    A short stretch of `masked` beats between steps in AF does not. Beats that were marked AF
    `by_hand` are AF, whatever their lengths: the others alone may be flutter.
    """
    between_s = start_s[1:] - end_s[:-1]
    trusted = np.append(0, np.cumsum(~masked))
    noise_alone = trusted[steps.first[1:]] == trusted[steps.last[:-1] + 1]
    at_once = (steps.first[1:] == steps.last[:-1] + 1) & (between_s < ROUNDING_S)
    follows = np.append(False, at_once | (noise_alone & (between_s <= BRIDGED_S)))
    lasts_s = end_s - start_s
    marked_s = np.where(by_hand[steps.first], lasts_s, 0.0)
    for low, high in runs(steps.af):
        breaks = [low, *(low + 1 + np.flatnonzero(~follows[low + 1 : high])).tolist(), high]
        for one, other in pairwise(breaks):
            if not lasts_s[one:other].any():
                continue  # beats of 0 ms alone
            confidence = float(np.average(likely[one:other], weights=lasts_s[one:other]))
            its = slice(steps.first[one], steps.last[other - 1] + 1)
            beats = rr_ms[its]
            begins_s, ends_s = float(start_s[one]), float(end_s[other - 1])
            noise_s = ends_s - begins_s - float(lasts_s[one:other].sum())
            yield AfEpisode(
                begins_s,
                ends_s,
                confidence,
                may_be_flutter(beats[~by_hand[its]]),
                noise_s if noise_s > ROUNDING_S * beats.size else 0.0,
                float(marked_s[one:other].sum()),
            )
