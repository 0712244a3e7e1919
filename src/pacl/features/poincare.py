"""The cloud of each beat against the one before, and its two axes.

Brennan et al. (2001) for the axes, Toichi et al. (1997) for CSI and CVI, Jeppesen et al. (2014) for
the modified CSI; equal to NeuroKit2 wherever that is finite.
"""

import numpy as np

from pacl.axes import Array, Float64
from pacl.features.ratio import log_of, over

POINCARE_NAMES = ("SD1", "SD2", "SD1SD2", "S", "CSI", "CVI", "CSI_Modified")


def poincare_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 7"]:
    """`POINCARE_NAMES` of each window; 0 for a ratio or logarithm that beats do not have."""
    beyond = rr_ms - rr_ms[:, :1]  # equal beats differ by nothing, not by rounding
    across = (beyond[:, :-1] - beyond[:, 1:]) / np.sqrt(2)
    along = (beyond[:, :-1] + beyond[:, 1:]) / np.sqrt(2)
    sd1 = (across - across[:, :1]).std(axis=1, ddof=1)
    sd2 = (along - along[:, :1]).std(axis=1, ddof=1)
    cvi = log_of(16 * sd1 * sd2) / np.log(10)
    return np.column_stack(
        [sd1, sd2, over(sd1, sd2), np.pi * sd1 * sd2, over(sd2, sd1), cvi, over(4 * sd2**2, sd1)]
    )
