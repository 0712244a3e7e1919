"""How well classes are detected: over all windows, for each class, for each subject (3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pacl.axes import Array, Float, Float64, Int, Int64
from pacl.evaluation.auroc import class_aurocs, measure_auroc
from pacl.evaluation.calibration import Calibration, check_predictions, measure_calibration
from pacl.evaluation.classes import check_several, named_classes, of_two, one_named
from pacl.evaluation.confusion import (
    ClassScores,
    Scores,
    count_confusion,
    mean_of_known,
    score_confusion,
)
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.subject_groups import subject_names

THRESHOLD = 0.5
"""Probability from which on a window is predicted to be of the second of two classes."""


@dataclass(frozen=True, slots=True)
class SubjectDetection:
    """One subject. What needs a class that the subject has no windows of is None.

    Parameters
    ----------
    windows, recalls
        Of each class, by its number.
    auroc
        Within the subject; with more than two classes the mean over those the subject has, each
        against the subject's other windows.
    balanced_accuracy
        Mean recall of the classes that the subject has.
    """

    subject: str
    windows: tuple[int, ...]
    auroc: float | None
    accuracy: float
    balanced_accuracy: float
    recalls: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Detection:
    """How well classes are detected, in plain numbers.

    Parameters
    ----------
    auroc
        Over all windows together, as the paper reports it. With more than two classes the mean of
        each class against all others.
    auroc_subject_mean, auroc_subjects
        Mean over the subjects who have windows of two classes or more, and how many those are.
    auroc_worst_tenth
        Mean over the worst tenth of these subjects, rounded up.
    balanced_accuracy_subject_mean, balanced_accuracy_worst_tenth
        The same of the balanced accuracy, over all subjects.
    classes
        Each class by its number.
    accuracy, balanced_accuracy, macro_f1
        Of what is predicted: the likeliest class, or with two classes the second from `threshold`
        upwards.
    confusion
        Windows of each class (row) that were predicted to be of each class (column).
    threshold
        None with more than two classes.
    """

    auroc: float
    auroc_subject_mean: float | None
    auroc_subjects: int
    auroc_worst_tenth: float | None
    balanced_accuracy_subject_mean: float | None
    balanced_accuracy_worst_tenth: float | None
    classes: tuple[ClassScores, ...]
    accuracy: float
    balanced_accuracy: float
    macro_f1: float
    confusion: tuple[tuple[int, ...], ...]
    threshold: float | None
    calibration: Calibration
    per_subject: tuple[SubjectDetection, ...]

    def of_class(self, name: str) -> ClassScores:
        """A class by its name."""
        return one_named(self.classes, name)

    @property
    def sensitivity(self) -> float | None:
        """Recall of the second of two classes, the one to detect."""
        return self._of_two(1)

    @property
    def specificity(self) -> float | None:
        """Recall of the first of two classes."""
        return self._of_two(0)

    def _of_two(self, at: int) -> float | None:
        if len(self.classes) != 2:
            raise EvaluationError(
                f"sensitivity and specificity of {len(self.classes)} classes; they have a meaning "
                "for two, use the recall of each class"
            )
        return self.classes[at].recall


def predicted_classes(
    probability: Float64[Array, "window *class"], threshold: float = THRESHOLD
) -> Int64[Array, "window"]:
    """The class each window is predicted to be of: the likeliest; of two, by the threshold."""
    probability = of_two(probability)
    if probability.ndim == 1:
        return (probability >= threshold).astype(np.int64)
    return np.asarray(np.argmax(probability, axis=1))


def measure_detection(
    labels: Int[Array, "label"],
    probability: Float[Array, "window *class"],
    subjects: Int[Array, "code"],
    names: Sequence[str] | None = None,
    *,
    class_names: Sequence[str] | None = None,
    threshold: float = THRESHOLD,
) -> Detection:
    """Measure predictions on windows of known class and subject.

    Parameters
    ----------
    labels
        Number of each window's class.
    probability
        Of class 1 where there are two classes, of each class where there are more.
    subjects, names
        Code of each window's subject, and the name of each code.
    class_names
        Name of each class; its number by default.
    threshold
        Probability from which on a window is predicted to be of the second of two classes.
    """
    probability = of_two(probability)
    classes = 2 if probability.ndim == 1 else probability.shape[1]
    shown = named_classes(classes, class_names)
    check_predictions(labels, probability, shown)
    if labels.size != subjects.size:
        raise EvaluationError(
            f"{labels.size} labels, {subjects.size} subjects; give each window its subject"
        )
    if not 0 <= threshold <= 1:
        raise EvaluationError(f"threshold {threshold}; give a probability from 0 to 1")
    check_several(labels, shown, "detection")
    probability = probability.astype(np.float64)  # a float32 would round the threshold, too
    confusion, scores = _scores(labels, probability, shown, threshold)
    order = np.argsort(subjects, kind="stable")  # sorted once, however many subjects there are
    codes, first = np.unique(subjects[order], return_index=True)
    each = zip(subject_names(codes, names), np.split(order, first[1:]), strict=True)
    per_subject = tuple(
        _measure_subject(name, labels[rows], probability[rows], shown, threshold)
        for name, rows in each
    )
    known = [one.auroc for one in per_subject if one.auroc is not None]
    balanced = [one.balanced_accuracy for one in per_subject]
    aurocs = class_aurocs(labels, probability)
    return Detection(
        auroc=measure_auroc(labels, probability),
        auroc_subject_mean=mean_of_known(sorted(known)),
        auroc_subjects=len(known),
        auroc_worst_tenth=_worst_tenth(known),
        balanced_accuracy_subject_mean=mean_of_known(balanced),
        balanced_accuracy_worst_tenth=_worst_tenth(balanced),
        classes=tuple(
            replace(one, auroc=auroc) for one, auroc in zip(scores.classes, aurocs, strict=True)
        ),
        accuracy=scores.accuracy,
        balanced_accuracy=scores.balanced_accuracy,
        macro_f1=scores.macro_f1,
        confusion=tuple(map(tuple, confusion.tolist())),
        threshold=threshold if classes == 2 else None,
        calibration=measure_calibration(labels, probability),
        per_subject=per_subject,
    )


def _measure_subject(
    subject: str,
    labels: Int[Array, "window"],
    probability: Float64[Array, "window *class"],
    class_names: tuple[str, ...],
    threshold: float,
) -> SubjectDetection:
    _, scores = _scores(labels, probability, class_names, threshold)
    windows = tuple(one.windows for one in scores.classes)
    several = sum(count > 0 for count in windows) > 1
    return SubjectDetection(
        subject=subject,
        windows=windows,
        auroc=measure_auroc(labels, probability) if several else None,
        accuracy=scores.accuracy,
        balanced_accuracy=scores.balanced_accuracy,
        recalls=tuple(one.recall for one in scores.classes),
    )


def _scores(
    labels: Int[Array, "window"],
    probability: Float64[Array, "window *class"],
    class_names: tuple[str, ...],
    threshold: float,
) -> tuple[Int64[Array, "class predicted"], Scores]:
    predicted = predicted_classes(probability, threshold)
    confusion = count_confusion(labels, predicted, len(class_names))
    return confusion, score_confusion(confusion, class_names)


def _worst_tenth(values: Sequence[float]) -> float | None:
    """Mean of the lowest tenth, rounded up."""
    return mean_of_known(sorted(values)[: -(-len(values) // 10)])
