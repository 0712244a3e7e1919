"""Pooled AUROC under any weights of subjects: pairs of windows counted once, subject by subject.

With U[p, q] the pairs of an AF window of subject p and an SR window of subject q that AF wins (a
tie counts half), a[p] and s[q] the AF and SR windows, and w[p] how often subject p is taken,

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
from pacl.records import Rhythm


@dataclass(frozen=True, eq=False, slots=True)
class AurocPairs:
    """The pairs of windows of all subjects, in the order of `names`.

    Parameters
    ----------
    won
        Pairs of an AF window of the row's subject and an SR window of the column's in which AF
        scores higher, ties counted half.
    af, sr
        Windows of each rhythm.
    compared
        All pairs of the row's AF and the column's SR windows, where not all pairs were compared.
    """

    names: tuple[str, ...]
    won: Float64[Array, "subject other"]
    af: Int64[Array, "subject"]
    sr: Int64[Array, "subject"]
    compared: Float64[Array, "subject other"] | None = None

    def pooled(self, weights: Float64[Array, "resample subject"]) -> Float64[Array, "resample"]:
        """AUROC over all windows, each subject taken `weights` times; NaN without both rhythms.

        Exact up to the division for integer weights: all sums are multiples of one half.
        """
        won = _both_ways(weights, self.won)
        if self.compared is not None:
            return over(won, _both_ways(weights, self.compared))
        return over(won, (weights @ self.af) * (weights @ self.sr))

    @property
    def auroc(self) -> float:
        """AUROC over all windows of all subjects."""
        return float(self.pooled(np.ones((1, len(self.names))))[0])

    @property
    def both(self) -> Bool[Array, "subject"]:
        """Which subjects have windows of both rhythms, and so their own AUROC."""
        return np.asarray((self.af > 0) & (self.sr > 0))

    @property
    def own(self) -> Float64[Array, "subject"]:
        """Each subject's own AUROC; NaN for subjects with one rhythm only."""
        among = self.af * self.sr if self.compared is None else np.diagonal(self.compared).copy()
        return over(np.diagonal(self.won).copy(), among)


def count_pairs(
    labels: Int[Array, "label"],  # axes named apart: that they are as long is checked below
    score: Float[Array, "window"],
    subjects: Int[Array, "code"],
    names: Sequence[str] | None = None,
    models: Int[Array, "model"] | None = None,
) -> AurocPairs:
    """Count the pairs of windows of known rhythm and subject.

    Parameters
    ----------
    labels
        0 for SR, 1 for AF.
    score
        Higher for AF; only its order counts.
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
        af=np.sum([part.af for part in parts], axis=0),
        sr=np.sum([part.sr for part in parts], axis=0),
        compared=np.sum([np.outer(part.af, part.sr) for part in parts], axis=0).astype(np.float64),
    )


def _counted(
    labels: Int[Array, "window"],
    score: Float[Array, "window"],
    subject: Int[Array, "window"],
    names: tuple[str, ...],
) -> AurocPairs:
    """All pairs of some windows, for subjects numbered from 0 on."""
    order = np.lexsort((score, subject))
    af, sr = (order[labels[order] == rhythm] for rhythm in (Rhythm.AF, Rhythm.SR))
    af_ends, sr_ends = (
        np.searchsorted(subject[rows], np.arange(len(names) + 1)) for rows in (af, sr)
    )
    af_score, sr_score = score[af], score[sr]
    won = np.zeros((len(names), len(names)))
    for column, (first, end) in enumerate(pairwise(sr_ends.tolist())):
        theirs = sr_score[first:end]
        halves = sum(np.searchsorted(theirs, af_score, side) for side in ("left", "right"))
        won[:, column] = np.diff(np.concatenate([[0], np.cumsum(halves)])[af_ends]) / 2
    return AurocPairs(
        names=names,
        won=won,
        af=np.diff(af_ends).astype(np.int64),
        sr=np.diff(sr_ends).astype(np.int64),
    )


def _both_ways(
    weights: Float64[Array, "resample subject"], pairs: Float64[Array, "subject other"]
) -> Float64[Array, "resample"]:
    """The sum over pairs of subjects, each weighted as in the resample."""
    return np.asarray(np.einsum("rp,rp->r", weights @ pairs, weights))


def check_scores(labels: Int[Array, "window"], score: Float[Array, "window"]) -> None:
    """Refuse scores that have no AUROC."""
    sr, af = (int(np.count_nonzero(labels == rhythm)) for rhythm in (Rhythm.SR, Rhythm.AF))
    if not sr or not af or sr + af != labels.size or np.isnan(score).any():
        raise EvaluationError(
            f"AUROC of {score.size} windows, {sr} SR and {af} AF; it needs both rhythms, no other, "
            "and no score that is NaN"
        )
