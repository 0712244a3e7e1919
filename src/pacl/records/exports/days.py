"""Short series of a watch, gathered into one recording for each day and device."""

from collections.abc import Sequence
from datetime import datetime

from pacl.records.exports.recording import Recording, Stretch, as_date, join, since_1970

_TOUCHING_S = 0.005


class Days:
    """Series of each calendar day, where they were recorded, and of each device.

    A watch records a minute at a time; each of its series becomes a file of the day's recording.
    """

    def __init__(self) -> None:
        self._stretches: dict[tuple[str, str], list[Stretch]] = {}
        self._first: dict[tuple[str, str], datetime] = {}

    def add(self, start: datetime, device: str, stretches: Sequence[Stretch]) -> None:
        """Add a series that began at `start`; its stretches are in seconds since 1970."""
        if not stretches:
            return
        key = (start.strftime("%Y-%m-%d"), device)
        self._stretches.setdefault(key, []).extend(stretches)
        first = self._first.get(key, start)
        self._first[key] = min(first, start, key=since_1970)

    def recordings(self) -> tuple[list[Recording], int]:
        """A recording for each day and device, and how many stretches repeat or overlap another."""
        found: list[Recording] = []
        repeated = 0
        for (day, device), stretches in sorted(self._stretches.items()):
            kept = _without_overlap(stretches)
            repeated += len(stretches) - len(kept)
            started = as_date(kept[0].began_s, self._first[day, device])
            found += filter(None, [join(kept, day, started)])
        return found, repeated


def _without_overlap(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Stretches in order; one that begins before the last has ended is left out."""
    kept: list[Stretch] = []
    for one in sorted(stretches, key=lambda stretch: stretch.began_s):
        if not kept or one.began_s >= kept[-1].ended_s - _TOUCHING_S:
            kept.append(one)
    return kept
