"""The claims of the paper that data can test, and whether they hold."""

from pacl.studies.claims.check import check_claims
from pacl.studies.claims.claim import Claim, Verdict
from pacl.studies.claims.difference import Difference, compare

__all__ = ["Claim", "Difference", "Verdict", "check_claims", "compare"]
