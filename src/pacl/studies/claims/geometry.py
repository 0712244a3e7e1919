"""Claims about where embeddings lie (3.1, 4)."""

from pacl.studies.claims.claim import Claim, all_of
from pacl.studies.claims.difference import Difference, compare, means_of, order_claim, reasons
from pacl.studies.metric import (
    AF_COHESION,
    AF_SPREAD,
    CENTROID_DISTANCE,
    CENTROID_SIMILARITY,
    COMPACTNESS,
    GLOBAL_COMPACTNESS,
    SR_CENTROID_COSINE,
    SR_COHESION,
    SR_SPREAD,
    SR_SPREAD_RATIO,
)
from pacl.studies.outcomes import Outcomes

PROPOSED, SUPCON, BCE = "patient-aware", "supcon", "bce"
THREE = (PROPOSED, SUPCON, BCE)


def geometry_claims(outcomes: Outcomes) -> list[Claim]:
    """All claims about geometry."""
    return [
        order_claim(
            outcomes,
            SR_COHESION,
            THREE,
            key="sr-cohesion-order",
            section="3.1",
            text="Sinus rhythm is most cohesive within a patient under the proposed objective, "
            "then SupCon, then BCE.",
            paper="0.850 > 0.800 > 0.772",
        ),
        _several(
            outcomes,
            [compare(outcomes, PROPOSED, other, SR_COHESION) for other in (SUPCON, BCE)],
            f"SR cohesion {means_of(outcomes, SR_COHESION, THREE)}",
            key="sr-most-cohesive",
            section="3.1",
            text="Sinus rhythm is most cohesive within a patient under the proposed objective.",
            paper="0.850, against 0.800 and 0.772",
        ),
        _several(
            outcomes,
            [compare(outcomes, other, BCE, SR_COHESION) for other in (PROPOSED, SUPCON)],
            f"SR cohesion {means_of(outcomes, SR_COHESION, THREE)}",
            key="bce-least-cohesive",
            section="abstract",
            text="Patients' sinus rhythm is most disordered under BCE.",
            paper="0.772, against 0.850 and 0.800",
        ),
        _several(
            outcomes,
            [compare(outcomes, SUPCON, other, AF_COHESION) for other in (PROPOSED, BCE)],
            f"AF cohesion {means_of(outcomes, AF_COHESION, THREE)}",
            key="supcon-tightest-af",
            section="3.1",
            text="SupCon has the tightest AF.",
            paper="0.921, beside 0.955 for BCE in the same table",
        ),
        order_claim(
            outcomes,
            AF_COHESION,
            (BCE, SUPCON, PROPOSED),
            key="af-cohesion-order",
            section="3.1",
            text="AF is most cohesive under BCE, then SupCon, then the proposed objective.",
            paper="0.955 > 0.921 > 0.846",
        ),
        _supcon_trade(outcomes),
        _separation(outcomes),
        _compactness(outcomes),
        _bold(outcomes),
        _drift(outcomes),
        _apart(outcomes),
    ]


def _several(
    outcomes: Outcomes,
    steps: list[Difference],
    ours: str,
    *,
    key: str,
    section: str,
    text: str,
    paper: str,
) -> Claim:
    return Claim(
        key=key,
        section=section,
        text=text,
        paper=paper,
        ours=ours,
        verdict=all_of([step.verdict for step in steps]),
        reason=reasons(steps),
        cohort=outcomes.title,
    )


def _supcon_trade(outcomes: Outcomes) -> Claim:
    steps = [
        compare(outcomes, SUPCON, PROPOSED, AF_COHESION),
        compare(outcomes, PROPOSED, SUPCON, SR_COHESION),
    ]
    return _several(
        outcomes,
        steps,
        f"AF {means_of(outcomes, AF_COHESION, (SUPCON, PROPOSED))}; "
        f"SR {means_of(outcomes, SR_COHESION, (SUPCON, PROPOSED))}",
        key="supcon-trade",
        section="3.1",
        text="SupCon makes AF tighter than the proposed objective does, at the cost of sinus "
        "rhythm.",
        paper="AF 0.921 against 0.846, SR 0.800 against 0.850",
    )


def _separation(outcomes: Outcomes) -> Claim:
    steps = [
        step
        for other in (PROPOSED, SUPCON)
        for step in (
            compare(outcomes, BCE, other, CENTROID_DISTANCE),
            compare(outcomes, other, BCE, CENTROID_SIMILARITY),
            compare(outcomes, BCE, other, GLOBAL_COMPACTNESS),
        )
    ]
    return _several(
        outcomes,
        steps,
        f"distance {means_of(outcomes, CENTROID_DISTANCE, THREE)}; "
        f"similarity {means_of(outcomes, CENTROID_SIMILARITY, THREE)}; "
        f"compactness {means_of(outcomes, GLOBAL_COMPACTNESS, THREE)}",
        key="bce-separates",
        section="3.1",
        text="BCE separates the two classes most clearly over all patients: centroids farthest "
        "apart, least similar, highest global compactness.",
        paper="distance 1.603, similarity -0.717, compactness 2.427, each the best of three",
    )


def _compactness(outcomes: Outcomes) -> Claim:
    steps = [compare(outcomes, BCE, other, COMPACTNESS) for other in (PROPOSED, SUPCON)]
    steps += [
        compare(outcomes, other, BCE, spread)
        for other in (PROPOSED, SUPCON)
        for spread in (SR_SPREAD, AF_SPREAD)
    ]
    return _several(
        outcomes,
        steps,
        f"compactness {means_of(outcomes, COMPACTNESS, THREE)}; "
        f"SR spread {means_of(outcomes, SR_SPREAD, THREE)}; "
        f"AF spread {means_of(outcomes, AF_SPREAD, THREE)}",
        key="bce-compactness",
        section="3.1",
        text="BCE has the highest compactness per patient, because the spread of each class within "
        "a patient is smallest.",
        paper="compactness 6.396 against 3.273 and 2.178; spreads are not printed",
    )


def _bold(outcomes: Outcomes) -> Claim:
    return _several(
        outcomes,
        [compare(outcomes, PROPOSED, other, COMPACTNESS) for other in (SUPCON, BCE)],
        means_of(outcomes, COMPACTNESS, THREE),
        key="compactness-marked-best",
        section="Table 1",
        text="The proposed objective has the best compactness per patient, as in bold print.",
        paper="3.273 in bold, beside 6.396 for BCE",
    )


def _drift(outcomes: Outcomes) -> Claim:
    return order_claim(
        outcomes,
        SR_CENTROID_COSINE,
        (PROPOSED, BCE),
        key="bce-drift",
        section="3.1",
        text="Under BCE the places of patients' sinus rhythm drift from one patient to the next, "
        "more than under the proposed objective.",
        paper="stated without a figure",
    )


def _apart(outcomes: Outcomes) -> Claim:
    return order_claim(
        outcomes,
        SR_SPREAD_RATIO,
        (PROPOSED, SUPCON),
        key="patients-apart",
        section="4",
        text="Under the proposed objective patients' clusters stay spread over the sphere, where "
        "SupCon pulls them into one.",
        paper="stated without a figure; the objective ignores pairs of one class and two patients",
    )
