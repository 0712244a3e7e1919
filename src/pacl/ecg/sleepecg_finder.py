"""Beats by sleepecg: the method of Pan and Tompkins with changes, in C."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Int64
from pacl.ecg.energy import clearest_leads
from pacl.registry import NoSettings

LEAST_S = 3.0
"""A shorter ECG is too short for its thresholds."""


@dataclass(frozen=True, slots=True)
class SleepecgFinder:
    """Finds beats by sleepecg in the lead whose complexes stand out most."""

    def find(self, millivolts: Float32[Array, "lead sample"], fs_hz: float) -> Int64[Array, "beat"]:
        """Sample of each beat."""
        from sleepecg import detect_heartbeats  # type: ignore[attr-defined]

        usual = np.bincount(clearest_leads(millivolts, fs_hz)).argmax()
        lead = millivolts[usual].astype(np.float64)
        if lead.size < LEAST_S * fs_hz or lead.min() == lead.max():
            return np.empty(0, np.int64)
        found: Int64[Array, "beat"] = detect_heartbeats(lead, fs_hz).astype(np.int64)
        return found


def sleepecg(settings: NoSettings) -> SleepecgFinder:
    """Make the finder."""
    return SleepecgFinder()
