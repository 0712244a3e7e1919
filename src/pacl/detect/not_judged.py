"""What is not judged, and why: errors, stretches of time, and counts of usable beats."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from pacl.errors import PaclError
from pacl.records import GAP_MS, PLAUSIBLE_MS
from pacl.spans import NotJudged

MOST_DROPPED = 0.2
"""Most implausible beats per plausible beat. Beats among which there are more are not judged."""

PLAUSIBLE = f"{PLAUSIBLE_MS[0]:g}-{PLAUSIBLE_MS[1]:g} ms"
GAP = "no signal"
EXCLUDED = "excluded by hand"
UNFIT = "too many implausible beats, or a signal that repeats itself"


class DetectError(PaclError):
    """An input that cannot be judged at all; the message states what and why."""


class Fault(IntEnum):
    """Why a step is not judged; `NONE` where it is."""

    NONE = 0
    TOO_FEW = 1
    SPARSE = 2
    REPEATED = 3
    WARMING_UP = 4
    NOT_YET = 5
    UNFIT = 6
    MASKED = 7


_WORDS = {
    Fault.SPARSE: "too many implausible beats",
    Fault.REPEATED: "a signal that repeats itself",
    Fault.WARMING_UP: "before the first window was whole",
    Fault.NOT_YET: "too few beats after the last decision",
    Fault.UNFIT: UNFIT,
}


def reason_of(fault: Fault, needed_beats: int) -> str:
    """The reason in words."""
    if fault is Fault.TOO_FEW:
        return f"fewer than {needed_beats} plausible beats in a row"
    return _WORDS[fault]


def main_reason(stretches: Iterable[NotJudged]) -> str | None:
    """The reason that covers the most time; None without stretches.

    Examples
    --------
    >>> main_reason([NotJudged(0.0, 9.0, UNFIT), NotJudged(9.0, 12.0, GAP)])
    'too many implausible beats, or a signal that repeats itself'
    """
    lost_s: dict[str, float] = {}
    for one in stretches:
        lost_s[one.why] = lost_s.get(one.why, 0.0) + one.end_s - one.start_s
    return max(lost_s, key=lambda why: lost_s[why], default=None)


@dataclass(frozen=True, slots=True)
class StretchCounts:
    """Counts of one stretch without a gap.

    `looked_at` counts windows, or beats for weights that judge single beats. `seen_s` is the time
    in seconds that could be judged.
    """

    plausible: int
    looked_at: int = 0
    sparse: int = 0
    repeated: int = 0
    seen_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Offered:
    """Counts of the beats of a recording or a stream, and of the windows or beats looked at.

    Parameters
    ----------
    needed_beats
        Plausible beats in a row that the weights need.
    beats, plausible, gaps
        All intervals, those within 200-2000 ms, and those above 10 s.
    longest_run
        Most plausible beats in a row. Implausible beats are skipped; a gap ends the row.
    looked_at
        Windows or beats, judged or not.
    sparse, repeated
        Not judged because of too many implausible beats, or of a signal that repeats itself.
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
            gaps=gaps,
            longest_run=max((one.plausible for one in counts), default=0),
            **{
                name: sum(getattr(one, name) for one in counts)
                for name in ("plausible", "looked_at", "sparse", "repeated")
            },
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
