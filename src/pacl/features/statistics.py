"""Ten simple statistics of many windows at once."""

import numpy as np

from pacl.axes import Array, Float32

STATISTICS = (
    *("mean_ms", "sd_ms", "rmssd_ms", "pnn50", "median_step_ms", "iqr_ms"),
    *("sd_share", "rmssd_share", "median_step_share", "iqr_share"),
)
"""A step is the absolute difference of neighbouring intervals; a share is one of the mean."""


def statistics_of(rr_ms: Float32[Array, "window beat"]) -> Float32[Array, "window statistic"]:
    """`STATISTICS` of each window of intervals in ms, not scaled.

    Examples
    --------
    >>> uneven = np.tile([700.0, 720.0, 980.0, 800.0], 50).astype(np.float32)
    >>> found = statistics_of(uneven[None])[0]
    >>> print(round(float(found[STATISTICS.index("rmssd_ms")]), 1))
    166.4
    """
    step = np.abs(np.diff(rr_ms, axis=1))
    mean = rr_ms.mean(axis=1)
    low, high = np.percentile(rr_ms, [25, 75], axis=1)
    spreads = np.stack(
        [
            rr_ms.std(axis=1, ddof=1),
            np.sqrt(np.square(step).mean(axis=1)),
            np.median(step, axis=1),
            high - low,
        ],
        axis=1,
    )
    pnn50 = (step > 50).mean(axis=1)
    sd, rmssd, middle, iqr = spreads.T
    shares = spreads / mean[:, None]
    return np.column_stack([mean, sd, rmssd, pnn50, middle, iqr, shares]).astype(np.float32)
