"""Pooled AUROC under any weights of subjects: pairs of windows counted once, subject by subject.

With U[p, q] the pairs of a window of subject p of the class to detect and another window of subject
q that the first wins (a tie counts half), a[p] and s[q] their windows of and not of the class, and
w[p] how often subject p is taken,

    AUROC(w) = w'Uw / ((w'a) (w's)),

which is what `measure_auroc` gives for the windows repeated as often. Thousands of resamples of
subjects are then one product of matrices, whatever the number of windows.

Scores of several models, such as those of folds, have no common scale: then only pairs within a
model are counted, and the denominator is w'Nw with N[p, q] the pairs that were compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pacl.axes import Array, Bool, Float, Float64, Int, Int64
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.subject_groups import over, subject_names


@dataclass(frozen=True, eq=False, slots=True)
class AurocPairs:
    """The pairs of windows of all subjects, in the order of `names`.

    Parameters
    ----------
    won
        Pairs of a window of the row's subject that is of the class to detect, and a window of the
        column's that is not, in which the first scores higher, ties counted half.
    detected, others
        Windows of the class to detect, and all others.
    compared
        All such pairs, where not all of them were compared.
    class_names
        Names of the two classes.
    """

    names: tuple[str, ...]
    won: Float64[Array, "subject other"]
    detected: Int64[Array, "subject"]
    others: Int64[Array, "subject"]
    compared: Float64[Array, "subject other"] | None = None
    class_names: tuple[str, ...] = ("0", "1")

    def pooled(self, weights: Float64[Array, "resample subject"]) -> Float64[Array, "resample"]:
        """AUROC over all windows, each subject taken `weights` times; NaN without both classes.

        Exact up to the division for integer weights: all sums are multiples of one half.
        """
        won = _both_ways(weights, self.won)
        if self.compared is not None:
            return over(won, _both_ways(weights, self.compared))
        return over(won, (weights @ self.detected) * (weights @ self.others))

    @property
    def windows(self) -> tuple[Int64[Array, "subject"], ...]:
        """Windows of each of the two classes, by subject."""
        return self.others, self.detected

    @property
    def auroc(self) -> float:
        """AUROC over all windows of all subjects."""
        return float(self.pooled(np.ones((1, len(self.names))))[0])

    @property
    def both(self) -> Bool[Array, "subject"]:
        """Which subjects have windows of both classes, and so their own AUROC."""
        return np.asarray((self.detected > 0) & (self.others > 0))

    @property
    def own(self) -> Float64[Array, "subject"]:
        """Each subject's own AUROC; NaN for subjects with one class only."""
        among = (
            self.detected * self.others
            if self.compared is None
            else np.diagonal(self.compared).copy()
        )
        return over(np.diagonal(self.won).copy(), among)


def count_pairs(
    labels: Int[Array, "label"],  # axes named apart: that they are as long is checked below
    score: Float[Array, "window"],
    subjects: Int[Array, "code"],
    names: Sequence[str] | None = None,
    models: Int[Array, "model"] | None = None,
) -> AurocPairs:
    """Count the pairs of windows of two known classes and their subjects.

    Parameters
    ----------
    labels
        1 for the class to detect, 0 for all others.
    score
        Higher for the class to detect; only its order counts.
    subjects, names
        Code of each window's subject, and the name of each code.
    models
        Number of the model that scored each window: only windows of one model are compared.
    """
    if not labels.size == score.size == subjects.size:
        raise EvaluationError(
            f"{labels.size} labels, {score.size} scores, {subjects.size} subjects; give each "
            "window all three"
        )
    check_scores(labels, score)
    codes, subject = np.unique(subjects, return_inverse=True)
    named = subject_names(codes, names)
    if models is None:
        return _counted(labels, score, subject, named)
    if models.size != score.size:
        raise EvaluationError(f"{models.size} models, {score.size} scores; give each window both")
    parts = [
        _counted(labels[rows], score[rows], subject[rows], named)
        for rows in (models == model for model in np.unique(models))
    ]
    return AurocPairs(
        names=named,
        won=np.sum([part.won for part in parts], axis=0),
        detected=np.sum([part.detected for part in parts], axis=0),
        others=np.sum([part.others for part in parts], axis=0),
        compared=np.sum([np.outer(part.detected, part.others) for part in parts], axis=0).astype(
            np.float64
        ),
    )


def _counted(
    labels: Int[Array, "window"],
    score: Float[Array, "window"],
    subject: Int[Array, "window"],
    names: tuple[str, ...],
) -> AurocPairs:
    """All pairs of some windows, for subjects numbered from 0 on."""
    order = np.lexsort((score, subject))
    high, low = (order[labels[order] == kind] for kind in (1, 0))
    high_ends, low_ends = (
        np.searchsorted(subject[rows], np.arange(len(names) + 1)) for rows in (high, low)
    )
    high_score, low_score = score[high], score[low]
    won = np.zeros((len(names), len(names)))
    for column, (first, end) in enumerate(pairwise(low_ends.tolist())):
        theirs = low_score[first:end]
        halves = sum(np.searchsorted(theirs, high_score, side) for side in ("left", "right"))
        won[:, column] = np.diff(np.concatenate([[0], np.cumsum(halves)])[high_ends]) / 2
    return AurocPairs(
        names=names,
        won=won,
        detected=np.diff(high_ends).astype(np.int64),
        others=np.diff(low_ends).astype(np.int64),
    )


def _both_ways(
    weights: Float64[Array, "resample subject"], pairs: Float64[Array, "subject other"]
) -> Float64[Array, "resample"]:
    """The sum over pairs of subjects, each weighted as in the resample."""
    return np.asarray(np.einsum("rp,rp->r", weights @ pairs, weights))


def check_scores(labels: Int[Array, "window"], score: Float[Array, "window"]) -> None:
    """Refuse scores that have no AUROC."""
    low, high = (int(np.count_nonzero(labels == kind)) for kind in (0, 1))
    if not low or not high or low + high != labels.size or np.isnan(score).any():
        raise EvaluationError(
            f"AUROC of {score.size} windows, {low} of class 0 and {high} of class 1; it needs both "
            "classes, no other, and no score that is NaN"
        )
