"""A claim of the paper, and its verdict on our data (3, 4)."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["holds", "does not hold", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim, what was found, and whether it holds.

    Parameters
    ----------
    key
        Short name, the same in every study.
    section
        Of the paper.
    text
        The claim, in our words.
    paper, ours
        The figures in the paper and here.
    verdict
        `inconclusive` where patients or seeds are too few to decide. Files of earlier versions
        have `cannot be told` for that.
    reason
        What the verdict is based on.
    cohort
        The patients it was tested on.
    """

    key: str
    section: str
    text: str
    paper: str
    ours: str
    verdict: Verdict
    reason: str
    cohort: str

    @property
    def decided(self) -> bool:
        """Whether it holds or does not hold."""
        return self.verdict != "inconclusive"


def verdict_of(low: float, high: float) -> Verdict:
    """Of a claim that something is above 0, by the limits of its interval."""
    if low > 0:
        return "holds"
    return "does not hold" if high < 0 else "inconclusive"


def all_of(verdicts: list[Verdict]) -> Verdict:
    """Of a claim of several parts: it holds if all hold, and fails if one fails."""
    if "does not hold" in verdicts:
        return "does not hold"
    return "holds" if set(verdicts) == {"holds"} else "inconclusive"
