"""What the networks see in a recording, kept: deciding again costs little."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pacl.adaptation import Posterior
from pacl.axes import Array, Float32, Float64
from pacl.detect.beat_judge import BeatJudge, LookedAt
from pacl.detect.judge import Judge, Mode, StretchSteps
from pacl.detect.quality import without_masked
from pacl.detect.sinus_rhythm import Groups
from pacl.records import Record


@dataclass(frozen=True, eq=False)
class Looked:
    """A recording as the networks see it, before anything is decided; see `Detector.look`.

    Parameters
    ----------
    judge
        The weights that looked.
    record, mode
        The recording, and how it was looked at.
    stretches
        For each stretch the number of beats before it, and what was seen; weights of windows have
        no profiles, so theirs are judged already.
    begins_s, ends_s
        The times of all intervals.
    """

    judge: Judge
    record: Record
    mode: Mode
    stretches: Sequence[tuple[int, LookedAt | StretchSteps]]
    begins_s: Float64[Array, "beat"]
    ends_s: Float64[Array, "beat"]

    @classmethod
    def at(cls, judge: Judge, record: Record, mode: Mode) -> "Looked":
        """Let the networks look at all stretches of a recording."""
        begins_s = record.onset_s()
        rr_ms = record.rr_ms.astype(np.float32)
        look = judge.look_at if isinstance(judge, BeatJudge) else judge.judge
        return cls(
            judge=judge,
            record=record,
            mode=mode,
            stretches=tuple(
                (start, look(rr_ms[start:stop], mode)) for start, stop in record.stretches()
            ),
            begins_s=begins_s,
            ends_s=begins_s + record.rr_ms.astype(np.float64) / 1000,
        )

    @cached_property
    def rr_ms(self) -> Float32[Array, "beat"]:
        """All intervals, as the networks take them."""
        return self.record.rr_ms.astype(np.float32)

    @cached_property
    def learned(self) -> bool | None:
        """Whether the weights were trained on this recording."""
        return self.judge.learned(self.rr_ms)

    def steps(self, own: Posterior | None = None) -> list[tuple[int, StretchSteps]]:
        """Decisions on all stretches; for one person, if `own` is given."""
        return self._population if own is None else self._decided(own)

    @cached_property
    def _population(self) -> list[tuple[int, StretchSteps]]:
        return self._decided(None)

    def _decided(self, own: Posterior | None) -> list[tuple[int, StretchSteps]]:
        found = []
        for start, seen in self.stretches:
            if isinstance(seen, LookedAt):
                assert isinstance(self.judge, BeatJudge)  # noqa: S101 - no other gives these
                found.append((start, self.judge.decide(seen, own)))
            else:
                found.append((start, seen))
        return found

    @cached_property
    def groups(self) -> Groups:
        """Groups of ten beats; none for weights of windows."""
        return self._groups(masked=False)

    @cached_property
    def trusted_groups(self) -> Groups:
        """Groups of ten beats without those in noise: what can be learned from."""
        return self._groups(masked=True) if self.record.not_judged else self.groups

    def _groups(self, *, masked: bool) -> Groups:
        aside = self.record.cannot_be_judged()
        parts = []
        for start, seen in self.stretches:
            if isinstance(self.judge, BeatJudge) and isinstance(seen, LookedAt):
                if masked:
                    there = aside[start : start + seen.rr_ms.size]
                    seen = replace(seen, faults=without_masked(seen.faults, there))
                parts.append(self.judge.groups(seen, start))
        return Groups.joined(parts)
