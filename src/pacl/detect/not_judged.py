"""Stretches of time that nothing is said of, and the reasons that are given."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

GAP = "no signal"
UNFIT = "too many implausible beats, or a signal that repeats itself"


class Fault(IntEnum):
    """Why a step is not judged; `NONE` where it is."""

    NONE = 0
    TOO_FEW = 1
    SPARSE = 2
    REPEATED = 3
    WARMING_UP = 4
    NOT_YET = 5
    UNFIT = 6


_WORDS = {
    Fault.SPARSE: "too many implausible beats",
    Fault.REPEATED: "a signal that repeats itself",
    Fault.WARMING_UP: "before the first window was whole",
    Fault.NOT_YET: "too few beats after the last decision",
    Fault.UNFIT: UNFIT,
}


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A stretch of time that nothing is said of, and why."""

    start_s: float
    end_s: float
    why: str


def reason_of(fault: Fault, needed_beats: int) -> str:
    """Why nothing is said, in words."""
    if fault is Fault.TOO_FEW:
        return f"fewer than {needed_beats} plausible beats in a row"
    return _WORDS[fault]


def main_reason(stretches: Iterable[NotJudged]) -> str | None:
    """The reason that cost most time; None where there is none.

    Examples
    --------
    >>> main_reason([NotJudged(0.0, 9.0, UNFIT), NotJudged(9.0, 12.0, GAP)])
    'too many implausible beats, or a signal that repeats itself'
    """
    lost_s: dict[str, float] = {}
    for one in stretches:
        lost_s[one.why] = lost_s.get(one.why, 0.0) + one.end_s - one.start_s
    return max(lost_s, key=lambda why: lost_s[why], default=None)
