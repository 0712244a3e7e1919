"""Agreement of detected AF with true AF in one patient, by time, beat, segment and episode.

By time and by episode as in ANSI/AAMI EC57. Sensitivity is the share of true AF that was found,
positive predictivity the share of called AF that is true, specificity the share of the rest that
was not called AF. The figures depend strongly on the unit, so all are reported (Butkuviene et al.,
Considerations on performance evaluation of atrial fibrillation detectors, IEEE Trans Biomed Eng 68,
2021).

Time, beats and segments are counted within counted time only. A true or called episode is counted
if any of it lies in counted time. It agrees if any of it overlaps AF of the other kind there. Its
length is its full recorded length. A called episode that does not overlap true AF is a false alarm.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal, cast, get_args

from pacl.detect.detection import Detection
from pacl.detect.not_judged import DetectError
from pacl.detect.scoring.compared import (
    Compared,
    Flutter,
    Unmarked,
    annotated_as,
    compared_spans,
    in_beats,
)
from pacl.detect.scoring.counts import Counts, Share, count, count_segments
from pacl.detect.scoring.cpsc import CpscScore, cpsc_score
from pacl.detect.scoring.endpoints import ENDS, EndError, end_errors
from pacl.records import Record
from pacl.spans import Spans, intersect, overlaps

Measure = Literal[
    "duration_sensitivity",
    "duration_specificity",
    "duration_predictivity",
    "beat_sensitivity",
    "beat_specificity",
    "beat_predictivity",
    "beat_f1",
    "beat_accuracy",
    "segment_sensitivity",
    "segment_specificity",
    "segment_predictivity",
    "episode_sensitivity",
    "episode_predictivity",
    "false_alarms_per_day",
    "false_alarms_per_day_without_af",
    "cpsc2021_score",
]
"""Each is a fraction (`Agreement.parts`): a share from 0 to 1, or false alarms in 24 h of counted
time or of time without AF, or the CPSC2021 score of a recording."""
MEASURES: tuple[Measure, ...] = get_args(Measure)

UNITS: Mapping[str, Literal["time", "beats", "segments"]] = {
    "duration": "time",
    "beat": "beats",
    "segment": "segments",
}
"""First words of measures that are shares, and the counts they are computed from."""

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class TrueEpisode:
    """An annotated episode of AF: its duration, whether any of it was found, and its ends.

    `onset` and `offset` are None where the episode was not found, or its end was not recorded
    (`end_errors`).
    """

    duration_s: float
    found: bool
    onset: EndError | None = None
    offset: EndError | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of a patient; recordings of one patient are added up.

    Parameters
    ----------
    counted_s, af_s, called_s, both_s
        Seconds that are counted, and of these true AF, called AF, and both.
    true_episodes
        True episodes of which any part is counted.
    called_episodes, right_episodes
        Called episodes of which any part is counted, and those of them that overlap true AF.
    beats, segments
        Beats, and segments of 30 s: counted, AF, called AF, and both.
    cpsc
        CPSC2021 scores of the recordings that have one.
    """

    counted_s: float = 0.0
    af_s: float = 0.0
    called_s: float = 0.0
    both_s: float = 0.0
    true_episodes: tuple[TrueEpisode, ...] = ()
    called_episodes: int = 0
    right_episodes: int = 0
    beats: Counts = field(default_factory=Counts)
    segments: Counts = field(default_factory=Counts)
    cpsc: tuple[CpscScore, ...] = ()

    def __add__(self, other: "Agreement") -> "Agreement":
        names = [one.name for one in fields(self)]
        return Agreement(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def time(self) -> Counts:
        """Seconds, in the form of beats and segments."""
        return Counts(self.counted_s, self.af_s, self.called_s, self.both_s)

    @property
    def false_episodes(self) -> int:
        """Called episodes that overlap no true AF."""
        return self.called_episodes - self.right_episodes

    def parts(self, measure: Measure) -> tuple[float, float]:
        """Numerator and denominator of a measure; the denominator is 0 where it has no value."""
        match measure:
            case "episode_sensitivity":
                found = sum(one.found for one in self.true_episodes)
                return float(found), float(len(self.true_episodes))
            case "episode_predictivity":
                return float(self.right_episodes), float(self.called_episodes)
            case "false_alarms_per_day":
                return float(self.false_episodes), self.counted_s / DAY_S
            case "false_alarms_per_day_without_af":
                without_af_s = max(self.counted_s - self.af_s, 0.0)
                return float(self.false_episodes), without_af_s / DAY_S
            case "cpsc2021_score":
                return math.fsum(one.total for one in self.cpsc), float(len(self.cpsc))
            case _:
                unit, _, share = measure.partition("_")
                counts: Counts = getattr(self, UNITS[unit])
                return counts.parts(cast(Share, share))

    def value(self, measure: Measure) -> float | None:
        """A measure of this patient; None where it is not defined, such as without AF."""
        above, below = self.parts(measure)
        return above / below if below > 0 else None

    @property
    def true_burden(self) -> float | None:
        """Share of the counted time in AF."""
        return self.af_s / self.counted_s if self.counted_s > 0 else None

    @property
    def called_burden(self) -> float | None:
        """Share of the counted time called AF."""
        return self.called_s / self.counted_s if self.counted_s > 0 else None

    @property
    def burden_error(self) -> float | None:
        """Absolute difference of called and true burden, in percentage points."""
        if self.counted_s <= 0:
            return None
        return 100 * abs(self.called_s - self.af_s) / self.counted_s


def agreement(compared: Compared) -> Agreement:
    """Compare detected AF with true AF.

    Examples
    --------
    >>> from pacl.spans import joined
    >>> found = agreement(
    ...     Compared(
    ...         true=joined([(0.0, 60.0)]),
    ...         detected=joined([(30.0, 90.0)]),
    ...         counted=joined([(0.0, 100.0)]),
    ...     )
    ... )
    >>> found.value("duration_sensitivity"), found.value("episode_sensitivity")
    (0.5, 1.0)
    """
    for name in ("true", "detected", "counted"):
        spans = getattr(compared, name)
        flat = spans.ravel()
        if not (flat[1:] >= flat[:-1]).all():
            raise DetectError(f"{name} spans are not in order; sort and join them first")
    spans = (compared.true, compared.detected, compared.counted)
    time = count(*spans)
    both = intersect(intersect(compared.true, compared.counted), compared.detected)
    detected = compared.detected[overlaps(compared.detected, compared.counted)]
    return Agreement(
        time.counted,
        time.af,
        time.called,
        time.both,
        true_episodes=_true_episodes(compared, both),
        called_episodes=len(detected),
        right_episodes=int(overlaps(detected, both).sum()),
        beats=count(*(in_beats(one, compared.beats_s) for one in spans)),
        segments=count_segments(*spans),
    )


def _true_episodes(compared: Compared, both: Spans) -> tuple[TrueEpisode, ...]:
    """True episodes of which any part is counted; `both` is counted time, true and called."""
    episodes = compared.true[overlaps(compared.true, compared.counted)]
    found = overlaps(episodes, both)
    onsets, offsets = (iter(end_errors(compared, episodes[found], end)) for end in ENDS)
    return tuple(
        TrueEpisode(round(end - start, 6), True, next(onsets), next(offsets))
        if hit
        else TrueEpisode(round(end - start, 6), False)
        for (start, end), hit in zip(episodes.tolist(), found.tolist(), strict=True)
    )


def recording_agreement(
    record: Record,
    detection: Detection,
    flutter: Flutter = "left-out",
    unmarked: Unmarked = "left-out",
) -> Agreement:
    """All counts of one recording, with a convention (`annotated_as`).

    The CPSC2021 score always counts flutter as AF.
    """
    compared = compared_spans(annotated_as(record, flutter, unmarked), detection)
    score = cpsc_score(annotated_as(record, unmarked=unmarked), detection, compared)
    return replace(agreement(compared), cpsc=() if score is None else (score,))
