"""Time-domain features of each channel of a window, as the classical systems read them.

Mean absolute value, root mean square, waveform length and variance as logarithms, since amounts
span decades; the rates of zero crossings and of slope sign changes; and the mean.
"""

import numpy as np

from pacl.axes import Array, Float32, Float64

FEATURES = (
    "log mean absolute value",
    "log root mean square",
    "log variance",
    "log waveform length",
    "zero crossings",
    "slope sign changes",
    "mean",
)
LEAST = 1e-3
"""Added before a logarithm."""
AT_ONCE = 2**22
"""Samples that are looked at at once."""


def time_domain_features(
    x: Float32[Array, "window channel time"],
) -> Float32[Array, "window channel feature"]:
    """The features of each channel; crossings are of the channel's mean in the window.

    Examples
    --------
    >>> wave = np.sin((np.arange(100) + 0.3) * 2 * np.pi / 10).astype(np.float32)
    >>> found = time_domain_features(wave[None, None])
    >>> found.shape, round(float(found[0, 0, 5]), 2)
    ((1, 1, 7), 0.2)
    """
    size = max(1, AT_ONCE // max(1, x.shape[1] * x.shape[2]))
    parts = [_features(x[at : at + size].astype(np.float64)) for at in range(0, len(x), size)]
    found: Float32[Array, "window channel feature"] = np.concatenate(
        [np.empty((0, x.shape[1], len(FEATURES))), *parts]
    ).astype(np.float32)
    return found


def _features(x: Float64[Array, "window channel time"]) -> Float64[Array, "window channel feature"]:
    mean = x.mean(axis=-1)
    centred, step = x - mean[..., None], np.diff(x, axis=-1)
    amounts = (
        np.abs(x).mean(axis=-1),
        np.sqrt((x**2).mean(axis=-1)),
        (centred**2).mean(axis=-1),
        np.abs(step).mean(axis=-1),
    )
    crossings = (centred[..., 1:] * centred[..., :-1] < 0).mean(axis=-1)
    turns = (step[..., 1:] * step[..., :-1] < 0).mean(axis=-1)
    logs = [np.log(amount + LEAST) for amount in amounts]
    return np.stack([*logs, crossings, turns, mean], axis=-1)
