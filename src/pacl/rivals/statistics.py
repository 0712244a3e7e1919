"""Gradient boosting on ten simple statistics: the baseline for all other systems."""

from dataclasses import dataclass, field

from pacl.features import statistics_of
from pacl.rivals.classified import Classified
from pacl.rivals.feature_cache import FeatureCache
from pacl.rivals.system import Kind, Learn, Settings, System

BOOSTING: Settings = {"max_iter": 200.0, "learning_rate": 0.1, "max_leaf_nodes": 31.0}
"""Those of `benchmarks/yardstick.py`."""


@dataclass(slots=True)
class Statistics:
    """Gradient boosting on `statistics_of` each window."""

    name: str = "statistics"
    title: str = "Boosted statistics"
    kind: Kind = "features"
    trials: tuple[Settings, ...] = (
        BOOSTING,
        {"max_iter": 200.0, "learning_rate": 0.05, "max_leaf_nodes": 15.0},
        {"max_iter": 100.0, "learning_rate": 0.05, "max_leaf_nodes": 7.0},
        {"max_iter": 400.0, "learning_rate": 0.05, "max_leaf_nodes": 31.0},
    )
    features: FeatureCache = field(default_factory=lambda: FeatureCache(statistics_of), repr=False)

    def fit(self, learn: Learn, settings: Settings) -> Classified:
        """Fit small boosted trees."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(
            max_iter=int(settings["max_iter"]),
            learning_rate=float(settings["learning_rate"]),
            max_leaf_nodes=int(settings["max_leaf_nodes"]),
            early_stopping=False,
            random_state=learn.seed,
        )
        return Classified.fit(self.features, model, learn.windows)


SYSTEMS: tuple[System, ...] = (Statistics(),)
"""Their features are cached as long as the process runs."""
