"""Weights that give a logit for each beat, and the decoder: a decision for each beat (4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np

from pacl.adaptation import Posterior
from pacl.axes import Array, Float32, UInt8, UInt64
from pacl.detect.artifact import DETECTOR_FILE, Artifact, no_detector
from pacl.detect.beat_scorer import BeatScorer, BlockScorer
from pacl.detect.beat_stream import BeatStream
from pacl.detect.judge import Mode, OperatingPoint, StretchSteps
from pacl.detect.not_judged import Fault, StretchCounts
from pacl.detect.quality import AFTER, GROUP, group_faults
from pacl.detect.sinus_rhythm import Groups
from pacl.detect.stream_person import StreamPerson
from pacl.rr import beat_prints, is_implausible, recognised


@dataclass(frozen=True, eq=False, slots=True)
class LookedAt:
    """A stretch as the networks see it; without logits where it has too few beats."""

    rr_ms: Float32[Array, "beat"]
    mode: Mode
    faults: UInt8[Array, "group"]
    logits: Float32[Array, "beat"] | None


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
        return self.decide(self.look_at(rr_ms, mode))

    def look_at(self, rr_ms: Float32[Array, "beat"], mode: Mode) -> LookedAt:
        """What the networks see in a stretch, before anything is decided."""
        faults = group_faults(rr_ms, self.needed_beats)
        if (faults == Fault.TOO_FEW).all():
            return LookedAt(rr_ms, mode, faults, None)
        logits = (self._scorer if mode == "look-ahead" else self._blocks).logits(rr_ms)
        return LookedAt(rr_ms, mode, faults, logits)

    def decide(self, seen: LookedAt, own: Posterior | None = None) -> StretchSteps:
        """Decide each beat; for one person, if `own` is given."""
        if seen.logits is None:
            unknown, none = np.full(seen.rr_ms.size, np.nan), np.zeros(seen.rr_ms.size, np.bool_)
            return _steps(seen.rr_ms, unknown, none, seen.faults)
        decoder = self.artifact.decoder(seen.mode, self.point)
        log_odds = decoder.log_odds(seen.logits, own)
        if seen.mode == "causal":
            state = decoder.begin()
            decided = [one for each in log_odds.tolist() if (one := state.push(each)) is not None]
            decided += state.flush()
            af = np.array([one.af for one in decided], np.bool_)
        else:
            af = decoder.decode(seen.logits, own)
        return _steps(seen.rr_ms, log_odds, af, seen.faults)

    def groups(self, seen: LookedAt, first: int = 0) -> Groups:
        """Groups of ten beats with the population's log odds, without the operating point.

        The stretch begins with beat `first` of its recording.
        """
        slope = self.artifact.decoder(seen.mode, self.point).slope
        logits = np.zeros(seen.rr_ms.size) if seen.logits is None else seen.logits
        return Groups.of(seen.rr_ms, slope * logits.astype(np.float64), seen.faults, first)

    def measured(self, mode: Mode) -> Mapping[str, Mapping[str, Any]]:
        """Performance on each database left out in training."""
        found: Mapping[str, Mapping[str, Any]] = self.artifact.measured.get(mode, {}).get(
            self.point, {}
        )
        return found

    def learned(self, rr_ms: Float32[Array, "beat"]) -> bool:
        """Whether the weights were trained on this recording, or on a large part of it."""
        return bool(recognised({"it": beat_prints(rr_ms)}, self._learned))

    def stream(self, who: StreamPerson | None = None) -> BeatStream:
        """Start a new stretch; of one person, if given."""
        decoder = self.artifact.decoder("causal", self.point)
        return BeatStream(self._blocks, decoder, self.needed_beats, who)


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
