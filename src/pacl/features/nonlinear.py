"""Non-linear features: Poincare plot, fragmentation, asymmetry, symbols, entropy, roughness."""

import numpy as np

from pacl.axes import Array, Float64
from pacl.features.entropy import ENTROPY_NAMES, SYMBOLIC_NAMES, entropy_features, symbolic_features
from pacl.features.fractal import FRACTAL_NAMES, fractal_features
from pacl.features.fragmentation import FRAGMENTATION_NAMES, fragmentation_features
from pacl.features.poincare import (
    ASYMMETRY_NAMES,
    POINCARE_NAMES,
    asymmetry_features,
    poincare_features,
)

GROUPS = (
    (POINCARE_NAMES, poincare_features),
    (FRAGMENTATION_NAMES, fragmentation_features),
    (ASYMMETRY_NAMES, asymmetry_features),
    (SYMBOLIC_NAMES, symbolic_features),
    (ENTROPY_NAMES, entropy_features),
    (FRACTAL_NAMES, fractal_features),
)
NONLINEAR_NAMES = tuple(name for names, _ in GROUPS for name in names)


def nonlinear_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window feature"]:
    """`NONLINEAR_NAMES` of each window; NeuroKit2's `hrv_nonlinear` has them all, and more."""
    return np.concatenate([features(rr_ms) for _, features in GROUPS], axis=1)
