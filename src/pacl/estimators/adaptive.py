"""`AdaptiveClassifier`: any scikit-learn classifier, adapted to a subject by a few windows.

```
probabilities      p_rest   p_fist   p_wave
log odds           log (p_fist + p_wave) / p_rest          moved by what is known of the subject
adapted            p_rest   p_fist : p_wave                p_fist to p_wave is as before
```
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from pacl.adaptation import (
    LEAST_SUBJECTS,
    LIMIT,
    AdaptationError,
    Correction,
    Posterior,
    adjusted,
)
from pacl.axes import Array, Float, Float64
from pacl.estimators.baseline import SubjectBaseline, digest_of
from pacl.estimators.out_of_subject import fitted, out_of_subject, prior_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

LEAST = np.finfo(np.float64).tiny
DIGITS = 4
"""Digits of the log odds of corrections, to be read by people."""


class AdaptiveClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier that learns a subject from windows of one class, such as rest.

    `fit` judges each subject by a classifier fitted on others, and learns how far subjects differ.
    `adapt` learns one new subject. Without a subject it is the wrapped classifier, to the bit.

    Parameters
    ----------
    estimator
        A classifier with `predict_proba`. If its `fit` takes `subjects`, it is given them.
    reference
        Label of the class that is easily recorded of a new subject.
    folds
        Folds of subjects in `fit`; at least two.

    Attributes
    ----------
    estimator_
        The wrapped classifier, fitted on all subjects.
    classes_
        Class labels, sorted.
    prior_
        The `SubjectPrior`, on the axis of log odds of all other classes together.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y, subjects = np.tile(["fist", "rest"], 400), np.repeat(np.arange(20), 40)
    >>> own = rng.normal(0, 1.0, 20)[subjects]  # each subject's rest lies elsewhere
    >>> X = rng.normal(np.where(y == "fist", 5.0, own), 0.5)[:, None]
    >>> classifier = AdaptiveClassifier(LogisticRegression(), reference="rest")
    >>> classifier = classifier.fit(X, y, subjects=subjects)
    >>> eva = classifier.adapt(np.array([[2.4], [2.6], [2.5]]))
    >>> new = np.array([[2.8]])
    >>> classifier.predict(new).tolist(), classifier.predict(new, subject=eva).tolist()
    (['fist'], ['rest'])
    >>> eva = classifier.adapt(corrections=(np.array([[3.1]]), ["fist"]), baseline=eva)
    >>> eva.known.amount, len(eva.corrections)
    (3.0, 1)
    """

    def __init__(self, estimator: Any, *, reference: Any = None, folds: Any = 5) -> None:
        self.estimator = estimator
        self.reference = reference
        self.folds = folds

    def fit(
        self, X: "ArrayLike", y: "ArrayLike", subjects: "ArrayLike | None" = None
    ) -> "AdaptiveClassifier":
        """Learn the classes, and how subjects differ.

        Parameters
        ----------
        X
            Windows, as the wrapped classifier takes them; those of a subject in order of time.
        y
            Class of each window.
        subjects
            Subject of each window; at least five of them.
        """
        labels, who = self._checked(y, subjects)
        self.classes_ = np.unique(labels)
        found = out_of_subject(self.estimator, X, labels, who, self.folds)
        self.prior_ = prior_of(self._log_odds(found), labels != self.reference, who)
        self.estimator_ = fitted(self.estimator, X, labels, who)
        return self

    def adapt(
        self,
        X: "ArrayLike | None" = None,
        *,
        unlabelled: "ArrayLike | None" = None,
        corrections: "tuple[ArrayLike, ArrayLike] | None" = None,
        baseline: SubjectBaseline | None = None,
    ) -> SubjectBaseline:
        """Learn one subject; give each window once.

        Parameters
        ----------
        X
            Windows of the subject that are known to be of the reference class.
        unlabelled
            Windows of the subject of any class. Those that are surely of the reference class are
            learned from, if they are at least a fifth.
        corrections
            Windows of the subject that were called wrong, and the true class of each. What is
            learned from them is whether they are of the reference class or of another.
        baseline
            What was learned of the subject before; it is added to.
        """
        check_is_fitted(self, "estimator_")
        before = self._nobody() if baseline is None else self._own(baseline, "baseline")
        known, seen = self._judged(X), self._judged(unlabelled)
        if seen.size and self.prior_.unlabelled is None:
            raise AdaptationError(
                "unlabelled windows cannot be used: too few subjects of the fit have windows that "
                f"are surely {self.reference!r}; give windows known to be {self.reference!r}"
            )
        return replace(
            before,
            known=before.known.plus(known, np.ones(known.size)),
            unlabelled=before.unlabelled.plus(seen, np.ones(seen.size)),
            corrections=(*before.corrections, *self._corrected(corrections)),
        )

    def predict_proba(
        self, X: "ArrayLike", subject: SubjectBaseline | None = None
    ) -> Float[Array, "window class"]:
        """Probability of each class, in the order of `classes_`; of a subject if one is given."""
        check_is_fitted(self, "estimator_")
        own = self._posterior(subject)
        probability: Float[Array, "window class"] = self.estimator_.predict_proba(X)
        if own is None:
            return probability
        moved = adjusted(self._log_odds(probability), own)
        found = probability.astype(np.float64)
        others = self.classes_ != self.reference
        found[:, others] /= np.maximum(found[:, others].sum(axis=1, keepdims=True), LEAST)
        found[:, others] *= 0.5 * (1.0 + np.tanh(0.5 * moved))[:, None]
        found[:, ~others] = 0.5 * (1.0 - np.tanh(0.5 * moved))[:, None]
        return found

    def predict(self, X: "ArrayLike", subject: SubjectBaseline | None = None) -> Array:
        """The class of each window; of a subject if one is given."""
        check_is_fitted(self, "estimator_")
        if self._posterior(subject) is None:
            called: Array = self.estimator_.predict(X)
            return called
        found: Array = self.classes_[self.predict_proba(X, subject).argmax(axis=1)]
        return found

    def _checked(self, y: "ArrayLike", subjects: "ArrayLike | None") -> tuple[Array, Array]:
        check_classification_targets(y)
        labels = np.asarray(y)
        kinds = np.unique(labels).tolist()
        if not hasattr(self.estimator, "predict_proba"):
            raise AdaptationError(
                f"{self.estimator} has no predict_proba; give a classifier that has it"
            )
        if not isinstance(self.folds, int | np.integer) or self.folds < 2:
            raise AdaptationError(f"folds is {self.folds!r}; give a whole number from 2 up")
        if self.reference not in kinds or len(kinds) < 2:
            raise AdaptationError(
                f"reference is {self.reference!r}, the labels are {kinds}; give one of them as "
                "reference, and windows of another class too"
            )
        if subjects is None:
            raise AdaptationError("no subjects were given; use fit(X, y, subjects=...)")
        who = np.asarray(subjects)
        check_consistent_length(labels, who)
        least = max(LEAST_SUBJECTS, self.folds)
        if (count := np.unique(who).size) < least:
            raise AdaptationError(
                f"windows of {count} subjects; {least} are needed to learn how subjects differ"
            )
        return labels, who

    def _log_odds(self, probability: Float[Array, "window class"]) -> Float64[Array, "window"]:
        """Of all other classes together against the reference class."""
        others = self.classes_ != self.reference
        of, against = (
            np.maximum(probability[:, which].sum(axis=1, dtype=np.float64), LEAST)
            for which in (others, ~others)
        )
        found: Float64[Array, "window"] = np.log(of) - np.log(against)
        return found

    def _judged(self, x: "ArrayLike | None") -> Float64[Array, "window"]:
        if x is None or not len(x):  # type: ignore[arg-type]
            return np.empty(0)
        return self._log_odds(self.estimator_.predict_proba(x))

    def _corrected(self, given: Any) -> tuple[Correction, ...]:
        """Corrections by windows and their true classes."""
        if given is None:
            return ()
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise AdaptationError(
                "corrections are not a pair; give corrections=(windows, their true classes)"
            )
        log_odds, labels = self._judged(given[0]), np.asarray(given[1])
        if labels.shape != log_odds.shape:
            raise AdaptationError(
                f"corrections have {log_odds.size} windows and true classes of shape "
                f"{labels.shape}; give one true class for each window"
            )
        kinds = self.classes_.tolist()
        if unknown := [one for one in labels.tolist() if one not in kinds]:
            raise AdaptationError(
                f"corrections are of class {unknown[0]!r}, the classes are {kinds}; give the true "
                "class of each window"
            )
        rounded = np.clip(log_odds, -LIMIT, LIMIT).round(DIGITS).tolist()
        others = (labels != self.reference).tolist() if labels.size else []
        return tuple(Correction(*both) for both in zip(others, rounded, strict=True))

    def _nobody(self) -> SubjectBaseline:
        """The baseline of a subject of whom nothing is known."""
        return SubjectBaseline(
            reference=np.asarray(self.reference).item(),
            classes=tuple(self.classes_.tolist()),
            classifier=digest_of(self.prior_),
        )

    def _own(self, given: SubjectBaseline, name: str) -> SubjectBaseline:
        """A baseline of this classifier; that of another one is refused."""
        if not isinstance(given, SubjectBaseline):
            raise AdaptationError(f"{name} is {given!r}; give what adapt returned")
        mine = self._nobody()
        if (mine.reference, mine.classes) != (given.reference, given.classes):
            raise AdaptationError(
                f"{name} belongs to a classifier of {list(given.classes)} against "
                f"{given.reference!r}; this one has {list(mine.classes)} against "
                f"{mine.reference!r}: learn the subject again with adapt of this one"
            )
        if mine.classifier != given.classifier:
            raise AdaptationError(
                f"{name} belongs to a classifier fitted on other windows or in another way: "
                "their log odds cannot be compared; learn the subject again with adapt of this one"
            )
        return given

    def _posterior(self, subject: SubjectBaseline | None) -> Posterior | None:
        """What is known of a subject; None if it changes nothing."""
        if subject is None:
            return None
        found = self._own(subject, "subject").posterior(self.prior_)
        return found if found.changes else None
