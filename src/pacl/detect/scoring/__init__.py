"""How well AF is detected in annotated recordings; needs neither torch nor scipy."""

from pacl.detect.scoring.agreement import (
    MEASURES,
    Agreement,
    Measure,
    agreement,
    recording_agreement,
)
from pacl.detect.scoring.compared import (
    Compared,
    Flutter,
    Unmarked,
    annotated_spans,
    compared_spans,
    judged_spans,
)
from pacl.detect.scoring.cpsc import LEAST_SCORE
from pacl.detect.scoring.evaluate import (
    RecordingScore,
    RhythmComparison,
    RhythmEvaluation,
    evaluate_recordings,
)
from pacl.detect.scoring.scores import Quartiles, RhythmScores, rhythm_scores

__all__ = [
    "LEAST_SCORE",
    "MEASURES",
    "Agreement",
    "Compared",
    "Flutter",
    "Measure",
    "Quartiles",
    "RecordingScore",
    "RhythmComparison",
    "RhythmEvaluation",
    "RhythmScores",
    "Unmarked",
    "agreement",
    "annotated_spans",
    "compared_spans",
    "evaluate_recordings",
    "judged_spans",
    "recording_agreement",
    "rhythm_scores",
]
