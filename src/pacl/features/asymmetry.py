"""Whether slowing down and speeding up weigh the same: asymmetry of the Poincare plot.

Guzik's, slope, area and Porta's index in percent (Yan et al. 2017), and the parts that slowing down
(`d`) and speeding up (`a`) have in short-term, long-term and total variance (Piskorski & Guzik
2011). Equal to NeuroKit2 wherever that is finite.
"""

import numpy as np

from pacl.axes import Array, Float64
from pacl.features.ratio import over

ASYMMETRY_NAMES = (
    *("GI", "SI", "AI", "PI", "C1d", "C1a", "SD1d", "SD1a", "C2d", "C2a", "SD2d", "SD2a"),
    *("Cd", "Ca", "SDNNd", "SDNNa"),
)


def asymmetry_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 16"]:
    """`ASYMMETRY_NAMES` of each window; 0 for a part of nothing, as with equal beats."""
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
