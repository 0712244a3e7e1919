"""All claims of the paper, tried on one cohort."""

from pacl.studies.claims.claim import Claim
from pacl.studies.claims.detection import detection_claims
from pacl.studies.claims.geometry import THREE, geometry_claims
from pacl.studies.claims.governs import governs_claim
from pacl.studies.outcomes import Outcomes


def check_claims(outcomes: Outcomes) -> tuple[Claim, ...]:
    """Try every claim; none where the study lacks one of the paper's three losses."""
    if not set(THREE) <= set(outcomes.losses):
        return ()
    return (*geometry_claims(outcomes), *detection_claims(outcomes), governs_claim(outcomes))
