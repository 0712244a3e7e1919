"""What beats and windows a recording or a stream offers, and why none of them can be judged."""

from dataclasses import dataclass

from pacl.detect.steps import MOST_DROPPED
from pacl.records import GAP_MS, PLAUSIBLE_MS

PLAUSIBLE = f"{PLAUSIBLE_MS[0]:g}-{PLAUSIBLE_MS[1]:g} ms"


@dataclass(frozen=True, slots=True)
class Offered:
    """Counts of beats and windows.

    Parameters
    ----------
    window_beats
        Beats of a window of the weights.
    beats, plausible, gaps
        Intervals, those of them within 200-2000 ms, and those above 10 s.
    longest_run
        Most plausible beats in a row. Implausible beats are left out of a row, a gap ends it.
    windows
        Windows that were cut, judged or not.
    sparse, repeated
        Windows that are not judged: because they had to leave out too many beats, or because
        their signal repeats itself.
    """

    window_beats: int
    beats: int
    plausible: int
    gaps: int
    longest_run: int
    windows: int
    sparse: int
    repeated: int

    def why_nothing(self) -> str:
        """Why nothing was judged, with the numbers.

        Examples
        --------
        >>> Offered(200, 150, 143, 0, 143, 0, 0, 0).why_nothing()
        'needs 200 plausible beats (200-2000 ms) in a row, the longest run has 143'
        """
        if not self.beats:
            return "there are no intervals"
        if self.gaps == self.beats:
            return f"no signal: every interval is longer than {GAP_MS / 1000:g} s"
        if not self.plausible:
            return f"none of {self.beats:,} intervals lies within {PLAUSIBLE}"
        if not self.windows:
            return (
                f"needs {self.window_beats} plausible beats ({PLAUSIBLE}) in a row, "
                f"the longest run has {self.longest_run}"
            )
        reasons = {
            f"with more than {100 * MOST_DROPPED:g} % implausible beats": self.sparse,
            "with a signal that repeats itself": self.repeated,
        }
        told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items() if count)
        return f"no window of {self.window_beats} beats can be judged: {told}"
