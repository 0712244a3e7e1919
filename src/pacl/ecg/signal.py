"""An ECG: leads over time, in contiguous segments."""

from dataclasses import dataclass
from datetime import datetime

from pacl.axes import Array, Float32


@dataclass(frozen=True, eq=False, slots=True)
class Segment:
    """A contiguous part of an ECG, in millivolts; NaN where a sample is missing.

    `onset_s` is when it begins, in seconds from the start of the recording.
    """

    onset_s: float
    millivolts: Float32[Array, "lead sample"]

    def duration_s(self, fs_hz: float) -> float:
        """How long it lasts."""
        return int(self.millivolts.shape[1]) / fs_hz


@dataclass(frozen=True, eq=False, slots=True)
class Ecg:
    """An ECG of one or more leads.

    ```
    segment 0                    segment 1
    |~~~~~~~~~~~~~~~~~~~|  gap  |~~~~~~~~~~~~~~|     lead MLII
    |~~~~~~~~~~~~~~~~~~~|       |~~~~~~~~~~~~~~|     lead V1
    ```

    Parameters
    ----------
    fs_hz
        Samples per second, the same for all leads.
    leads
        Names of the leads, as the source has them.
    segments
        Contiguous parts in order of time; what lies between two was not recorded.
    digest, source
        SHA-256 over all that it was read from, and its path.
    started
        Wall-clock time of second 0, where it is known.
    """

    fs_hz: float
    leads: tuple[str, ...]
    segments: tuple[Segment, ...]
    digest: str
    source: str
    started: datetime | None = None

    @property
    def duration_s(self) -> float:
        """Time from second 0 to the end of the last segment."""
        last = self.segments[-1]
        return last.onset_s + last.duration_s(self.fs_hz)
