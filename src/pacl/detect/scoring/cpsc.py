"""The score of the 4th China Physiological Signal Challenge (CPSC2021) for one recording.

Score = Ur + Ue; that of a data set is the mean over its recordings.

Ur, for the rhythm of the recording: all of it AF ("persistent"), some ("paroxysmal"), none.

| truth      | called none | called all | called some |
|------------|------------:|-----------:|------------:|
| none       |           1 |         -1 |        -0.5 |
| all        |          -2 |          1 |           0 |
| some       |          -1 |          0 |           1 |

Ue, for onsets and offsets: each called onset within one beat of a true onset gets 1 point, within
two beats 0.5, and each offset likewise; the sum is multiplied by true / max(true, called), the
numbers of episodes. Where there is no true AF it is 0. So a recording with n episodes can reach
1 + 2 n points, and only scores on the same recordings can be compared.

Choices for RR intervals:

- Positions are beats, not samples: an onset is the first beat of AF, an offset the last. The
  program of the challenge searches sample numbers in a list of R peaks and rhythm marks, in ranges
  without their last peak. At R peaks it gives 0.5 points to an end one beat late and none to one
  two beats late; the text of the challenge, and this file, give 1 and 0.5. So scores here are
  slightly higher than those of the challenge.
- All of a recording is called AF if all judged beats are; its ends are then the first and the last
  beat, as in the challenge. All of it is AF in truth if all beats are.
- A called end is compared with the nearest true end only. In the challenge no episode and no pause
  has fewer than 5 beats, so at most one true end is within two beats.

As in the challenge, flutter is AF, and a beat without a mark is not AF. A recording without any
mark may not have been annotated: it has no score.

X. Wang, C. Ma, X. Zhang, H. Gao, G. D. Clifford, C. Liu, Paroxysmal Atrial Fibrillation Events
Detection from Dynamic ECG Recordings, PhysioNet, 2021, doi 10.13026/ksya-qw89.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from pacl.axes import Array, Float64
from pacl.detect.detection import Detection
from pacl.detect.scoring.compared import Compared, annotated_as, in_beats, judged_spans
from pacl.records import Record, Rhythm
from pacl.spans import Spans, intersect, total_s


class Extent(IntEnum):
    """How much of a recording is AF."""

    NONE = 0
    ALL = 1
    SOME = 2


RHYTHM_POINTS = ((1.0, -1.0, -0.5), (-2.0, 1.0, 0.0), (-1.0, 0.0, 1.0))
"""Ur by `Extent` of AF in truth (row) and as called (column)."""
LEAST_SCORE = -2.0


@dataclass(frozen=True, slots=True)
class CpscScore:
    """Points of one recording: for its rhythm (Ur), and for onsets and offsets (Ue)."""

    rhythm: float
    endpoints: float

    @property
    def total(self) -> float:
        """The score."""
        return self.rhythm + self.endpoints


def cpsc_score(record: Record, detection: Detection, compared: Compared) -> CpscScore | None:
    """Score a detection; None where no beat of the recording has a rhythm mark.

    `compared` is the result of `compared_spans` for both.
    """
    if all(span.rhythm is Rhythm.UNKNOWN for span in record.spans):
        return None
    runs = annotated_as(record, flutter="as-af").rhythm_runs()
    true = [(one.start, one.stop) for one in runs if one.rhythm is Rhythm.AF]
    called = in_beats(compared.detected, compared.beats_s)
    judged = in_beats(judged_spans(detection), compared.beats_s)
    return score_beats(np.array(true, np.float64).reshape(-1, 2), called, judged, len(record))


def score_beats(true: Spans, called: Spans, judged: Spans, beats: int) -> CpscScore:
    """Score spans of beats, each from its first beat up to the one after its last.

    Examples
    --------
    >>> true, called, judged = (
    ...     np.array([one]) for one in ((20.0, 50.0), (21.0, 52.0), (0.0, 90.0))
    ... )
    >>> score_beats(true, called, judged, beats=90)
    CpscScore(rhythm=1.0, endpoints=1.5)
    """
    all_beats = np.array([[0.0, beats]])
    true_extent, called_extent = _extent(true, all_beats), _extent(called, judged)
    rhythm = RHYTHM_POINTS[true_extent][called_extent]
    if not (true_extent and called_extent):
        return CpscScore(rhythm, 0.0)
    if called_extent is Extent.ALL:
        called = all_beats
    points = sum(_points(true[:, end], called[:, end]) for end in (0, 1))
    return CpscScore(rhythm, points * len(true) / max(len(true), len(called)))


def _extent(af: Spans, all_beats: Spans) -> Extent:
    if not len(af):
        return Extent.NONE
    missing = total_s(all_beats) - total_s(intersect(af, all_beats))
    return Extent.SOME if missing else Extent.ALL


def _points(true: Float64[Array, "true"], called: Float64[Array, "called"]) -> float:
    """1 for each called end within one beat of a true one, 0.5 within two."""
    after = np.searchsorted(true, called).clip(1, len(true) - 1) if len(true) > 1 else 0
    away = np.minimum(np.abs(called - true[after]), np.abs(called - true[after - 1]))
    return float((away <= 1).sum() + (away <= 2).sum()) / 2
