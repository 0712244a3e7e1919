"""Classical systems: time-domain features with shrinkage LDA, or with boosted trees."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pacl.axes import Array, Float, Float32, Float64, Int
from pacl.settings import BoostingSettings, ComparisonSettings, LdaSettings
from pacl.systems.system import Learn, Reads
from pacl.windows import WindowSet


@dataclass(frozen=True, eq=False, slots=True)
class FittedClassifier:
    """A fitted scikit-learn classifier of the features of all channels."""

    model: Any

    def probability(self, windows: WindowSet) -> Float64[Array, "window class"]:
        """Of each class."""
        found: Float64[Array, "window class"] = self.model.predict_proba(_flat(windows))
        return found.astype(np.float64)

    def embed(self, windows: WindowSet) -> Float32[Array, "window feature"] | None:
        """There are no embeddings."""
        return None


@dataclass(frozen=True, slots=True)
class LdaSystem:
    """Linear discriminant analysis: covariance shrunk after Ledoit and Wolf, equal priors."""

    settings: LdaSettings = LdaSettings()
    title: str = "LDA on features"
    reads: Reads = "features"
    random: bool = False

    def holds_out(self, settings: ComparisonSettings) -> bool:
        """Nothing is chosen, so nobody is held out."""
        return False

    def fit(self, learn: Learn) -> FittedClassifier:
        """Fit to all training subjects."""
        return FittedClassifier(shrinkage_lda(_flat(learn.train), learn.train.table.labels))


@dataclass(frozen=True, slots=True)
class BoostingSystem:
    """Boosted trees; classes count equally, whatever their share."""

    settings: BoostingSettings = field(default_factory=BoostingSettings)
    title: str = "Boosting on features"
    reads: Reads = "features"
    random: bool = True

    def holds_out(self, settings: ComparisonSettings) -> bool:
        """The number of trees is fixed, so nobody is held out."""
        return False

    def fit(self, learn: Learn) -> FittedClassifier:
        """Fit to all training subjects; each tree looks at half of the features."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(
            max_iter=self.settings.iterations,
            max_leaf_nodes=self.settings.leaves,
            learning_rate=self.settings.rate,
            max_features=0.5,
            class_weight="balanced",
            early_stopping=False,
            random_state=learn.seed % 2**32,
        )
        return FittedClassifier(model.fit(_flat(learn.train), learn.train.table.labels))


def shrinkage_lda(features: Float[Array, "window feature"], labels: Int[Array, "window"]) -> Any:
    """Fit linear discriminant analysis with shrinkage; all classes are equally probable."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    classes = len(np.unique(labels))
    model = LinearDiscriminantAnalysis(
        solver="lsqr", shrinkage="auto", priors=np.full(classes, 1 / classes)
    )
    return model.fit(features.astype(np.float64), labels)


def lda(settings: LdaSettings) -> LdaSystem:
    """The system of these settings."""
    return LdaSystem(settings)


def boosting(settings: BoostingSettings) -> BoostingSystem:
    """The system of these settings."""
    return BoostingSystem(settings)


def _flat(windows: WindowSet) -> Float32[Array, "window feature"]:
    found: Float32[Array, "window feature"] = windows.take().reshape(len(windows), -1)
    return found
