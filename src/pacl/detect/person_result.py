"""The result for one person, with and without their profile."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacl.adaptation import Posterior
from pacl.detect.judge import probability
from pacl.detect.person import PersonEvidence, PersonPrior
from pacl.detect.person_check import PersonCheck

if TYPE_CHECKING:
    from pacl.detect.detection import Detection


@dataclass(frozen=True, eq=False, slots=True)
class PersonResult:
    """What a profile changed.

    Parameters
    ----------
    own, prior, evidence
        Where the person's sinus rhythm lies, how people differ, and the evidence.
    check
        Whether the profile fits the recording.
    without, adapted
        The result without the profile, and with it.
    why_not
        Why the profile was not used; None where it was.
    """

    own: Posterior
    prior: PersonPrior
    evidence: PersonEvidence
    check: PersonCheck
    without: "Detection"
    adapted: "Detection"
    why_not: str | None

    @property
    def applied(self) -> bool:
        """Whether the result is the one with the profile."""
        return self.why_not is None

    @property
    def boundary(self) -> float:
        """The population's probability of AF from which on a beat is more likely AF than not."""
        return probability(self.own.boundary)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "applied": self.applied,
            "why_not": self.why_not,
            "notices": [
                {"kind": one.kind, "text": one.text, "sets_aside": one.sets_aside}
                for one in self.check.notices
            ],
            "evidence": {
                "sinus_min": round(self.evidence.sinus.amount, 3),
                "wearing_min": round(self.evidence.wearing.amount, 3),
                "wearing_used": self.evidence.wearing.usable,
                "corrections": len(self.evidence.corrections),
            },
            "sinus_log_odds": {
                "person": round(self.own.place, 4),
                "sd": round(self.own.place_sd, 4),
                "population": round(self.own.reference, 4),
            },
            "shift": round(self.own.shift, 4),
            "boundary": round(self.boundary, 4),
            "unlike": None if self.check.unlike is None else round(self.check.unlike, 3),
            "without_profile": _short(self.without),
            "with_profile": _short(self.adapted),
        }


def _short(found: "Detection") -> dict[str, Any]:
    stated = found.to_dict()
    return {name: stated[name] for name in ("verdict", "reason", "af_burden", "episodes")}
