"""`SubjectBaseline`: what a classifier has learned of one subject, small enough to keep as JSON."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, NotRequired, TypedDict

from pacl.adaptation import (
    LIMIT,
    AdaptationError,
    Correction,
    Evidence,
    Posterior,
    SubjectPrior,
    Unlabelled,
    posterior,
)
from pacl.stored import Between, MisfitError, Several, build, fitted

MOST_CORRECTIONS = 1000
MOST_WINDOWS = 10**9
MOST_CLASSES = 10**6
DIGEST = 16
REMEDY = "give what to_dict wrote, or learn the subject again with adapt"

Label = bool | int | float | str
"""A class label as JSON has it."""


@dataclass(frozen=True, slots=True)
class SubjectBaseline:
    """The evidence of one subject, for one fitted classifier: sums and counts, no windows.

    `AdaptiveClassifier.adapt` adds to it. All log odds are those of the other classes together
    against the reference class, as the classifier states them without a subject.

    Parameters
    ----------
    reference
        Label of the reference class.
    classes
        Labels of all classes, sorted.
    classifier
        What identifies the fitted classifier, see `digest_of`.
    known
        Windows that were known to be of the reference class; its amount is their number.
    unlabelled
        Windows of unknown class: their number, and those that are surely of the reference class.
    corrections
        Windows that were called wrong; `target` is true for all classes but the reference class.
    """

    reference: Label
    classes: tuple[Label, ...]
    classifier: str
    known: Evidence = Evidence()
    unlabelled: Unlabelled = Unlabelled()
    corrections: tuple[Correction, ...] = ()

    def __post_init__(self) -> None:
        if (count := len(self.corrections)) > MOST_CORRECTIONS:
            raise AdaptationError(
                f"corrections: {count} windows, a baseline keeps at most {MOST_CORRECTIONS}; "
                "give fewer, or fit the classifier again with windows of this subject"
            )
        try:
            fitted(_Stated, asdict(self))
        except MisfitError as error:
            raise _no_baseline(str(error)) from error
        if self.reference not in self.classes:
            raise _no_baseline(
                f"reference: {self.reference!r}, expected one of {list(self.classes)}"
            )
        sure, amount = self.unlabelled.sure.amount, self.unlabelled.amount
        if sure > amount:
            raise _no_baseline(
                f"unlabelled.sure.amount: {sure:g}, expected at most the {amount:g} of "
                "unlabelled.amount"
            )

    def posterior(self, prior: SubjectPrior) -> Posterior:
        """Where the subject's classes lie, by the prior of the classifier it belongs to."""
        return posterior(
            prior, self.known, unlabelled=self.unlabelled, corrections=self.corrections
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stated: Mapping[str, Any]) -> "SubjectBaseline":
        """The baseline that `to_dict` wrote."""
        try:
            fitted(_Stated, stated)
            found: SubjectBaseline = build(cls, dict(stated))
            return found
        except OverflowError as error:
            raise _no_baseline("known, unlabelled or corrections: a number too large") from error
        except (MisfitError, TypeError, ValueError) as error:
            raise _no_baseline(str(error)) from error


def digest_of(prior: SubjectPrior) -> str:
    """What identifies a fitted classifier: where the classes lie in the subjects of its fit."""
    places = (prior.reference, prior.reference_sd, prior.target, prior.target_sd, prior.subjects)
    return hashlib.sha256(json.dumps(places).encode()).hexdigest()[:DIGEST]


def _no_baseline(what: str) -> AdaptationError:
    return AdaptationError(f"not a baseline of a subject: {what}; {REMEDY}")


Amount = Annotated[float, Between(0, MOST_WINDOWS)]
LogOdds = Annotated[float, Between(-LIMIT, LIMIT)]


class _Sum(TypedDict):
    """`Evidence` with its ranges."""

    amount: Amount
    mean: LogOdds


class _Seen(TypedDict):
    """`Unlabelled` with its ranges."""

    amount: Amount
    sure: _Sum


class _Corrected(TypedDict):
    """`Correction` with its range."""

    target: bool
    log_odds: LogOdds


class _Stated(TypedDict):
    """The content of a baseline; names and ranges that a message can state."""

    reference: Label
    classes: Annotated[tuple[Label, ...], Several(2, MOST_CLASSES)]
    classifier: str
    known: NotRequired[_Sum]
    unlabelled: NotRequired[_Seen]
    corrections: NotRequired[Annotated[tuple[_Corrected, ...], Several(0, MOST_CORRECTIONS)]]
