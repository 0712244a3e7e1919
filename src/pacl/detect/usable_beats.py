"""What beats a recording or a stream offers, and why none of them can be judged."""

from collections.abc import Iterable
from dataclasses import dataclass

from pacl.detect.judged_steps import StretchCounts
from pacl.detect.steps import MOST_DROPPED
from pacl.records import GAP_MS, PLAUSIBLE_MS

PLAUSIBLE = f"{PLAUSIBLE_MS[0]:g}-{PLAUSIBLE_MS[1]:g} ms"


@dataclass(frozen=True, slots=True)
class Offered:
    """Counts of beats, and of what was looked at: windows, or beats one by one.

    Parameters
    ----------
    needed_beats
        Plausible beats in a row that the weights need.
    beats, plausible, gaps
        Intervals, those of them within 200-2000 ms, and those above 10 s.
    longest_run
        Most plausible beats in a row. Implausible beats are left out of a row, a gap ends it.
    looked_at
        Windows or beats, judged or not.
    sparse, repeated
        Those that are not judged: too many implausible beats, a signal that repeats itself.
    """

    needed_beats: int
    beats: int
    plausible: int = 0
    gaps: int = 0
    longest_run: int = 0
    looked_at: int = 0
    sparse: int = 0
    repeated: int = 0

    @classmethod
    def of(
        cls, needed_beats: int, beats: int, gaps: int, stretches: Iterable[StretchCounts]
    ) -> "Offered":
        """Add up the stretches of a recording."""
        counts = list(stretches)
        return cls(
            needed_beats=needed_beats,
            beats=beats,
            plausible=sum(one.plausible for one in counts),
            gaps=gaps,
            longest_run=max((one.plausible for one in counts), default=0),
            looked_at=sum(one.looked_at for one in counts),
            sparse=sum(one.sparse for one in counts),
            repeated=sum(one.repeated for one in counts),
        )

    def why_nothing(self) -> str:
        """Why nothing was judged, with the numbers.

        Examples
        --------
        >>> Offered(60, beats=50, plausible=43, longest_run=43).why_nothing()
        'needs 60 plausible beats (200-2000 ms) in a row, the longest run has 43'
        """
        if not self.beats:
            return "there are no intervals"
        if self.gaps == self.beats:
            return f"no signal: every interval is longer than {GAP_MS / 1000:g} s"
        if not self.plausible:
            return f"none of {self.beats:,} intervals lies within {PLAUSIBLE}"
        if not self.looked_at:
            return (
                f"needs {self.needed_beats} plausible beats ({PLAUSIBLE}) in a row, "
                f"the longest run has {self.longest_run}"
            )
        reasons = {
            f"more than {100 * MOST_DROPPED:g} implausible beats for 100 plausible": self.sparse,
            "the signal repeats itself": self.repeated,
        }
        main = max(reasons, key=lambda reason: reasons[reason])
        share = 100 * reasons[main] / self.looked_at
        return f"nothing can be judged; the main reason, for {share:.0f} % of it: {main}"
