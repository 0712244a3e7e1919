"""Time-domain features: length of beats, and variation of beats and of their differences.

All but their values for equal beats are NeuroKit2's `hrv_time`. `CVSD`, RMSSD over the mean, is
what detectors of AF call the normalised RMSSD (Dash et al. 2009).
"""

import numpy as np

from pacl.axes import Array, Float64
from pacl.features.numeric import in_batches, over, quantile
from pacl.features.triangle import TRIANGLE_NAMES, triangle_features

TIME_NAMES = (
    *("MeanNN", "SDNN", "RMSSD", "SDSD", "CVNN", "CVSD", "MedianNN", "MadNN", "MCVNN", "IQRNN"),
    *("SDRMSSD", "Prc20NN", "Prc80NN", "pNN50", "pNN20", "MinNN", "MaxNN"),
    *TRIANGLE_NAMES,
)

MAD_TO_SD = 1.4826
"""The median absolute deviation of normal values times this is their standard deviation."""

BATCH_BEATS = 6_400


def time_features(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window feature"]:
    """`TIME_NAMES` of each window.

    In ms, but for `CVNN`, `CVSD`, `MCVNN` and `SDRMSSD`, which are ratios, `HTI`, and `pNN50` and
    `pNN20`: steps above 50 and 20 ms in percent of all *beats*, as NeuroKit2 has them. `SDRMSSD`
    is 0 where no beat differs from the one before.
    """
    # From the first beat on, so that beats that are equal differ by nothing and not by rounding.
    beyond = rr_ms - rr_ms[:, :1]
    step = np.diff(rr_ms, axis=1)
    mean = rr_ms[:, 0] + beyond.mean(axis=1)
    sd = beyond.std(axis=1, ddof=1)
    rmssd = np.sqrt(np.square(step).mean(axis=1))
    ordered = np.sort(rr_ms, axis=1)
    fifth, low, median, high, four_fifths = (
        quantile(ordered, share) for share in (0.2, 0.25, 0.5, 0.75, 0.8)
    )
    mad = MAD_TO_SD * quantile(np.sort(np.abs(rr_ms - median[:, None]), axis=1), 0.5)
    size = np.abs(step)
    return np.column_stack(
        [
            *(mean, sd, rmssd, (step - step[:, :1]).std(axis=1, ddof=1), sd / mean, rmssd / mean),
            *(median, mad, mad / median, high - low, over(sd, rmssd), fifth, four_fifths),
            *(100 * (size > limit_ms).sum(axis=1) / rr_ms.shape[1] for limit_ms in (50, 20)),
            *(ordered[:, 0], ordered[:, -1]),
            in_batches(triangle_features, rr_ms, BATCH_BEATS),
        ]
    )
