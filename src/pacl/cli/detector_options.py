"""Options for the detector and its operating point."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pacl.detect import Detector


@dataclass(frozen=True, slots=True)
class DetectorOptions:
    """The detector and its operating point."""

    weights: str = "af-beats"
    """Name of bundled weights, or a folder that pacl weights wrote."""
    operating_point: Literal["sensitive", "balanced", "specific"] = "balanced"
    """sensitive finds more short AF, with more false alarms; specific has fewer false alarms, and
    misses more short AF."""
    min_duration: float = 30.0
    """Seconds. If all episodes are shorter, the verdict is possible AF; they are still listed."""

    def detector(self) -> "Detector":
        """Load the detector."""
        from pacl.detect import Detector

        return Detector(
            self.weights,
            operating_point=self.operating_point,
            min_duration_s=self.min_duration,
        )
