"""What marks by hand changed in a result."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacl.detect.mark import Mark

if TYPE_CHECKING:
    from pacl.detect.detection import Detection


@dataclass(frozen=True, eq=False, slots=True)
class EditsResult:
    """What marks by hand changed.

    Parameters
    ----------
    given
        How many marks were given.
    marks
        What they come to: in order of time, none over another.
    without
        The result without them, with the profile that the detector had.
    learned
        Whether the person's profile was continued with them.
    notices
        Marks that could not be learned from, and why.
    """

    given: int
    marks: tuple[Mark, ...]
    without: "Detection"
    learned: bool = False
    notices: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "given": self.given,
            "marks": [
                {
                    "kind": one.kind,
                    "start_s": round(one.start_s, 3),
                    "end_s": round(one.end_s, 3),
                }
                for one in self.marks
            ],
            "learned": self.learned,
            "notices": list(self.notices),
            "without": {
                "verdict": self.without.verdict,
                "af_burden": self.without.af_burden,
            },
        }
