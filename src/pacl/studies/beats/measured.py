"""Figures of a detector: on each cohort, those of the detector that has not seen it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from pacl.detect import Detector, Mode, OperatingPoint
from pacl.detect.scoring import Agreement, RhythmScores, recording_agreement, rhythm_scores
from pacl.studies.beats.cohorts import BeatCohort

Measured = dict[str, dict[str, dict[str, dict[str, Any]]]]
"""Figures by mode, operating point and cohort."""


def measure(detector: Detector, cohort: BeatCohort, mode: Mode) -> RhythmScores:
    """Detect AF in a cohort's recordings as a user would, and score the result."""
    patients: dict[str, Agreement] = {}
    for one in cohort.records:
        found = recording_agreement(one.record, detector.detect(one.record, mode))
        who = one.record.patient_id
        patients[who] = patients.get(who, Agreement()) + found
    return rhythm_scores(list(patients.values()))


def measure_left_out(
    cohorts: Sequence[BeatCohort], folder: Path, modes: Sequence[Mode] = get_args(Mode)
) -> Measured:
    """Figures of `folder/COHORT` on each cohort, for all operating points."""
    found: Measured = {}
    for mode in modes:
        for point in get_args(OperatingPoint):
            of = found.setdefault(mode, {}).setdefault(point, {})
            for cohort in cohorts:
                detector = Detector(folder / cohort.name, operating_point=point)
                of[cohort.name] = figures(measure(detector, cohort, mode))
    return found


def figures(scores: RhythmScores) -> dict[str, Any]:
    """The figures that are kept with a detector."""
    ratios, total = scores.ratios, scores.total
    counted_h = total.counted_s / 3600
    return {
        "patients": scores.burden_error.patients,
        "counted_h": round(counted_h, 2),
        "sensitivity": _rounded(ratios["duration_sensitivity"].gross),
        "specificity": _rounded(ratios["duration_specificity"].gross),
        "predictivity": _rounded(ratios["duration_predictivity"].gross) if total.af_s else None,
        "false_alarms_per_day": round(24 * total.false_episodes / counted_h, 3),
        "false_af_h_per_day": _rounded(scores.false_af_h_per_day),
        "episodes": [
            {"from_s": one.low_s, "found": one.found, "of": one.episodes}
            for one in scores.by_length
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)
