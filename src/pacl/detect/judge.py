"""What a detector's weights do: judge a stretch of beats, all at once or beat by beat."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload, runtime_checkable

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64, Int64, UInt8
from pacl.detect.not_judged import Fault, StretchCounts

if TYPE_CHECKING:
    from pacl.detect.stream_person import StreamPerson

Mode = Literal["look-ahead", "causal"]
"""`look-ahead`: each beat is judged by the beats before and after it. `causal`: as in a stream,
with a bounded delay."""

OperatingPoint = Literal["sensitive", "balanced", "specific"]
"""The balance between missed AF and false alarms."""


@overload
def probability(log_odds: float) -> float: ...
@overload
def probability(log_odds: Float64[Array, "step"]) -> Float64[Array, "step"]: ...
def probability(log_odds: float | Array) -> float | Array:
    """From log odds to a probability; bit-identical for one value and for an array."""
    likely = 0.5 * (1.0 + np.tanh(0.5 * np.asarray(log_odds, dtype=np.float64)))
    return likely if isinstance(log_odds, np.ndarray) else float(likely)


@dataclass(frozen=True, slots=True)
class StepDecision:
    """The decision on the beats of a stretch from `first` to `last`."""

    first: int
    last: int
    log_odds: float
    af: bool
    fault: Fault = Fault.NONE


@dataclass(frozen=True, eq=False, slots=True)
class StretchSteps:
    """All steps of one stretch: strides of windows, or single beats.

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
        """The judged steps of several stretches, each with the number of beats before it."""
        none = np.empty(0, np.int64)
        parts = [(none, none, np.empty(0), np.empty(0, np.bool_), np.empty(0, np.uint8))]
        for offset, one in stretches:
            kept = one.fault == Fault.NONE
            first, last = one.first[kept] + offset, one.last[kept] + offset
            parts.append((first, last, one.log_odds[kept], one.af[kept], one.fault[kept]))
        first, last, log_odds, af, fault = map(np.concatenate, zip(*parts, strict=True))
        return cls(first, last, log_odds, af, fault)

    def without(self, masked: Bool[Array, "beat"], rr_ms: Float32[Array, "beat"]) -> "StretchSteps":
        """The same steps; those of which most beats are masked are not judged."""
        if not masked.any():
            return self
        before = np.append(0, np.cumsum(masked))
        share = (before[self.last + 1] - before[self.first]) / (self.last + 1 - self.first)
        aside = (share > 0.5) & (self.fault == Fault.NONE)
        lost_ms = np.append(0.0, np.cumsum(rr_ms, dtype=np.float64))
        lost_s = float((lost_ms[self.last + 1] - lost_ms[self.first])[aside].sum()) / 1000
        return replace(
            self,
            log_odds=np.where(aside, np.nan, self.log_odds),
            af=self.af & ~aside,
            fault=np.where(aside, np.uint8(Fault.MASKED), self.fault),
            counts=replace(self.counts, seen_s=max(self.counts.seen_s - lost_s, 0.0)),
        )


@runtime_checkable
class StretchStream(Protocol):
    """A stretch without a gap, judged while it arrives."""

    def push(self, rr_ms: float) -> tuple[StepDecision, ...]:
        """Take one interval; return the decisions that are due, in order."""

    def finish(self) -> tuple[StepDecision, ...]:
        """End the stretch; return the remaining decisions."""


@runtime_checkable
class Judge(Protocol):
    """Weights, and the rule that turns their logits into decisions."""

    @property
    def name(self) -> str:
        """Name of the weights."""

    @property
    def needed_beats(self) -> int:
        """Plausible beats in a row that are needed for a decision."""

    def judge(self, rr_ms: Float32[Array, "beat"], mode: Mode) -> StretchSteps:
        """Judge a complete stretch without a gap."""

    def measured(self, mode: Mode) -> Mapping[str, Mapping[str, Any]]:
        """Performance on each database left out in training; empty where it is not known."""

    def learned(self, rr_ms: Float32[Array, "beat"]) -> bool | None:
        """Whether the weights were trained on this recording; None where it is not known."""

    def stream(self, who: "StreamPerson | None" = None) -> StretchStream:
        """Start a new stretch; of one person, if the weights can use a profile."""
