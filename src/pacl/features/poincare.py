"""The Poincaré plot (each beat against the one before): its axes and its asymmetry.

Brennan et al. (2001) for the axes, Toichi et al. (1997) for CSI and CVI, Jeppesen et al. (2014) for
the modified CSI. Asymmetry: Guzik's, slope, area and Porta's index in percent (Yan et al. 2017),
and the contributions of slowing down (`d`) and speeding up (`a`) to short-term, long-term and total
variance (Piskorski & Guzik 2011). Equal to NeuroKit2 wherever that is finite.
"""

import numpy as np

from pacl.axes import Array, Float64
from pacl.features.numeric import log_of, over

POINCARE_NAMES = ("SD1", "SD2", "SD1SD2", "S", "CSI", "CVI", "CSI_Modified")


def poincare_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 7"]:
    """`POINCARE_NAMES` of each window; 0 for a ratio or logarithm that is not defined."""
    beyond = rr_ms - rr_ms[:, :1]  # equal beats differ by nothing, not by rounding
    across = (beyond[:, :-1] - beyond[:, 1:]) / np.sqrt(2)
    along = (beyond[:, :-1] + beyond[:, 1:]) / np.sqrt(2)
    sd1 = (across - across[:, :1]).std(axis=1, ddof=1)
    sd2 = (along - along[:, :1]).std(axis=1, ddof=1)
    cvi = log_of(16 * sd1 * sd2) / np.log(10)
    return np.column_stack(
        [sd1, sd2, over(sd1, sd2), np.pi * sd1 * sd2, over(sd2, sd1), cvi, over(4 * sd2**2, sd1)]
    )


ASYMMETRY_NAMES = (
    *("GI", "SI", "AI", "PI", "C1d", "C1a", "SD1d", "SD1a", "C2d", "C2a", "SD2d", "SD2a"),
    *("Cd", "Ca", "SDNNd", "SDNNa"),
)


def asymmetry_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 16"]:
    """`ASYMMETRY_NAMES` of each window; 0 for equal beats."""
    before, after = rr_ms[:, :-1], rr_ms[:, 1:]
    step = after - before
    slower, faster = step > 0, step < 0
    distance = np.abs(step)  # to the line of equal beats, times the root of two
    # The angle between a point and that line; a tangent's difference costs one arctan a point.
    angle = np.arctan(distance / (before + after))
    area = angle * (np.square(before) + np.square(after))
    guzik, slope, sector = (
        100 * over((values * slower).sum(axis=1), values.sum(axis=1))
        for values in (distance, angle, area)
    )
    sinking = faster.sum(axis=1)
    porta = 100 * over(sinking, slower.sum(axis=1) + sinking)

    beyond = rr_ms - rr_ms[:, :1]
    centred = beyond[:, :-1] + beyond[:, 1:]
    centred = centred - centred[:, :1]
    along = np.square(centred - centred.mean(axis=1, keepdims=True))
    across = np.square(step)
    pairs = 2 * (step.shape[1] - 1)
    level = ~(slower | faster)
    short = [(across * way).sum(axis=1) / pairs for way in (slower, faster)]
    long = [(along * (way + 0.5 * level)).sum(axis=1) / pairs for way in (slower, faster)]
    total = [0.5 * (one + other) for one, other in zip(short, long, strict=True)]
    parts = [
        column
        for down, up in (short, long, total)
        for column in (over(down, down + up), over(up, down + up), np.sqrt(down), np.sqrt(up))
    ]
    return np.column_stack([guzik, slope, sector, porta, *parts])
