"""The time of each beat between two samples: the peak of its R wave."""

import numpy as np

from pacl.axes import Array, Float32, Float64, Int64
from pacl.ecg.energy import CLEAREST_S

REACH_S = 0.08
"""How far the peak may be from where the energy of the complex is highest."""

AROUND_S = 0.05
SMOOTH_S = 0.02
AT_ONCE = 20_000


def refined(
    millivolts: Float32[Array, "lead sample"],
    fs_hz: float,
    at: Int64[Array, "beat"],
    leads: Int64[Array, "stretch"],
) -> Float64[Array, "beat"]:
    """Sample of each peak with its fraction, from a parabola through the highest three samples.

    `leads` has the lead to look at for each `CLEAREST_S` seconds. All beats of a lead are taken at
    a peak of the same sign: of the one that most complexes have. So an interval is not longer or
    shorter where a complex has a tall R and a deep S wave.
    """
    found = at.astype(np.float64)
    of_beat = leads[np.minimum(at // max(int(CLEAREST_S * fs_hz), 1), leads.size - 1)]
    for lead in np.unique(of_beat).tolist():
        beats = np.flatnonzero(of_beat == lead)
        some = at[beats[:: max(beats.size // 2000, 1)]]
        windows = _windows(millivolts[lead], fs_hz, some)
        sign = 1.0 if np.median(windows.max(axis=1) + windows.min(axis=1)) >= 0 else -1.0
        for low in range(0, beats.size, AT_ONCE):
            part = beats[low : low + AT_ONCE]
            moved = _peaks(sign * _windows(millivolts[lead], fs_hz, at[part]))
            found[part] += moved - int(REACH_S * fs_hz)
    return found


def _windows(
    lead: Float32[Array, "sample"], fs_hz: float, at: Int64[Array, "beat"]
) -> Float64[Array, "beat step"]:
    """The smoothed signal near each beat, without its baseline."""
    reach, margin = int(REACH_S * fs_hz), int(AROUND_S * fs_hz)
    width = int(SMOOTH_S * fs_hz) | 1
    beside = reach + margin + width // 2
    index = at[:, None] + np.arange(-beside - 1, beside + 1)
    summed = np.cumsum(lead[np.clip(index, 0, lead.size - 1)], axis=1, dtype=np.float64)
    smooth = (summed[:, width:] - summed[:, :-width]) / width
    smooth -= np.median(smooth, axis=1, keepdims=True)
    near: Float64[Array, "beat step"] = smooth[:, margin : margin + 2 * reach + 1]
    return near


def _peaks(windows: Float64[Array, "beat step"]) -> Float64[Array, "beat"]:
    """Where each window is highest; a window without a peak inside gives its middle."""
    beat, last = np.arange(len(windows)), windows.shape[1] - 1
    top = windows.argmax(axis=1)
    inside = (top > 0) & (top < last)
    near = np.clip(top, 1, max(last - 1, 1))
    before, peak, after = (windows[beat, np.minimum(near + by, last)] for by in (-1, 0, 1))
    bend = before - 2 * peak + after
    inside &= bend < 0
    shift = np.divide(before - after, 2 * bend, out=np.zeros_like(bend), where=inside)
    found: Float64[Array, "beat"] = np.where(
        inside, top + np.clip(shift, -0.5, 0.5), windows.shape[1] // 2
    )
    return found
