"""An ECG on an even grid, in pieces, for the page: whole microvolts in two bytes."""

import numpy as np

from pacl.axes import Array, Float32
from pacl.ecg import Ecg

PIECE_S = 60
MISSING = -32768
MOST_SAMPLES = 1_500_000
"""Samples of all leads up to which a page that needs no server holds the ECG itself."""


def millivolts(ecg: Ecg, from_s: float, to_s: float) -> Float32[Array, "lead sample"]:
    """All leads between two times; NaN where there is no signal."""
    first, stop = (int(np.ceil(at_s * ecg.fs_hz - 1e-6)) for at_s in (from_s, to_s))
    found = np.full((len(ecg.leads), max(stop - first, 0)), np.nan, np.float32)
    for segment in ecg.segments:
        begin = round(segment.onset_s * ecg.fs_hz)
        low, high = max(begin, first), min(begin + segment.millivolts.shape[1], stop)
        if low < high:
            found[:, low - first : high - first] = segment.millivolts[:, low - begin : high - begin]
    return found


def packed_minute(ecg: Ecg, number: int) -> bytes:
    """One minute of all leads, one lead after the other."""
    first_s, last_s = float(number * PIECE_S), min(float((number + 1) * PIECE_S), ecg.duration_s)
    return _packed(millivolts(ecg, first_s, last_s))


def packed_ecg(ecg: Ecg) -> bytes | None:
    """All of it; None where it is too long for a page."""
    if len(ecg.leads) * ecg.duration_s * ecg.fs_hz > MOST_SAMPLES:
        return None
    return _packed(millivolts(ecg, 0.0, ecg.duration_s))


def ecg_values(ecg: Ecg) -> dict[str, object]:
    """What the page must know of it."""
    return {"leads": list(ecg.leads), "fs_hz": ecg.fs_hz}


def _packed(values: Float32[Array, "lead sample"]) -> bytes:
    microvolts = np.round(np.clip(values * 1000, MISSING + 1, -MISSING - 1))
    return np.where(np.isnan(microvolts), MISSING, microvolts).astype("<i2").tobytes()
