"""`SubjectBaseline`: what a classifier has learned of one subject, small enough to keep as JSON."""

import math
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from typing import Any

from pacl.adaptation import AdaptationError, Posterior
from pacl.stored import MisfitError, build

Label = bool | int | float | str
"""A class label as JSON has it."""


@dataclass(frozen=True, slots=True)
class SubjectBaseline:
    """Where one subject's reference class lies, and how many windows said so; it holds no windows.

    Parameters
    ----------
    reference
        Label of the reference class.
    classes
        Labels of all classes, sorted.
    posterior
        What is known of the subject, on the axis of log odds of all other classes together.
    windows
        Windows that were known to be of the reference class.
    unlabelled, sure
        Windows of unknown class, and those of them that are surely of the reference class.
    """

    reference: Label
    classes: tuple[Label, ...]
    posterior: Posterior
    windows: int = 0
    unlabelled: int = 0
    sure: int = 0

    def __post_init__(self) -> None:
        own = self.posterior
        apart = min(own.target_place - own.place, own.target - own.reference)
        if not all(map(math.isfinite, astuple(own))) or apart <= 0:
            raise AdaptationError(
                f"{own}; give finite places, those of the target above those of the reference"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stated: Mapping[str, Any]) -> "SubjectBaseline":
        """The baseline that `to_dict` wrote."""
        try:
            found: SubjectBaseline = build(cls, dict(stated))
            return found
        except (MisfitError, OverflowError, TypeError, ValueError) as error:
            raise AdaptationError(f"not a baseline of a subject: {error}") from error
