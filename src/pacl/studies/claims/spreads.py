"""Claims that one loss spreads less over seeds than another (3.2)."""

from dataclasses import dataclass

from pacl.evaluation import EvaluationError, SpreadRatio, spread_ratio
from pacl.studies.claims.claim import Verdict, verdict_of
from pacl.studies.claims.difference import NAMES
from pacl.studies.outcomes import Outcomes


@dataclass(frozen=True, slots=True)
class SpreadClaim:
    """Whether the first loss spreads more than the second, and why it is said so."""

    verdict: Verdict
    ours: str
    reason: str


def compare_spreads(outcomes: Outcomes, first: str, second: str, key: str) -> SpreadClaim:
    """Compare standard deviations over seeds.

    Where runs collapsed nothing is told: a collapse is an outlier, and tests of a ratio of spreads
    take values for normal. With equal chances of collapsing, they would tell two losses apart in
    half of all studies.
    """
    names = f"{NAMES.get(first, first)} / {NAMES.get(second, second)}"
    values = [outcomes.values(loss, key) for loss in (first, second)]
    try:
        found = spread_ratio(values[0], values[1], shared_seeds=True)
    except EvaluationError as error:
        return SpreadClaim("cannot be told", f"{names}: no ratio", f"{error}.")
    ours = f"{names}: ratio {found.ratio:.2f} [{found.low:.2f}, {found.high:.2f}]"
    fallen = {
        loss: [at for at, one in enumerate(outcomes.of(loss)) if one.collapsed]
        for loss in (first, second)
    }
    if not any(fallen.values()):
        return SpreadClaim(verdict_of(found.low - 1, found.high - 1), ours, _about(found))
    counts = ", ".join(
        f"{NAMES.get(loss, loss)} in {len(lost)} of {len(outcomes.seeds)} seeds"
        for loss, lost in fallen.items()
    )
    left = [at for at in range(len(outcomes.seeds)) if at not in {*fallen[first], *fallen[second]}]
    reason = f"Embeddings collapsed to a point: {counts}. No test of spreads is valid then."
    try:
        without = spread_ratio(values[0][left], values[1][left], shared_seeds=True)
        limits = f"[{without.low:.2f}, {without.high:.2f}]"
        reason += f" Over the other {len(left)} seeds the ratio is {without.ratio:.2f} {limits}."
    except EvaluationError:
        reason += f" The other {len(left)} seeds give no ratio."
    return SpreadClaim("cannot be told", ours, reason)


def _about(found: SpreadRatio) -> str:
    told = f"F-test p = {found.p_value:.3f}"
    if found.p_paired is not None:
        told += f", paired (Pitman and Morgan) p = {found.p_paired:.3f}"
    if found.seeds_needed is not None:
        told += (
            f"; to show in four of five studies that a ratio of {found.ratio:.2f} is not 1 takes "
            f"{found.seeds_needed} seeds per loss"
        )
    return told + "."
