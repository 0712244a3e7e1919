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

NONLINEAR_NAMES = (
    *POINCARE_NAMES,
    *FRAGMENTATION_NAMES,
    *ASYMMETRY_NAMES,
    *SYMBOLIC_NAMES,
    *ENTROPY_NAMES,
    *FRACTAL_NAMES,
)


def nonlinear_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window feature"]:
    """`NONLINEAR_NAMES` of each window: what NeuroKit2's `hrv_nonlinear` has in common with us."""
    return np.concatenate(
        [
            poincare_features(rr_ms),
            fragmentation_features(rr_ms),
            asymmetry_features(rr_ms),
            symbolic_features(rr_ms),
            entropy_features(rr_ms),
            fractal_features(rr_ms),
        ],
        axis=1,
    )
