"""How roughness grows with scale: detrended fluctuations, and two fractal dimensions.

Peng et al. (1995) over 4 to 11 beats, in boxes that overlap by half; Higuchi (1988) up to lag 10;
Katz (1988). Equal to NeuroKit2 wherever that is finite. Its alpha2 has no value for windows of
100 beats and is left out.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from pacl.axes import Array, Float64, Int64
from pacl.features.numeric import log_of, over

FRACTAL_NAMES = ("DFA_alpha1", "HFD", "KFD")

BOXES = range(4, 12)
LAGS = range(1, 11)
FLAT = 1e-8
"""A box whose squares are no more than this on average is a line, and does not count."""


def fractal_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window 3"]:
    """`FRACTAL_NAMES` of each window; 0 where one is not defined, as with equal beats."""
    return np.column_stack([dfa_alpha1(rr_ms), higuchi(rr_ms), katz(rr_ms)])


def dfa_alpha1(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window"]:
    """Slope of log fluctuation over log box; 0 where some box size finds none."""
    # Windows side by side, so that the steps of a box are one block of memory.
    step = np.ascontiguousarray(np.diff(rr_ms, axis=1).T)
    beats = rr_ms.shape[1]
    found = []
    for box in BOXES:
        # A box that ends with the window is left out, as NeuroKit2 does.
        within = sliding_window_view(step, box - 2, axis=0)[1 : beats - box + 1 : box // 2]
        rest = _detrending(box) @ within.swapaxes(1, 2)
        squares = np.square(rest, out=rest).sum(axis=1) / box
        rough = squares > FLAT
        found.append(over((squares * rough).sum(axis=0), rough.sum(axis=0)))
    return _slope(np.sqrt(np.column_stack(found)), np.array(BOXES))


def _detrending(box: int) -> Float64[Array, "rest step"]:
    """What a box of the profile leaves of its line, in `box` - 2 numbers, from the steps in it.

    The profile sums intervals, so that intervals are its differences and steps those of these: with
    no steps it is a line. The numbers have the squares of what a line does not fit.
    """
    place = np.arange(box)
    bent = np.maximum(place[:, None] - place[1:-1], 0.0)  # by one step, at each place in turn
    line = np.vander(place, 2).astype(np.float64)
    bent -= line @ np.linalg.lstsq(line, bent)[0]
    return np.asarray(np.linalg.qr(bent, mode="r"))


def higuchi(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window"]:
    """Higuchi's dimension; 0 where the curve has no length at some lag, as when beats repeat."""
    beats = rr_ms.shape[1]
    lengths = []
    for lag in LAGS:
        first = np.arange(beats - lag) % lag  # which of the curves a step belongs to
        steps = (beats - 1 - first) // lag
        weight = (beats - 1) / (steps * lag**3)
        lengths.append(np.abs(rr_ms[:, lag:] - rr_ms[:, :-lag]) @ weight)
    return -_slope(np.column_stack(lengths), np.array(LAGS))


def katz(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window"]:
    """Katz's dimension: how long the curve is beside how far it gets from where it began."""
    step = np.abs(np.diff(rr_ms, axis=1)).mean(axis=1)
    furthest = np.abs(rr_ms - rr_ms[:, :1]).max(axis=1)
    return over(np.full(len(rr_ms), np.log(rr_ms.shape[1] - 1)), log_of(over(furthest, step)))


def _slope(
    values: Float64[Array, "window scale"], scale: Int64[Array, "scale"]
) -> Float64[Array, "window"]:
    """Of the line through the logarithms; 0 where a value has none."""
    place = np.log(scale) - np.log(scale).mean()
    slope = log_of(values) @ place / (place @ place)
    return np.where((values > 0).all(axis=1), slope, 0.0)
