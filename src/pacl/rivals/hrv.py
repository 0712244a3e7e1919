"""HRV features and a classifier, in the style of Udawat & Singh (2022)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pacl.axes import Array, Bool, Float
from pacl.features import hrv_features
from pacl.rivals.classified import Classified, RivalError
from pacl.rivals.feature_cache import FeatureCache
from pacl.rivals.system import Kind, Learn, Settings, System

NEIGHBOURS = 25
MOST_NEIGHBOURS = 20_000
"""Largest number of training windows for nearest neighbours; more are subsampled."""


def _boosting(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=200, learning_rate=0.1, early_stopping=False, random_state=seed
    )


def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(
        n_estimators=100, max_depth=14, min_samples_leaf=5, max_samples=0.2, random_state=seed
    )


def _logistic(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, tol=1e-3))


class _SomeNeighbours:
    """Nearest neighbours among at most `MOST_NEIGHBOURS` training windows."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(
        self, features: Float[Array, "window feature"], is_af: Bool[Array, "window"]
    ) -> "_SomeNeighbours":
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        generator = np.random.default_rng(self.seed)
        size = min(len(features), MOST_NEIGHBOURS)
        rows = np.sort(generator.choice(len(features), size, replace=False))
        nearest = KNeighborsClassifier(min(NEIGHBOURS, size), algorithm="brute")
        self.model = make_pipeline(StandardScaler(), nearest)
        self.model.fit(features[rows], is_af[rows])
        return self

    def predict_proba(
        self, features: Float[Array, "window feature"]
    ) -> Float[Array, "window class"]:
        found: Array = self.model.predict_proba(features)
        return found


def _tree(seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=10, min_samples_leaf=50, random_state=seed)


def _bayes(seed: int) -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


CLASSIFIERS: Mapping[str, Callable[[int], Any]] = {
    "boosting": _boosting,
    "forest": _forest,
    "logistic": _logistic,
    "neighbours": _SomeNeighbours,
    "tree": _tree,
    "bayes": _bayes,
}
"""Classifiers by name, made from a seed."""


@dataclass(slots=True)
class Hrv:
    """A classifier on `hrv_features`; the classifier is tuned."""

    name: str = "hrv"
    title: str = "HRV + classifier"
    kind: Kind = "features"
    trials: tuple[Settings, ...] = tuple({"classifier": name} for name in CLASSIFIERS)
    features: FeatureCache = field(default_factory=lambda: FeatureCache(hrv_features), repr=False)

    def fit(self, learn: Learn, settings: Settings) -> Classified:
        """Fit the classifier that `settings` names."""
        chosen = str(settings["classifier"])
        if chosen not in CLASSIFIERS:
            raise RivalError(f"classifier {chosen!r}; give one of {', '.join(CLASSIFIERS)}")
        return Classified.fit(self.features, CLASSIFIERS[chosen](learn.seed), learn.windows)


SYSTEMS: tuple[System, ...] = (Hrv(),)
"""Their features are cached as long as the process runs."""
