"""Weights that give a logit for each beat, and the decoder: a decision for each beat (4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np

from pacl.axes import Array, Float32, UInt8, UInt64
from pacl.detect.artifact import DETECTOR_FILE, Artifact, no_detector
from pacl.detect.beat_scorer import BeatScorer, BlockScorer
from pacl.detect.beat_stream import BeatStream
from pacl.detect.judge import Mode, OperatingPoint, StepDecision, StretchSteps
from pacl.detect.not_judged import Fault, StretchCounts
from pacl.detect.quality import AFTER, GROUP, group_faults
from pacl.rr import beat_prints, is_implausible, recognised


@dataclass(frozen=True, eq=False)
class BeatJudge:
    """Judges each beat; networks are loaded at first use."""

    artifact: Artifact
    point: OperatingPoint = "balanced"

    def __post_init__(self) -> None:
        for mode in get_args(Mode):
            self.artifact.decoder(mode, self.point)

    @property
    def name(self) -> str:
        """Name of the weights."""
        return self.artifact.name

    @property
    def needed_beats(self) -> int:
        """Plausible beats in a row that are needed for a decision."""
        return self.artifact.needed_beats

    @cached_property
    def _scorer(self) -> BeatScorer:
        return BeatScorer.open(self.artifact)

    @cached_property
    def _blocks(self) -> BlockScorer:
        scorer = BlockScorer.open(self.artifact)
        lag = self.artifact.decoder("causal", self.point).lag
        if lag is None or scorer.ahead + lag > AFTER:
            raise no_detector(
                self.artifact.folder / DETECTOR_FILE,
                f"it decides a beat more than {AFTER} beats later",
            )
        return scorer

    @cached_property
    def _learned(self) -> UInt64[Array, "print"]:
        return self.artifact.fingerprints()

    def judge(self, rr_ms: Float32[Array, "beat"], mode: Mode) -> StretchSteps:
        """Judge a complete stretch without a gap."""
        if mode == "causal":
            return self._as_stream(rr_ms)
        decoder = self.artifact.decoder(mode, self.point)
        faults = group_faults(rr_ms, self.needed_beats)
        if (faults == Fault.TOO_FEW).all():
            unknown = np.full(rr_ms.size, np.nan)
            return _steps(rr_ms, unknown, np.zeros(rr_ms.size, np.bool_), faults)
        logits = self._scorer.logits(rr_ms)
        log_odds, af = decoder.log_odds(logits), decoder.decode(logits)
        return _steps(rr_ms, log_odds, af, faults)

    def measured(self, mode: Mode) -> Mapping[str, Mapping[str, Any]]:
        """Performance on each database left out in training."""
        found: Mapping[str, Mapping[str, Any]] = self.artifact.measured.get(mode, {}).get(
            self.point, {}
        )
        return found

    def learned(self, rr_ms: Float32[Array, "beat"]) -> bool:
        """Whether the weights were trained on this recording, or on a large part of it."""
        return bool(recognised({"it": beat_prints(rr_ms)}, self._learned))

    def stream(self) -> BeatStream:
        """Start a new stretch."""
        decoder = self.artifact.decoder("causal", self.point)
        return BeatStream(self._blocks, decoder, self.needed_beats)

    def _as_stream(self, rr_ms: Float32[Array, "beat"]) -> StretchSteps:
        """Judge beat by beat, as in a stream."""
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
    """One step per beat; beats of a group with a fault are not judged."""
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
