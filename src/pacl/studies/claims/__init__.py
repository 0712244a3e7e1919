"""Every checkable sentence of the paper, and whether it holds."""

from pacl.studies.claims.check import check_claims
from pacl.studies.claims.claim import Claim, Verdict
from pacl.studies.claims.difference import Difference, compare

__all__ = ["Claim", "Difference", "Verdict", "check_claims", "compare"]
