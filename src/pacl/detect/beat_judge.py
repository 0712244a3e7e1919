"""Weights that give a logit for every beat, with their decoder: a decision for every beat (4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np

from pacl.axes import Array, Float32, UInt8, UInt64
from pacl.detect.artifact import FILE, Artifact, no_detector
from pacl.detect.beat_quality import AFTER, GROUP, group_faults
from pacl.detect.beat_scorer import BeatScorer, BlockScorer
from pacl.detect.beat_stream import BeatStream
from pacl.detect.judge import Mode, OperatingPoint, StepDecision
from pacl.detect.judged_steps import StretchCounts, StretchSteps
from pacl.detect.not_judged import Fault
from pacl.windows.fingerprint import beat_prints, known_again
from pacl.windows.plausible import is_implausible


@dataclass(frozen=True, eq=False)
class BeatJudge:
    """Judges every beat; networks are loaded when they are first used."""

    artifact: Artifact
    point: OperatingPoint = "balanced"

    def __post_init__(self) -> None:
        for mode in get_args(Mode):
            self.artifact.decoder(mode, self.point)

    @property
    def name(self) -> str:
        """What the weights are called."""
        return self.artifact.name

    @property
    def needed_beats(self) -> int:
        """Plausible beats in a row that it takes to say anything."""
        return self.artifact.needed_beats

    @cached_property
    def _whole(self) -> BeatScorer:
        return BeatScorer.open(self.artifact)

    @cached_property
    def _blocks(self) -> BlockScorer:
        scorer = BlockScorer.open(self.artifact)
        lag = self.artifact.decoder("causal", self.point).lag
        if lag is None or scorer.ahead + lag > AFTER:
            raise no_detector(
                self.artifact.folder / FILE, f"it decides later than {AFTER} beats after a beat"
            )
        return scorer

    @cached_property
    def _learned(self) -> UInt64[Array, "print"]:
        return self.artifact.fingerprints()

    def judge(self, rr_ms: Float32[Array, "beat"], mode: Mode) -> StretchSteps:
        """Judge a whole stretch without a gap."""
        if mode == "causal":
            return self._heard(rr_ms)
        decoder = self.artifact.decoder(mode, self.point)
        faults = group_faults(rr_ms, self.needed_beats)
        if (faults == Fault.TOO_FEW).all():
            nothing = np.full(rr_ms.size, np.nan)
            return _steps(rr_ms, nothing, np.zeros(rr_ms.size, np.bool_), faults)
        logits = self._whole.logits(rr_ms)
        log_odds, af = decoder.log_odds(logits), decoder.decode(logits)
        return _steps(rr_ms, log_odds, af, faults)

    def measured(self, mode: Mode) -> Mapping[str, Mapping[str, Any]]:
        """Of each cohort that was left out, what it is worth there."""
        found: Mapping[str, Mapping[str, Any]] = self.artifact.measured.get(mode, {}).get(
            self.point, {}
        )
        return found

    def learned(self, rr_ms: Float32[Array, "beat"]) -> bool:
        """Whether a recording, or a large part of it, is one that the weights learned from."""
        return bool(known_again({"it": beat_prints(rr_ms)}, self._learned))

    def stream(self) -> BeatStream:
        """A stretch that has not been heard yet."""
        decoder = self.artifact.decoder("causal", self.point)
        return BeatStream(self._blocks, decoder, self.needed_beats)

    def _heard(self, rr_ms: Float32[Array, "beat"]) -> StretchSteps:
        """Beat by beat, as a stream hears them."""
        stream = self.stream()
        found: list[StepDecision] = []
        for one in rr_ms.tolist():
            found += stream.push(one)
        found += stream.finish()
        log_odds, af, faults = (
            np.array([getattr(one, name) for one in found]) for name in ("log_odds", "af", "fault")
        )
        return _steps(rr_ms, log_odds, af, faults[::GROUP].astype(np.uint8))


def _steps(
    rr_ms: Float32[Array, "beat"], log_odds: Array, af: Array, faults: UInt8[Array, "group"]
) -> StretchSteps:
    """One step per beat; nothing is said of those of a group with a fault."""
    fault = np.repeat(faults, GROUP)[: rr_ms.size]
    fit = fault == Fault.NONE
    beats = np.arange(rr_ms.size)
    sparse, repeated = (
        int(np.count_nonzero(fault == one)) for one in (Fault.SPARSE, Fault.REPEATED)
    )
    counts = StretchCounts(
        plausible=int(np.count_nonzero(~is_implausible(rr_ms))),
        looked_at=int(np.count_nonzero(fault != Fault.TOO_FEW)),
        sparse=sparse,
        repeated=repeated,
        seen_s=float(rr_ms[fit].sum(dtype=np.float64)) / 1000,
    )
    return StretchSteps(beats, beats, np.where(fit, log_odds, np.nan), af & fit, fault, counts)
