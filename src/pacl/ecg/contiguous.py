"""Contiguous parts of an ECG without missing samples."""

from collections.abc import Iterator

import numpy as np

from pacl.axes import Array, Bool, Float32
from pacl.ecg.signal import Ecg
from pacl.spans import runs

BRIDGED_S = 0.1
"""Fewer missing samples than this are filled by a straight line; more end a part."""

SHORTEST_S = 2.0
"""A shorter part has no two beats that could be trusted."""


def contiguous(ecg: Ecg) -> Iterator[tuple[float, Float32[Array, "lead sample"]]]:
    """Each part with its start in seconds.

    A part ends where all leads are missing. A lead that is missing while others go on is 0 there:
    it has no complexes, so it does not count.
    """
    for segment in ecg.segments:
        missing = np.isnan(segment.millivolts)
        if not missing.any():
            parts = [(0, missing.shape[1])]
        else:
            gone = np.asarray(missing.all(axis=0))
            _bridge(gone, ecg.fs_hz)
            parts = list(runs(~gone))
        for low, high in parts:
            if high - low >= SHORTEST_S * ecg.fs_hz:
                part = segment.millivolts[:, low:high]
                if missing[:, low:high].any():
                    part = np.stack([_filled(lead) for lead in part])
                yield segment.onset_s + low / ecg.fs_hz, part


def _bridge(gone: Bool[Array, "sample"], fs_hz: float) -> None:
    for low, high in list(runs(gone)):
        if high - low <= BRIDGED_S * fs_hz and low > 0 and high < gone.size:
            gone[low:high] = False


def _filled(lead: Float32[Array, "sample"]) -> Float32[Array, "sample"]:
    """A lead with short holes bridged and long ones at 0."""
    missing = np.isnan(lead)
    if missing.all():
        return np.zeros_like(lead)
    at = np.arange(lead.size)
    return np.interp(at, at[~missing], lead[~missing]).astype(np.float32)
