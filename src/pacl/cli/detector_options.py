"""Options that say which detector is used, and how much it takes to call AF."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pacl.detect import Detector


@dataclass(frozen=True, slots=True)
class DetectorOptions:
    """Which detector, and at which operating point."""

    weights: str = "af-beats"
    """Name of bundled weights, or a folder that pacl weights wrote."""
    operating_point: Literal["sensitive", "balanced", "specific"] = "balanced"
    """sensitive finds more short AF and has more false alarms; specific the other way round."""
    min_duration: float = 30.0
    """Seconds. AF in shorter episodes alone is called possible AF; the episodes are listed."""

    def detector(self) -> "Detector":
        """Load it."""
        from pacl.detect import Detector

        return Detector(
            self.weights,
            operating_point=self.operating_point,
            min_duration_s=self.min_duration,
        )
