"""`SubjectContrastiveClassifier`: windows to classes, as a scikit-learn classifier."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from pacl.axes import Array, Float32, Float64, Int
from pacl.estimators.encoder import SubjectContrastiveEncoder
from pacl.evaluation import fit_probe

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class SubjectContrastiveClassifier(ClassifierMixin, SubjectContrastiveEncoder):
    """A contrastive encoder, frozen, and a linear probe on its embeddings (2.4).

    It has the parameters and attributes of `SubjectContrastiveEncoder`, and is a transformer too.

    Attributes
    ----------
    probe_
        Logistic regression on the embeddings of the training subjects.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y, subjects = np.tile(["rest", "walk"], 60), np.repeat(list("abcde"), 24)
    >>> X = rng.normal(size=(120, 2, 32)) + (y == "walk")[:, None, None]
    >>> classifier = SubjectContrastiveClassifier(epochs=3, random_state=0)
    >>> classifier.fit(X, y, subjects=subjects).predict(X[:2]).tolist()
    ['rest', 'walk']
    """

    def predict(self, X: "ArrayLike") -> Array:
        """The class of each window."""
        probability = self.predict_proba(X)
        found: Array = self.classes_[probability.argmax(axis=1)]
        return found

    def predict_proba(self, X: "ArrayLike") -> Float64[Array, "window class"]:
        """Probability of each class, in the order of `classes_`."""
        check_is_fitted(self)
        found = self.probe_.probability(self.transform(X))
        return np.stack([1 - found, found], axis=1) if found.ndim == 1 else found

    def decision_function(self, X: "ArrayLike") -> Float64[Array, "..."]:
        """Logit of the second of two classes, or of each of more."""
        check_is_fitted(self)
        found: Float64[Array, "..."] = self.probe_.logit(self.transform(X))
        return found

    def _probe(
        self, pooled: Float32[Array, "window feature"], labels: Int[Array, "window"]
    ) -> str | None:
        self.probe_: Any = fit_probe(pooled, labels)
        found = self.probe_.probability(pooled)
        told = np.unique(found > 0.5 if found.ndim == 1 else found.argmax(axis=1)).size
        if told < self.classes_.size:
            return super()._probe(pooled, labels) or (
                f"of its own training windows it recognises {told} of {self.classes_.size} classes"
            )
        return None
