"""Stretches of time that nothing is said of, and the reasons that are given."""

from collections.abc import Iterable
from dataclasses import dataclass

GAP = "no signal"
WARMING_UP = "before the first window was whole"
NOT_YET = "too few beats after the last decision"
UNFIT = "too many implausible beats, or a signal that repeats itself"


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A stretch of time that nothing is said of, and why."""

    start_s: float
    end_s: float
    why: str


def too_short(window_beats: int) -> str:
    """Why nothing is said of a stretch that is shorter than a window."""
    return f"fewer than {window_beats} plausible beats in a row"


def main_reason(stretches: Iterable[NotJudged]) -> str | None:
    """The reason that cost most time; None where there is none.

    Examples
    --------
    >>> main_reason([NotJudged(0, 9, UNFIT), NotJudged(9, 12, GAP), NotJudged(12, 17, NOT_YET)])
    'too many implausible beats, or a signal that repeats itself'
    """
    lost_s: dict[str, float] = {}
    for one in stretches:
        lost_s[one.why] = lost_s.get(one.why, 0.0) + one.end_s - one.start_s
    return max(lost_s, key=lambda why: lost_s[why], default=None)
