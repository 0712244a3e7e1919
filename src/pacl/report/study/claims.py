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
    """What holds and what does not; what is inconclusive, and all reasons, on demand."""
    if not claims:
        return [
            Heading("What holds"),
            Text(
                "The paper compares three losses. This study lacks one of them, so no claim of the "
                "paper was tested."
            ),
        ]
    keys = list(dict.fromkeys(claim.key for claim in claims))
    decided = [key for key in keys if any(c.decided for c in claims if c.key == key)]
    open_keys = [key for key in keys if key not in decided]
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
    if decided:
        blocks.append(TableBlock(_verdicts("Decided claims", cohorts, claims, decided)))
    else:
        blocks.append(Text("**No claim is decided** with this many patients and seeds."))
    if open_keys:
        table = TableBlock(_verdicts("Inconclusive claims", cohorts, claims, open_keys))
        blocks.append(Details(_inconclusive(len(open_keys)), (table,)))
    order = [*decided, *open_keys]
    return blocks + [
        Details(
            f"Figures and reasons, {one.title}",
            tuple(_cards([claim for claim in claims if claim.cohort == one.title], order)),
        )
        for one in cohorts
    ]


def _inconclusive(count: int) -> str:
    return "1 claim is inconclusive" if count == 1 else f"{count} claims are inconclusive"


def _cards(claims: Sequence[Claim], order: Sequence[str]) -> list[ClaimBlock]:
    return [
        ClaimBlock(
            claim.text,
            claim.paper,
            claim.ours,
            VERDICTS[claim.verdict],
            claim.reason,
            claim.section if not claim.section[0].isdigit() else f"section {claim.section}",
        )
        for claim in sorted(claims, key=lambda claim: order.index(claim.key))
    ]


def _verdicts(
    title: str, cohorts: Sequence[Outcomes], claims: Sequence[Claim], keys: Sequence[str]
) -> Table:
    """One row per claim, one column per cohort."""
    found = {(claim.key, claim.cohort): claim for claim in claims}
    here = [Head("here")] if len(cohorts) == 1 else []
    rows = []
    for key in keys:
        first = found[key, cohorts[0].title]
        signs = [VERDICTS[found[key, one.title].verdict] for one in cohorts]
        rows.append(
            (
                Cell(first.text),
                *(Cell(f"{verdict.sign} {verdict.words.lower()}") for verdict in signs),
                Cell(first.paper),
                *[Cell(first.ours)] * len(here),
            )
        )
    return Table(
        title,
        "The verdict in each cohort, and the numbers of the paper.",
        (Head("claim"), *(Head(one.title) for one in cohorts), Head("paper"), *here),
        tuple(rows),
    )
