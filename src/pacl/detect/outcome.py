"""The result of a recording from the decisions on its stretches, and marks by hand."""

import math
from dataclasses import dataclass
from itertools import chain

from pacl.detect.detection import Detection, Quality
from pacl.detect.episodes import af_episodes, not_judged_steps
from pacl.detect.judge import OperatingPoint, StretchSteps, probability
from pacl.detect.looked import Looked
from pacl.detect.marked_beats import MarkedBeats
from pacl.detect.not_judged import GAP, Offered
from pacl.records import Record
from pacl.rr import is_implausible
from pacl.spans import NotJudged


@dataclass(frozen=True, slots=True)
class How:
    """How a recording is judged; episodes shorter than `min_duration_s` are possible AF."""

    operating_point: OperatingPoint
    min_duration_s: float


def outcome(
    looked: Looked, stretches: list[tuple[int, StretchSteps]], by_hand: MarkedBeats, how: How
) -> Detection:
    """The result of judged stretches, each with the number of beats before it."""
    record, judge, rr_ms = looked.record, looked.judge, looked.rr_ms
    begins_s, ends_s = looked.begins_s, looked.ends_s
    masked = by_hand.masked()
    parts = []
    for at, steps in stretches:
        if size := int(steps.last.max(initial=-1)) + 1:
            beats = rr_ms[at : at + size]
            trusted = by_hand.divided(steps, at).without(masked[at : at + size], beats)
            parts.append((at, by_hand.over(trusted, at, beats)))
    gaps = record.gaps()
    not_judged = chain(
        by_hand.not_judged(),
        (
            NotJudged(float(begins_s[at]), float(ends_s[at]), GAP)
            for at in gaps.tolist()
            if not masked[at]
        ),
        *(not_judged_steps(steps, at, begins_s, ends_s, judge.needed_beats) for at, steps in parts),
    )
    found = StretchSteps.joined(parts)
    counts = [one.counts for _, one in parts]
    start_s, end_s = begins_s[found.first], ends_s[found.last]
    likely = probability(found.log_odds)
    lasts_s = end_s - start_s
    episodes = af_episodes(found, rr_ms, start_s, end_s, likely, masked, by_hand.af)
    return Detection(
        record_id=record.record_id,
        source=record.source,
        started=record.started,
        mode=looked.mode,
        weights=judge.name,
        operating_point=how.operating_point,
        min_duration_s=how.min_duration_s,
        duration_s=_lasts_s(record, float(begins_s[0]), float(ends_s[-1])),
        recorded_s=record.duration_s + record.without_beats_s(),
        seen_s=math.fsum(one.seen_s for one in counts),
        judged_s=float(lasts_s.sum()),
        af_s=float(lasts_s[found.af].sum()),
        episodes=tuple(episodes),
        not_judged=tuple(sorted(not_judged, key=lambda one: (one.start_s, one.end_s))),
        quality=Quality(
            beats=len(record),
            implausible=float(is_implausible(rr_ms).mean()),
            not_judged=1.0 - float((found.last - found.first + 1).sum()) / len(record),
            gaps=int(gaps.size),
        ),
        offered=Offered.of(judge.needed_beats, len(record), int(gaps.size), counts),
        start_s=start_s,
        end_s=end_s,
        probability=likely,
        af=found.af,
        learned_from=looked.learned,
        measured=judge.measured(looked.mode),
    )


def _lasts_s(record: Record, begins_s: float, ends_s: float) -> float:
    """From the first beat to the last, or to what is not judged before or after them."""
    aside = record.not_judged
    return max([ends_s, *(one.end_s for one in aside)]) - min(
        [begins_s, *(one.start_s for one in aside)]
    )
