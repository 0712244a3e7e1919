"""The claims of the paper on the page of a study: decided ones first, the others folded away."""

from collections import Counter
from collections.abc import Iterator, Sequence

from pacl.report.page import (
    Block,
    ClaimBlock,
    Details,
    Heading,
    KeyFigure,
    TableBlock,
    Text,
    Verdict,
)
from pacl.report.table import Cell, Head, Table
from pacl.report.wording import counted
from pacl.studies import Outcomes
from pacl.studies.claims import Claim

VERDICTS = {
    "holds": Verdict.HOLDS,
    "does not hold": Verdict.FAILS,
    "inconclusive": Verdict.OPEN,
}


def claim_figures(cohorts: Sequence[Outcomes], claims: Sequence[Claim]) -> Iterator[KeyFigure]:
    """How many claims hold on each cohort."""
    for one in cohorts:
        counts = Counter(claim.verdict for claim in claims if claim.cohort == one.title)
        if counts:
            yield KeyFigure(
                f"{counts['holds']} of {counts.total()}",
                f"claims hold, {one.title}",
                f"{counts['does not hold']} do not hold, {counts['inconclusive']} are inconclusive",
            )


def claim_blocks(cohorts: Sequence[Outcomes], claims: Sequence[Claim]) -> list[Block]:
    """The decided claims of each cohort in full; the inconclusive ones under one line."""
    if not claims:
        return [
            Heading("What holds"),
            Text(
                "The paper compares three losses. This study lacks one of them, so no claim of the "
                "paper was tested."
            ),
        ]
    blocks: list[Block] = [
        Heading("What holds"),
        Text(
            "A claim **holds** if the 95 % interval is completely on its side. It **does not "
            "hold** if the interval is completely on the other side. Otherwise it is "
            "**inconclusive** with this number of patients and seeds. Intervals are over patients "
            "and seeds if all patients have the number; otherwise they are over seeds, for these "
            "patients only, and the reason states it. By chance alone, about one of twenty claims "
            "would be decided."
        ),
    ]
    several = len(cohorts) > 1
    keys = list(dict.fromkeys(claim.key for claim in claims if claim.decided))
    if several and keys:
        blocks.append(TableBlock(_verdicts(cohorts, claims, keys)))
    for one in cohorts:
        blocks += [Heading(f"Claims, {one.title}", 3)] * several
        blocks += _of_cohort([claim for claim in claims if claim.cohort == one.title])
    return blocks


def _of_cohort(claims: Sequence[Claim]) -> list[Block]:
    decided = [_card(claim) for claim in claims if claim.decided]
    inconclusive = tuple(_card(claim) for claim in claims if not claim.decided)
    blocks: list[Block] = [*decided]
    if not decided:
        blocks.append(Text("**No claim is decided** with this many patients and seeds."))
    if inconclusive:
        blocks.append(Details(_count(len(inconclusive)), inconclusive))
    return blocks


def _count(inconclusive: int) -> str:
    return f"{counted(inconclusive, 'claim')} {'is' if inconclusive == 1 else 'are'} inconclusive"


def _card(claim: Claim) -> ClaimBlock:
    return ClaimBlock(
        claim.text,
        claim.paper,
        claim.ours,
        VERDICTS[claim.verdict],
        claim.reason,
        claim.section if not claim.section[0].isdigit() else f"section {claim.section}",
    )


def _verdicts(cohorts: Sequence[Outcomes], claims: Sequence[Claim], keys: Sequence[str]) -> Table:
    """One row per claim, one column per cohort."""
    found = {(claim.key, claim.cohort): claim for claim in claims}
    rows = []
    for key in keys:
        signs = [VERDICTS[found[key, one.title].verdict] for one in cohorts]
        first = found[key, cohorts[0].title]
        rows.append(
            (
                Cell(first.text),
                *(Cell(f"{verdict.sign} {verdict.words.lower()}") for verdict in signs),
                Cell(first.paper),
            )
        )
    return Table(
        "Claims that are decided in some cohort",
        "The verdict in each cohort, and the numbers of the paper.",
        (Head("claim"), *(Head(one.title) for one in cohorts), Head("paper")),
        tuple(rows),
    )
