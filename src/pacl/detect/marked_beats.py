"""Marks by hand, beat by beat: they replace what was decided.

A mark counts for each interval whose middle lies in it, whether or not the detector could judge it:
a person has seen it. An interval above 10 s is no beat: a mark of a rhythm leaves it as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pacl.axes import Array, Bool, Float32, Float64, UInt8
from pacl.detect.judge import StretchSteps
from pacl.detect.mark import Mark, MarkKind
from pacl.detect.not_judged import EXCLUDED, Fault
from pacl.records import GAP_MS, Record
from pacl.spans import NotJudged, runs

NOTHING, AF, NOT_AF, EXCLUDE = range(4)
_CODES: dict[MarkKind, int] = {"af": AF, "not-af": NOT_AF, "sinus": NOT_AF, "exclude": EXCLUDE}

_SEEN = (Fault.NONE, Fault.WARMING_UP, Fault.NOT_YET)
"""Steps whose time counts as seen; the last two lie in windows that could be judged."""


@dataclass(frozen=True, eq=False, slots=True)
class MarkedBeats:
    """What marks say of each beat of a recording.

    Parameters
    ----------
    record
        The recording.
    begins_s, ends_s
        The times of its intervals.
    code
        For each of them `NOTHING`, `AF`, `NOT_AF` or `EXCLUDE`.
    """

    record: Record
    begins_s: Float64[Array, "beat"]
    ends_s: Float64[Array, "beat"]
    code: UInt8[Array, "beat"]

    @classmethod
    def of(
        cls,
        marks: Sequence[Mark],
        record: Record,
        begins_s: Float64[Array, "beat"],
        ends_s: Float64[Array, "beat"],
    ) -> "MarkedBeats":
        """Of marks that are in order and do not overlap, see `painted`."""
        code = np.zeros(len(record), np.uint8)
        if marks:
            middle_s = (begins_s + ends_s) / 2
            starts_s = np.array([one.start_s for one in marks], np.float64)
            stops_s = np.array([one.end_s for one in marks], np.float64)
            codes = np.array([_CODES[one.kind] for one in marks], np.uint8)
            at = np.searchsorted(starts_s, middle_s, side="right") - 1
            inside = (at >= 0) & (middle_s < stops_s[at])
            code = np.where(inside, codes[at], np.uint8(NOTHING))
            code[(record.rr_ms > GAP_MS) & (code != EXCLUDE)] = NOTHING
        return cls(record, begins_s, ends_s, code)

    @property
    def af(self) -> Bool[Array, "beat"]:
        """Beats that were marked AF."""
        found: Bool[Array, "beat"] = self.code == AF
        return found

    def masked(self) -> Bool[Array, "beat"]:
        """Beats that are not judged: noise that nobody marked, and what was excluded."""
        noise = self.record.cannot_be_judged()
        found: Bool[Array, "beat"] = np.where(
            self.code == NOTHING, noise, self.code == EXCLUDE
        ).astype(np.bool_)
        return found

    def not_judged(self) -> list[NotJudged]:
        """Stretches of the recording that are not judged, less those that were marked."""
        aside = self.record.not_judged
        if not self.code.any():
            return list(aside)
        by_hand = np.array(list(self._spans(self.code != NOTHING))).reshape(-1, 2)
        left = [part for one in aside for part in _less(one, by_hand)]
        return [*left, *(NotJudged(*one, EXCLUDED) for one in self._spans(self.code == EXCLUDE))]

    def over(self, steps: StretchSteps, start: int, rr_ms: Float32[Array, "beat"]) -> StretchSteps:
        """The steps of a stretch that begins with beat `start`, with the marks painted over them.

        A step that is marked in part is divided into its beats.
        """
        code = self.code[start : start + rr_ms.size]
        if not code.any():
            return steps
        marked = code[steps.first]
        elapsed_ms = np.append(0.0, np.cumsum(rr_ms, dtype=np.float64))
        lasts_ms = elapsed_ms[steps.last + 1] - elapsed_ms[steps.first]
        seen = np.isin(steps.fault, _SEEN)
        rhythm, excluded = (marked == AF) | (marked == NOT_AF), marked == EXCLUDE
        more_ms = lasts_ms[rhythm & ~seen].sum() - lasts_ms[excluded & seen].sum()
        seen_s = max(steps.counts.seen_s + float(more_ms) / 1000, 0.0)
        log_odds = steps.log_odds.copy()
        for which, value in ((AF, np.inf), (NOT_AF, -np.inf), (EXCLUDE, np.nan)):
            log_odds[marked == which] = value
        fault = np.where(rhythm, np.uint8(Fault.NONE), steps.fault)
        return replace(
            steps,
            log_odds=log_odds,
            af=np.where(marked == NOTHING, steps.af, marked == AF),
            fault=np.where(excluded, np.uint8(Fault.MASKED), fault),
            counts=replace(steps.counts, seen_s=seen_s),
        )

    def divided(self, steps: StretchSteps, start: int) -> StretchSteps:
        """The same steps; one that is marked in part only is divided into its beats."""
        code = self.code[start : start + int(steps.last.max(initial=-1)) + 1]
        if not code.any():
            return steps
        changes = np.append(0, np.cumsum(code[1:] != code[:-1]))
        beats = steps.last - steps.first + 1
        parts = np.where(changes[steps.last] > changes[steps.first], beats, 1)
        if parts.max() == 1:
            return steps
        step = np.repeat(np.arange(parts.size), parts)
        within = np.arange(step.size) - np.repeat(np.cumsum(parts) - parts, parts)
        first = steps.first[step] + within
        return replace(
            steps,
            first=first,
            last=np.where(parts[step] > 1, first, steps.last[step]),
            log_odds=steps.log_odds[step],
            af=steps.af[step],
            fault=steps.fault[step],
        )

    def _spans(self, mask: Bool[Array, "beat"]) -> Iterator[tuple[float, float]]:
        """Times of beats in a row, within one file."""
        for start, stop in self.record.file_bounds():
            for low, high in runs(mask[start:stop]):
                yield float(self.begins_s[start + low]), float(self.ends_s[start + high - 1])


def _less(one: NotJudged, spans: Float64[Array, "span 2"]) -> Iterable[NotJudged]:
    """What is left of a stretch outside of spans."""
    at_s = one.start_s
    for start_s, end_s in spans[(spans[:, 1] > one.start_s) & (spans[:, 0] < one.end_s)].tolist():
        if start_s > at_s:
            yield NotJudged(at_s, start_s, one.why)
        at_s = max(at_s, end_s)
    if at_s < one.end_s:
        yield NotJudged(at_s, one.end_s, one.why)
