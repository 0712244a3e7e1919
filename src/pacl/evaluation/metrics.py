"""How well AF is detected: over all windows, for each rhythm, for each subject (3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from pacl.axes import Array, Float, Float64, Int
from pacl.evaluation.auroc_pairs import check_scores
from pacl.evaluation.calibration import Calibration, check_predictions, measure_calibration
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.subject_groups import subject_names
from pacl.records import Rhythm

THRESHOLD = 0.5
"""Probability from which on a window is predicted AF."""


@dataclass(frozen=True, slots=True)
class ClassScores:
    """One rhythm in the paper's per-class table.

    None where the denominator is 0: `precision` where the rhythm was never predicted, `recall`
    where it has no windows, `f1` where both are so.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    windows: int


@dataclass(frozen=True, slots=True)
class Scores:
    """What follows from a confusion table."""

    sr: ClassScores
    af: ClassScores
    accuracy: float


@dataclass(frozen=True, slots=True)
class SubjectDetection:
    """One subject. What needs a rhythm that the subject has no windows of is None."""

    subject: str
    sr_windows: int
    af_windows: int
    auroc: float | None
    accuracy: float
    sensitivity: float | None
    specificity: float | None


@dataclass(frozen=True, slots=True)
class Detection:
    """How well AF is detected, in plain numbers.

    Parameters
    ----------
    auroc
        Over all windows together, as the paper reports it.
    auroc_subject_mean, auroc_subjects
        Mean over the subjects who have windows of both rhythms, and how many those are.
    auroc_worst_tenth
        Mean over the worst tenth of these subjects, rounded up.
    sr, af, accuracy, sensitivity, specificity
        With AF predicted from `threshold` upwards. Sensitivity is the recall of AF, specificity
        that of SR.
    """

    auroc: float
    auroc_subject_mean: float | None
    auroc_subjects: int
    auroc_worst_tenth: float | None
    sr: ClassScores
    af: ClassScores
    accuracy: float
    sensitivity: float
    specificity: float
    threshold: float
    calibration: Calibration
    per_subject: tuple[SubjectDetection, ...]


def scores_from_counts(*, sr_as_sr: int, sr_as_af: int, af_as_sr: int, af_as_af: int) -> Scores:
    """Score a confusion table: `sr_as_af` counts the SR windows that were predicted AF."""
    counts = (sr_as_sr, sr_as_af, af_as_sr, af_as_af)
    if min(counts) < 0 or not any(counts):
        raise EvaluationError(
            f"confusion table {counts}; give counts from 0 upwards, not all of them 0"
        )
    return Scores(
        sr=_class_scores(found=sr_as_sr, missed=sr_as_af, mistaken=af_as_sr),
        af=_class_scores(found=af_as_af, missed=af_as_sr, mistaken=sr_as_af),
        accuracy=(sr_as_sr + af_as_af) / sum(counts),
    )


def roc_at(
    labels: Int[Array, "window"], score: Float64[Array, "window"], at: Float64[Array, "point"]
) -> Float64[Array, "point"]:
    """The highest sensitivity at each share of false alarms; windows that tie come together."""
    sr, af = (np.sort(score[labels == kind]) for kind in (Rhythm.SR, Rhythm.AF))
    if not sr.size or not af.size:
        raise EvaluationError(
            f"ROC of {sr.size} SR and {af.size} AF windows; it needs windows of both rhythms"
        )
    cuts = np.unique(score)[::-1]
    false = np.append(0.0, (sr.size - np.searchsorted(sr, cuts)) / sr.size)
    true = np.append(0.0, (af.size - np.searchsorted(af, cuts)) / af.size)
    # The curve rises upright at some shares: take its upper end there, a straight line between.
    last = np.searchsorted(false, at, side="right") - 1
    following = np.minimum(last + 1, false.size - 1)
    run = false[following] - false[last]
    part = np.divide(at - false[last], run, out=np.zeros(at.size), where=run > 0)
    found: Float64[Array, "point"] = true[last] + part * (true[following] - true[last])
    return found


def measure_auroc(labels: Int[Array, "window"], score: Float[Array, "window"]) -> float:
    """Share of pairs of an AF and an SR window in which AF scores higher, a tie counting half.

    Pairs are counted as integers, so that only the division rounds.
    """
    check_scores(labels, score)
    sr, af = np.sort(score[labels == Rhythm.SR]), np.sort(score[labels == Rhythm.AF])
    below = np.searchsorted(sr, af, side="left").sum()
    below_or_tied = np.searchsorted(sr, af, side="right").sum()
    return int(below + below_or_tied) / (2 * sr.size * af.size)


def measure_detection(
    labels: Int[Array, "window"],
    probability: Float[Array, "window"],
    subjects: Int[Array, "window"],
    names: Sequence[str] | None = None,
    *,
    threshold: float = THRESHOLD,
) -> Detection:
    """Measure predictions on windows of known rhythm (0 for SR, 1 for AF) and subject.

    Parameters
    ----------
    subjects, names
        Code of each window's subject, and the name of each code.
    threshold
        Probability from which on a window is predicted AF.
    """
    check_predictions(labels, probability)
    if labels.size != subjects.size:
        raise EvaluationError(
            f"{labels.size} labels, {subjects.size} subjects; give each window its subject"
        )
    if not 0 <= threshold <= 1:
        raise EvaluationError(f"threshold {threshold}; give a probability from 0 to 1")
    probability = probability.astype(np.float64)  # a float32 would round the threshold, too
    scores = _scores(labels, probability, threshold)
    if scores.sr.recall is None or scores.af.recall is None:
        missing = "SR" if scores.sr.recall is None else "AF"
        raise EvaluationError(
            f"none of {labels.size} windows is {missing}; detection is measured on both rhythms, "
            "add subjects who have it"
        )
    order = np.argsort(subjects, kind="stable")  # sorted once, however many subjects there are
    codes, first = np.unique(subjects[order], return_index=True)
    each = zip(subject_names(codes, names), np.split(order, first[1:]), strict=True)
    per_subject = tuple(
        _measure_subject(name, labels[rows], probability[rows], threshold) for name, rows in each
    )
    known = sorted(one.auroc for one in per_subject if one.auroc is not None)
    worst = known[: -(-len(known) // 10)]
    return Detection(
        auroc=measure_auroc(labels, probability),
        auroc_subject_mean=_mean(known),
        auroc_subjects=len(known),
        auroc_worst_tenth=_mean(worst),
        sr=scores.sr,
        af=scores.af,
        accuracy=scores.accuracy,
        sensitivity=scores.af.recall,
        specificity=scores.sr.recall,
        threshold=threshold,
        calibration=measure_calibration(labels, probability),
        per_subject=per_subject,
    )


def _measure_subject(
    subject: str,
    labels: Int[Array, "window"],
    probability: Float64[Array, "window"],
    threshold: float,
) -> SubjectDetection:
    scores = _scores(labels, probability, threshold)
    both = scores.sr.windows > 0 and scores.af.windows > 0
    return SubjectDetection(
        subject=subject,
        sr_windows=scores.sr.windows,
        af_windows=scores.af.windows,
        auroc=measure_auroc(labels, probability) if both else None,
        accuracy=scores.accuracy,
        sensitivity=scores.af.recall,
        specificity=scores.sr.recall,
    )


def _scores(
    labels: Int[Array, "window"], probability: Float64[Array, "window"], threshold: float
) -> Scores:
    predicted = probability >= threshold
    cells = np.bincount(2 * labels.astype(np.int64) + predicted, minlength=4).tolist()
    return scores_from_counts(
        sr_as_sr=cells[0], sr_as_af=cells[1], af_as_sr=cells[2], af_as_af=cells[3]
    )


def _class_scores(*, found: int, missed: int, mistaken: int) -> ClassScores:
    return ClassScores(
        precision=_ratio(found, found + mistaken),
        recall=_ratio(found, found + missed),
        f1=_ratio(2 * found, 2 * found + missed + mistaken),
        windows=found + missed,
    )


def _ratio(part: int, total: int) -> float | None:
    return part / total if total else None


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None
