"""A stretch of AF in a recording."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AfEpisode:
    """A stretch of AF.

    Parameters
    ----------
    start_s, end_s
        Seconds from the start of the recording.
    confidence
        The mean probability of AF.
    may_be_flutter
        Whether its intervals are of a few lengths, as in flutter with changing conduction.
    """

    start_s: float
    end_s: float
    confidence: float
    may_be_flutter: bool = False

    @property
    def duration_s(self) -> float:
        """How long it lasts."""
        return self.end_s - self.start_s
