"""How subjects differ, learned from what a classifier says of subjects that it has not seen."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from pacl.adaptation import (
    LEAST_SUBJECTS,
    AdaptationError,
    LabelledStretches,
    SubjectPrior,
    learn_prior,
)
from pacl.axes import Array, Bool, Float64

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

STEP = 4
"""Noise is estimated for 1, 4, 16, ... windows, if most subjects have this many times as many."""


def fitted(estimator: Any, x: "ArrayLike", labels: Array, who: Array) -> Any:
    """A fitted copy; it is given the subjects if its `fit` takes them."""
    given = {"subjects": who} if has_fit_parameter(estimator, "subjects") else {}
    return clone(estimator).fit(x, labels, **given)


def out_of_subject(
    estimator: Any, x: "ArrayLike", labels: Array, who: Array, folds: int
) -> Float64[Array, "window class"]:
    """Probabilities of each window by a classifier that has not seen its subject."""
    classes = np.unique(labels)
    found = np.empty((len(labels), classes.size))
    for known, new in GroupKFold(folds).split(labels, labels, who):
        if missing := set(classes.tolist()) - set(labels[known].tolist()):
            raise AdaptationError(
                f"class {missing.pop()!r} is of too few subjects: without those of one fold there "
                f"is none; give more subjects with it, or more folds than {folds}"
            )
        one = fitted(estimator, _safe_indexing(x, known), labels[known], who[known])
        found[new] = one.predict_proba(_safe_indexing(x, new))
    return found


def prior_of(
    log_odds: Float64[Array, "window"], others: Bool[Array, "window"], who: Array
) -> SubjectPrior:
    """The prior over subjects.

    Parameters
    ----------
    log_odds
        Of all other classes together against the reference class.
    others
        Whether a window is of another class than the reference class.
    who
        Its subject; those of a subject are in order of time.
    """
    rows = [np.flatnonzero(who == one) for one in np.unique(who)]
    subjects = [
        LabelledStretches(log_odds[own], others[own].astype(np.int64), np.ones(own.size))
        for own in rows
    ]
    amounts, having = [1.0], np.median([int((~others[own]).sum()) for own in rows])
    while amounts[-1] * STEP * STEP <= having:
        amounts.append(amounts[-1] * STEP)
    usable = [one for one in subjects if one.of(0).amount]
    unlabelled = [
        amount
        for amount in amounts
        if sum(one.unlabelled_pieces(amount).size > 0 for one in usable) >= LEAST_SUBJECTS
    ]
    return learn_prior(subjects, amounts, unlabelled_amounts=unlabelled, across_runs=True)
