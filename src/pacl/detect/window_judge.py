"""Weights that judge windows of 200 beats: steps of 50 beats and a smoother (2.4, 4)."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64
from pacl.detect.judge import Mode, StepDecision, StretchSteps, probability
from pacl.detect.not_judged import Fault, StretchCounts
from pacl.detect.window_scorer import WindowScorer
from pacl.detect.window_smoother import CAUSAL_SMOOTHER, LOOK_AHEAD_SMOOTHER
from pacl.detect.window_steps import (
    STRIDE_BEATS,
    StretchWindows,
    cut_stretch,
    is_fit,
    is_sparse,
    step_logits,
)
from pacl.records import PLAUSIBLE_MS
from pacl.spans import runs

if TYPE_CHECKING:
    from pacl.detect.stream_person import StreamPerson

AF_PROBABILITY = 0.5
"""From this probability on a step is called AF."""


@dataclass(frozen=True, eq=False, slots=True)
class WindowJudge:
    """Judges steps of 50 plausible beats."""

    scorer: WindowScorer

    @property
    def name(self) -> str:
        """Name of the weights."""
        return self.scorer.name

    @property
    def needed_beats(self) -> int:
        """Beats of a window."""
        return self.scorer.window_beats

    def judge(self, rr_ms: Float32[Array, "beat"], mode: Mode) -> StretchSteps:
        """Judge a complete stretch without a gap."""
        cut = cut_stretch(rr_ms, self.needed_beats)
        fit, counts = cut.fit, _counts(cut, rr_ms)
        if not fit.size:
            return _nothing(rr_ms.size, counts)
        steps = fit.size + self.needed_beats // STRIDE_BEATS - 1
        # A step ends with its last beat, as in a stream. Beats that were left out after it belong
        # to the next step.
        last = cut.kept[(np.arange(steps) + 1) * STRIDE_BEATS - 1]
        first = np.append(cut.kept[0], last[:-1] + 1)
        fault = np.full(steps, Fault.UNFIT, np.uint8)
        log_odds = np.full(steps, np.nan)
        before = after = Fault.UNFIT
        if mode == "look-ahead":
            last[-1] = cut.kept[-1]  # the last step takes the remaining beats
            log_odds = _smoothed(step_logits(self.scorer.logits(cut.rr_ms), fit, self.needed_beats))
        else:
            log_odds[-fit.size :] = self._filtered(cut.rr_ms, fit)
            before = Fault.WARMING_UP if fit[0] else Fault.UNFIT
            after = Fault.NOT_YET if fit[-1] else Fault.UNFIT
            fault[: -fit.size] = before
        fault[np.isfinite(log_odds)] = Fault.NONE
        likely = np.array([probability(one) for one in log_odds.tolist()])
        found = StretchSteps(first, last, log_odds, likely >= AF_PROBABILITY, fault, counts)
        return _covering(found, rr_ms.size, before, after)

    def measured(self, mode: Mode) -> Mapping[str, Mapping[str, Any]]:
        """Empty: weights of windows do not state it."""
        return {}

    def learned(self, rr_ms: Float32[Array, "beat"]) -> None:
        """None: weights of windows do not list their training recordings."""
        return

    def stream(self, who: "StreamPerson | None" = None) -> "WindowStream":
        """Start a new stretch; weights of windows have no profiles."""
        return WindowStream(self.scorer)

    def _filtered(
        self, windows: Float32[Array, "window beat"], fit: Bool[Array, "window"]
    ) -> Float64[Array, "window"]:
        """Window by window, as in a stream."""
        found = np.full(len(windows), np.nan)
        log_odds: float | None = None
        for at in range(len(windows)):
            if not fit[at]:
                log_odds = None
                continue
            log_odds = CAUSAL_SMOOTHER.advance(log_odds, self.scorer.logit(windows[at]))
            found[at] = log_odds
        return found


class WindowStream:
    """Decides every 50 plausible beats, from the 200th on."""

    def __init__(self, scorer: WindowScorer) -> None:
        self.scorer = scorer
        self._kept: deque[float] = deque(maxlen=scorer.window_beats)
        self._at: deque[int] = deque(maxlen=scorer.window_beats)
        self._beats = self._count = 0
        self._decided = -1
        self._log_odds: float | None = None

    def push(self, rr_ms: float) -> tuple[StepDecision, ...]:
        """Take one interval; return the decision that is due, if any."""
        self._beats += 1
        if not PLAUSIBLE_MS[0] <= rr_ms <= PLAUSIBLE_MS[1]:
            return ()
        self._kept.append(rr_ms)
        self._at.append(self._beats - 1)
        self._count += 1
        beyond = self._count - self.scorer.window_beats
        if beyond % STRIDE_BEATS:
            return ()
        first, self._decided = self._decided + 1, self._at[-1]
        if beyond < 0:
            return ()
        window = np.array(self._kept, dtype=np.float32)
        spanned = np.array([self._at[-1] - self._at[0] + 1])
        if is_fit(window[None], spanned)[0]:
            self._log_odds = CAUSAL_SMOOTHER.advance(self._log_odds, self.scorer.logit(window))
            af = probability(self._log_odds) >= AF_PROBABILITY
            return (StepDecision(first, self._decided, self._log_odds, af),)
        self._log_odds = None
        sparse = bool(is_sparse(spanned, self.scorer.window_beats)[0])
        fault = Fault.SPARSE if sparse else Fault.REPEATED
        return (StepDecision(first, self._decided, np.nan, False, fault),)

    def finish(self) -> tuple[StepDecision, ...]:
        """No decision: the remaining beats are too few."""
        return ()


def _nothing(beats: int, counts: StretchCounts) -> StretchSteps:
    """A stretch that is shorter than a window."""
    return StretchSteps(
        np.zeros(1, np.int64),
        np.full(1, beats - 1, np.int64),
        np.full(1, np.nan),
        np.zeros(1, np.bool_),
        np.full(1, Fault.TOO_FEW, np.uint8),
        counts,
    )


def _covering(steps: StretchSteps, beats: int, before: Fault, after: Fault) -> StretchSteps:
    """Add steps for the beats before the first step and after the last."""
    lead, trail = int(steps.first[0] > 0), int(steps.last[-1] < beats - 1)
    leading, trailing = [0] * lead, [beats - 1] * trail
    nan, no = np.full(lead, np.nan), np.zeros(lead, np.bool_)
    return StretchSteps(
        np.concatenate([leading, steps.first, [int(steps.last[-1]) + 1] * trail]).astype(np.int64),
        np.concatenate([[int(steps.first[0]) - 1] * lead, steps.last, trailing]).astype(np.int64),
        np.concatenate([nan, steps.log_odds, np.full(trail, np.nan)]),
        np.concatenate([no, steps.af, np.zeros(trail, np.bool_)]),
        np.concatenate([[before] * lead, steps.fault, [after] * trail]).astype(np.uint8),
        steps.counts,
    )


def _counts(cut: StretchWindows, rr_ms: Array) -> StretchCounts:
    """Counts of a stretch."""
    sparse = int(np.count_nonzero(cut.sparse))
    unfit = int(np.count_nonzero(~cut.fit))
    return StretchCounts(
        plausible=cut.kept.size,
        looked_at=cut.fit.size,
        sparse=sparse,
        repeated=unfit - sparse,
        seen_s=_seen_s(cut, rr_ms),
    )


def _seen_s(cut: StretchWindows, rr_ms: Array) -> float:
    """Seconds in windows that can be judged; windows are in order and overlap."""
    if not cut.fit.any():
        return 0.0
    elapsed_s = np.append(0.0, np.cumsum(rr_ms, dtype=np.float64)) / 1000
    first, stop = cut.first[cut.fit], cut.last[cut.fit] + 1
    new = np.maximum(first, np.append(0, stop[:-1]))
    return float((elapsed_s[stop] - elapsed_s[new]).sum())


def _smoothed(logits: Float64[Array, "step"]) -> Float64[Array, "step"]:
    """Smooth each run of steps that can be judged."""
    found = np.full(logits.size, np.nan)
    for low, high in runs(np.isfinite(logits)):
        found[low:high] = LOOK_AHEAD_SMOOTHER.smooth(logits[low:high].tolist())
    return found
