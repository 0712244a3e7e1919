"""All claims of the paper, tried on one cohort."""

from dataclasses import replace

from pacl.evaluation import FEWEST_PATIENTS
from pacl.studies.claims.claim import Claim
from pacl.studies.claims.cohesion_claim import cohesion_claim
from pacl.studies.claims.detection import detection_claims
from pacl.studies.claims.geometry import THREE, geometry_claims
from pacl.studies.outcomes import Outcomes


def check_claims(outcomes: Outcomes) -> tuple[Claim, ...]:
    """Try every claim; none where the study lacks one of the paper's three losses."""
    if not set(THREE) <= set(outcomes.losses):
        return ()
    claims = (*geometry_claims(outcomes), *detection_claims(outcomes), cohesion_claim(outcomes))
    if len(outcomes.patients) >= FEWEST_PATIENTS:
        return claims
    few = f"{len(outcomes.patients)} patients are too few to decide any claim. "
    return tuple(
        replace(claim, verdict="cannot be told", reason=few + claim.reason) for claim in claims
    )
