"""`AdaptiveClassifier`: any scikit-learn classifier, adapted to a subject by a few windows.

```
probabilities      p_rest   p_fist   p_wave
log odds           log (p_fist + p_wave) / p_rest          moved by what is known of the subject
adapted            p_rest   p_fist : p_wave                p_fist to p_wave is as before
```
"""

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from pacl.adaptation import (
    LEAST_SUBJECTS,
    AdaptationError,
    Evidence,
    Unlabelled,
    adjusted,
    posterior,
)
from pacl.axes import Array, Float, Float64
from pacl.estimators.baseline import SubjectBaseline
from pacl.estimators.out_of_subject import fitted, out_of_subject, prior_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

LEAST = np.finfo(np.float64).tiny


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
        Folds of subjects in `fit`.

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
        self, X: "ArrayLike | None" = None, *, unlabelled: "ArrayLike | None" = None
    ) -> SubjectBaseline:
        """Learn one subject.

        Parameters
        ----------
        X
            Windows of the subject that are known to be of the reference class.
        unlabelled
            Windows of the subject of any class. Those that are surely of the reference class are
            learned from, if they are at least a fifth.
        """
        check_is_fitted(self, "estimator_")
        known, seen = self._judged(X), self._judged(unlabelled)
        if seen.size and self.prior_.unlabelled is None:
            raise AdaptationError(
                "unlabelled windows cannot be used: too few subjects of the fit have windows that "
                f"are surely {self.reference!r}; give windows known to be {self.reference!r}"
            )
        found = Unlabelled().plus(seen, np.ones(seen.size))
        evidence = Evidence().plus(known, np.ones(known.size))
        return SubjectBaseline(
            reference=np.asarray(self.reference).item(),
            classes=tuple(self.classes_.tolist()),
            posterior=posterior(self.prior_, evidence, unlabelled=found),
            windows=known.size,
            unlabelled=seen.size,
            sure=int(found.sure.amount),
        )

    def predict_proba(
        self, X: "ArrayLike", subject: SubjectBaseline | None = None
    ) -> Float[Array, "window class"]:
        """Probability of each class, in the order of `classes_`; of a subject if one is given."""
        check_is_fitted(self, "estimator_")
        probability: Float[Array, "window class"] = self.estimator_.predict_proba(X)
        if not self._changed_by(subject):
            return probability
        moved = adjusted(self._log_odds(probability), subject.posterior)
        found = probability.astype(np.float64)
        others = self.classes_ != self.reference
        found[:, others] /= np.maximum(found[:, others].sum(axis=1, keepdims=True), LEAST)
        found[:, others] *= 0.5 * (1.0 + np.tanh(0.5 * moved))[:, None]
        found[:, ~others] = 0.5 * (1.0 - np.tanh(0.5 * moved))[:, None]
        return found

    def predict(self, X: "ArrayLike", subject: SubjectBaseline | None = None) -> Array:
        """The class of each window; of a subject if one is given."""
        check_is_fitted(self, "estimator_")
        if not self._changed_by(subject):
            own: Array = self.estimator_.predict(X)
            return own
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

    def _changed_by(self, subject: SubjectBaseline | None) -> TypeGuard[SubjectBaseline]:
        """Whether a subject changes anything; a baseline of another classifier is refused."""
        if subject is None:
            return False
        if not isinstance(subject, SubjectBaseline):
            raise AdaptationError(f"subject is {subject!r}; give what adapt returned")
        mine = (self.reference, tuple(self.classes_.tolist()))
        if mine != (subject.reference, subject.classes):
            raise AdaptationError(
                f"the baseline is of a classifier of {list(subject.classes)} against "
                f"{subject.reference!r}; this one has {list(mine[1])} against {self.reference!r}"
            )
        its = (subject.posterior.reference, subject.posterior.target)
        if its != (self.prior_.reference, self.prior_.target):
            raise AdaptationError(
                "the baseline is of a classifier that was fitted on other windows: adapt again"
            )
        return subject.posterior.changes
