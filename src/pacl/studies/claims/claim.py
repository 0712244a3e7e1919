"""A sentence of the paper that data can speak to, and what ours say (3, 4)."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["holds", "does not hold", "cannot be told"]


@dataclass(frozen=True, slots=True)
class Claim:
    """What the paper says, what was found, and whether it holds.

    Parameters
    ----------
    key
        Short name, the same in every study.
    section
        Of the paper.
    text
        The claim, in our words.
    paper, ours
        The figures it rests on there and here.
    verdict
        `holds` or `does not hold` where patients and seeds are enough to say so, else
        `cannot be told`, which is shown as inconclusive.
    reason
        What the verdict rests on.
    cohort
        On whom it was tried.
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
        """Whether patients and seeds are enough to say that it holds, or that it does not."""
        return self.verdict != "cannot be told"

    @property
    def said(self) -> str:
        """The verdict for people; `verdict` is as files of older studies have it."""
        return self.verdict if self.decided else "inconclusive"


def verdict_of(low: float, high: float) -> Verdict:
    """Of a claim that something is above 0, by the limits of its interval."""
    if low > 0:
        return "holds"
    return "does not hold" if high < 0 else "cannot be told"


def all_of(verdicts: list[Verdict]) -> Verdict:
    """Of a claim that is several: it holds if all hold, and fails with the first that fails."""
    if "does not hold" in verdicts:
        return "does not hold"
    return "holds" if set(verdicts) == {"holds"} else "cannot be told"
