"""Features of heart-rate variability of many windows at once.

The four groups that classical detectors of AF use (Udawat & Singh 2022): time domain, frequency
domain, non-linear, irregularity. Where NeuroKit2 0.2 has a feature of the same name, the value is
equal; where it is not defined for a window, such as a ratio to zero, it is 0 or as documented for
the group, so that all values are finite.
"""

from collections.abc import Sequence

import numpy as np

from pacl.axes import Array, Float, Float64
from pacl.errors import PaclError
from pacl.features.entropy import ENTROPY_NAMES, SYMBOLIC_NAMES, entropy_features, symbolic_features
from pacl.features.fractal import FRACTAL_NAMES, fractal_features
from pacl.features.fragmentation import FRAGMENTATION_NAMES, fragmentation_features
from pacl.features.frequency import FREQUENCY_NAMES, frequency_features
from pacl.features.irregularity import IRREGULARITY_NAMES, irregularity_features
from pacl.features.poincare import (
    ASYMMETRY_NAMES,
    POINCARE_NAMES,
    asymmetry_features,
    poincare_features,
)
from pacl.features.time import TIME_NAMES, time_features
from pacl.records import GAP_MS

NONLINEAR = (
    (POINCARE_NAMES, poincare_features),
    (FRAGMENTATION_NAMES, fragmentation_features),
    (ASYMMETRY_NAMES, asymmetry_features),
    (SYMBOLIC_NAMES, symbolic_features),
    (ENTROPY_NAMES, entropy_features),
    (FRACTAL_NAMES, fractal_features),
)
"""Poincaré plot, fragmentation, asymmetry, symbols, entropy, roughness."""
NONLINEAR_NAMES = tuple(name for names, _ in NONLINEAR for name in names)

HRV_NAMES = (*TIME_NAMES, *FREQUENCY_NAMES, *NONLINEAR_NAMES, *IRREGULARITY_NAMES)
"""The columns of `hrv_features`."""

LEAST_BEATS = 16
"""Shorter windows have no fluctuations over 11 beats, and almost no spectrum."""

SHORTEST_MS = 20.0
"""Shorter intervals are not physiological, and too short for a spectrum at 100 Hz."""


class FeatureError(PaclError):
    """Windows without features."""


def hrv_features(
    rr_ms: Float[Array, "*window beat"] | Sequence[float], *, chunk: int = 256
) -> Float64[Array, "*window feature"]:
    """`HRV_NAMES` of each window, or of one.

    Parameters
    ----------
    rr_ms
        Consecutive intervals in ms, not scaled and without gaps: one row per window, or a single
        window, whose features then are one row.
    chunk
        Windows per step. It limits memory, and changes values only by rounding.

    Examples
    --------
    >>> regular, uneven = np.full(200, 800.0), np.tile([700.0, 720.0, 980.0, 800.0], 50)
    >>> found = hrv_features(np.stack([regular, uneven]))
    >>> found[:, HRV_NAMES.index("MeanNN")]
    array([800., 800.])
    >>> found[:, HRV_NAMES.index("RMSSD")].round(2)
    array([  0. , 166.4])
    >>> hrv_features(uneven)[HRV_NAMES.index("RMSSD")].round(2)
    np.float64(166.4)
    """
    if chunk < 1:
        raise FeatureError(f"chunk is {chunk}; work on at least 1 window at a time")
    windows = np.asarray(rr_ms)
    if windows.ndim not in (1, 2):
        raise FeatureError(
            f"windows of shape {windows.shape}; give one row per window, or one window alone"
        )
    if windows.ndim == 1:
        return np.asarray(hrv_features(windows[None], chunk=chunk)[0])
    _check(windows)
    found = np.empty((len(windows), len(HRV_NAMES)))
    for first in range(0, len(windows), chunk):
        part = np.ascontiguousarray(windows[first : first + chunk], dtype=np.float64)
        groups = (time_features, frequency_features, nonlinear_features, irregularity_features)
        found[first : first + chunk] = np.concatenate([group(part) for group in groups], axis=1)
    return found


def nonlinear_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window feature"]:
    """`NONLINEAR_NAMES` of each window; NeuroKit2's `hrv_nonlinear` has them all, and more."""
    return np.concatenate([features(rr_ms) for _, features in NONLINEAR], axis=1)


def _check(rr_ms: Float[Array, "window beat"]) -> None:
    if rr_ms.shape[1] < LEAST_BEATS:
        raise FeatureError(
            f"windows have {rr_ms.shape[1]} beats; features need at least {LEAST_BEATS}"
        )
    fit = (rr_ms >= SHORTEST_MS) & (rr_ms <= GAP_MS)  # NaN is neither
    if not fit.all():
        windows = np.flatnonzero(~fit.all(axis=1))
        window, beat = int(windows[0]), int(np.flatnonzero(~fit[windows[0]])[0])
        raise FeatureError(
            f"window {window}: beat {beat} is {rr_ms[window, beat]} ms; features need intervals "
            f"from {SHORTEST_MS:.0f} to {GAP_MS} ms, not scaled; leave out or interpolate such "
            f"beats ({windows.size} of {len(rr_ms)} windows have some)"
        )
