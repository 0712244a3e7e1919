"""A stretch of AF in a recording."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AfEpisode:
    """A stretch of AF: seconds from the start of the recording, and the mean probability of AF."""

    start_s: float
    end_s: float
    confidence: float

    @property
    def duration_s(self) -> float:
        """How long it lasts."""
        return self.end_s - self.start_s
