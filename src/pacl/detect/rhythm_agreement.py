"""How far detected AF agrees with true AF in one patient, by time, beat, segment and episode.

By time and by episode as in ANSI/AAMI EC57: sensitivity asks of true AF how much was found,
positive predictivity of called AF how much is true. Specificity asks how much of what is not AF
was not called AF. How one counts changes the figures a good deal, so that all are reported
(Butkuviene et al., Considerations on performance evaluation of atrial fibrillation detectors, IEEE
Trans Biomed Eng 68, 2021).

Time, beats and segments are those within counted time alone. Episodes are whole: a true or detected
episode takes part if any of it lies in counted time, and agrees if any of it overlaps the other's
AF there, however briefly. Its length is its whole length, whatever part of it counts; an episode
that reaches the start or end of the recording is as long as what was recorded of it. A called
episode that does not overlap true AF is a false alarm.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from pacl.detect.detection import Detection
from pacl.detect.errors import DetectError
from pacl.detect.rhythm_conventions import Flutter, Unmarked, annotated_as
from pacl.detect.rhythm_counts import Counts, Share, count
from pacl.detect.rhythm_cpsc import CpscScore, cpsc_score
from pacl.detect.rhythm_endpoints import ENDS, EndError, end_errors
from pacl.detect.rhythm_segments import count_segments
from pacl.detect.rhythm_spans import (
    Compared,
    compared_spans,
    in_beats,
)
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
"""Each is one number divided by another (`Agreement.parts`): a share from 0 to 1, but for false
alarms, in 24 h of counted time or of that without AF, and the CPSC2021 score of a recording."""
MEASURES: tuple[Measure, ...] = get_args(Measure)

SHARES: Mapping[Measure, tuple[Literal["time", "beats", "segments"], Share]] = {
    "duration_sensitivity": ("time", "sensitivity"),
    "duration_specificity": ("time", "specificity"),
    "duration_predictivity": ("time", "predictivity"),
    "beat_sensitivity": ("beats", "sensitivity"),
    "beat_specificity": ("beats", "specificity"),
    "beat_predictivity": ("beats", "predictivity"),
    "beat_f1": ("beats", "f1"),
    "beat_accuracy": ("beats", "accuracy"),
    "segment_sensitivity": ("segments", "sensitivity"),
    "segment_specificity": ("segments", "specificity"),
    "segment_predictivity": ("segments", "predictivity"),
}
"""Measures that are shares of an amount."""

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class TrueEpisode:
    """An annotated episode of AF: how long it lasts, whether any of it was found, and its ends.

    `onset` and `offset` are None where the episode was not found, or nobody could see its end
    (`end_errors`).
    """

    duration_s: float
    found: bool
    onset: EndError | None = None
    offset: EndError | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was counted in a patient; recordings of one patient are added up.

    Parameters
    ----------
    counted_s, af_s, called_s, both_s
        Seconds that count, of true AF in them, of called AF, and of AF that is both.
    true_episodes
        Those of which any part counts.
    called_episodes, right_episodes
        Detected episodes of which any part counts, and those of them that overlap true AF.
    beats, segments
        Beats, and segments of 30 s, that count, that are AF, called AF, and both.
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
        return Agreement(
            self.counted_s + other.counted_s,
            self.af_s + other.af_s,
            self.called_s + other.called_s,
            self.both_s + other.both_s,
            self.true_episodes + other.true_episodes,
            self.called_episodes + other.called_episodes,
            self.right_episodes + other.right_episodes,
            self.beats + other.beats,
            self.segments + other.segments,
            self.cpsc + other.cpsc,
        )

    @property
    def time(self) -> Counts:
        """Seconds, as beats and segments are kept."""
        return Counts(self.counted_s, self.af_s, self.called_s, self.both_s)

    @property
    def false_episodes(self) -> int:
        """Called episodes that overlap no true AF."""
        return self.called_episodes - self.right_episodes

    def parts(self, measure: Measure) -> tuple[float, float]:
        """What a measure divides, and by what; the latter is 0 where it has no value."""
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
                amount, share = SHARES[measure]
                counts: Counts = getattr(self, amount)
                return counts.parts(share)

    def value(self, measure: Measure) -> float | None:
        """A measure of this patient; None where there is nothing to divide by, such as no AF."""
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
        """How far the called burden is from the true one, in percentage points, without sign."""
        if self.counted_s <= 0:
            return None
        return 100 * abs(self.called_s - self.af_s) / self.counted_s


def agreement(compared: Compared) -> Agreement:
    """Count how far detected AF agrees with true AF.

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
            raise DetectError(f"{name} spans are not in order; join them before")
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
    """Those of which any part counts; `both` is time that counts and is AF both ways."""
    whole = compared.true[overlaps(compared.true, compared.counted)]
    found = overlaps(whole, both)
    onsets, offsets = (iter(end_errors(compared, whole[found], end)) for end in ENDS)
    return tuple(
        TrueEpisode(round(end - start, 6), True, next(onsets), next(offsets))
        if hit
        else TrueEpisode(round(end - start, 6), False)
        for (start, end), hit in zip(whole.tolist(), found.tolist(), strict=True)
    )


def recording_agreement(
    record: Record,
    detection: Detection,
    flutter: Flutter = "left-out",
    unmarked: Unmarked = "left-out",
) -> Agreement:
    """Everything that is counted in one recording, by a convention (`annotated_as`).

    The CPSC2021 score counts flutter as AF in any case.
    """
    compared = compared_spans(annotated_as(record, flutter, unmarked), detection)
    score = cpsc_score(annotated_as(record, unmarked=unmarked), detection, compared)
    return replace(agreement(compared), cpsc=() if score is None else (score,))
