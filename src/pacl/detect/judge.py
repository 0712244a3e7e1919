"""What weights are asked: to judge a stretch of beats, at once or beat by beat."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from pacl.axes import Array, Float32
from pacl.detect.judged_steps import StretchSteps
from pacl.detect.not_judged import Fault

Mode = Literal["look-ahead", "causal"]
"""`look-ahead`: each moment judged by what came before and after it. `causal`: as a stream does,
with a bounded delay."""

OperatingPoint = Literal["sensitive", "balanced", "specific"]
"""How much it takes to call AF."""


@dataclass(frozen=True, slots=True)
class StepDecision:
    """What is said of some beats of a stretch, from `first` to `last`."""

    first: int
    last: int
    log_odds: float
    af: bool
    fault: Fault = Fault.NONE


@runtime_checkable
class StretchStream(Protocol):
    """A stretch without a gap, judged while it is heard."""

    def push(self, rr_ms: float) -> tuple[StepDecision, ...]:
        """Take one interval; the decisions that are due, in order."""

    def finish(self) -> tuple[StepDecision, ...]:
        """Nothing follows; the decisions that can still be made."""


@runtime_checkable
class Judge(Protocol):
    """Weights with what turns their logits into decisions."""

    @property
    def name(self) -> str:
        """What the weights are called."""

    @property
    def needed_beats(self) -> int:
        """Plausible beats in a row that it takes to say anything."""

    def judge(self, rr_ms: Float32[Array, "beat"], mode: Mode) -> StretchSteps:
        """Judge a whole stretch without a gap."""

    def measured(self, mode: Mode) -> Mapping[str, Mapping[str, Any]]:
        """Of each cohort that was left out, what it is worth there; nothing where not known."""

    def learned(self, rr_ms: Float32[Array, "beat"]) -> bool | None:
        """Whether the weights learned from this recording; None where they do not say."""

    def stream(self) -> StretchStream:
        """A stretch that has not been heard yet."""
