"""The protocol of all beat finders, and those there are by name."""

from typing import Protocol, runtime_checkable

from pacl.axes import Array, Float32, Int64
from pacl.registry import Entry, Registry


@runtime_checkable
class BeatFinder(Protocol):
    """Finds heart beats in a contiguous ECG without missing samples."""

    def find(self, millivolts: Float32[Array, "lead sample"], fs_hz: float) -> Int64[Array, "beat"]:
        """Sample of each beat, near its R wave, in order and each once."""


BEAT_FINDERS: Registry[BeatFinder] = Registry(
    "beat finder",
    "pacl.beat_finders",
    {
        "averages": Entry(
            "averages",
            "pacl.ecg.averages:averages",
            summary="two running means of the QRS energy of all leads; needs no other package",
        ),
        "sleepecg": Entry(
            "sleepecg",
            "pacl.ecg.sleepecg_finder:sleepecg",
            summary="Pan and Tompkins, in C, on the best lead; needs pacl[ecg]",
        ),
    },
)
"""From an ECG to beats. A factory takes the settings and gives a `BeatFinder`."""
