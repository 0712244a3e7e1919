"""A classifier of scikit-learn on fixed features."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pacl.axes import Array, Float64
from pacl.errors import PaclError
from pacl.one_thread import one_thread
from pacl.records import Rhythm
from pacl.rivals.feature_cache import FeatureCache
from pacl.rr import RRWindowSet

LEAST = 1e-6
"""Probabilities are clipped to this distance from 0 and 1."""


class RivalError(PaclError):
    """Settings or windows that a system cannot be trained with."""


@dataclass(frozen=True, eq=False, slots=True)
class Classified:
    """A fitted classifier of features."""

    features: FeatureCache
    model: Any

    @classmethod
    def fit(cls, features: FeatureCache, model: Any, windows: RRWindowSet) -> "Classified":
        """Fit the classifier.

        On one thread: the trees are small, and threads that wait for a busy core make it ten times
        slower.
        """
        is_af = windows.table.rhythm == Rhythm.AF
        if is_af.all() or not is_af.any():
            raise RivalError(
                f"all {len(windows)} training windows are {'AF' if is_af.any() else 'not AF'}; a "
                "classifier needs both, add patients with the other class"
            )
        with one_thread():
            model.fit(features.of(windows), is_af)
        return cls(features, model)

    def logit(self, windows: RRWindowSet) -> Float64[Array, "window"]:
        """Log odds of AF, from the classifier or from its clipped probability."""
        found = self.features.of(windows)
        if not len(windows):
            return np.zeros(0)
        with one_thread():
            if hasattr(self.model, "decision_function"):
                return np.asarray(self.model.decision_function(found), dtype=np.float64)
            if hasattr(self.model, "predict_joint_log_proba"):
                not_af, af = self.model.predict_joint_log_proba(found).T
                return np.asarray(af - not_af, dtype=np.float64)
            probability = np.clip(self.model.predict_proba(found)[:, 1], LEAST, 1 - LEAST)
        return np.asarray(np.log(probability) - np.log1p(-probability), dtype=np.float64)

    def embed(self, windows: RRWindowSet) -> None:
        """None: there are no embeddings."""
        return

    def probed(self, windows: RRWindowSet) -> None:
        """None: there is no probe."""
        return
