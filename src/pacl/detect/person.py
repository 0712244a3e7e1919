"""A person's profile: what was learned of one person, as a small file. No recording is in it.

```
{"format": "pacl person 1",
 "weights": "af-beats", "networks": "5f1c...",    the weights it belongs to
 "recordings": [...],                             how much of each was used, by digest
 "evidence": {"look-ahead": {...}, "causal": {...}}}
```
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
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
from pacl.detect.judge import Mode
from pacl.detect.not_judged import DetectError
from pacl.detect.sinus_rhythm import DayToDay, SinusRhythm
from pacl.stored import Between, MisfitError, Several, build, read_json

PERSON_FORMAT = "pacl person 1"
MOST_CORRECTIONS = 1000
DIGITS = 6

Amount = Annotated[float, Between(0, 1e9)]
Corrections = Annotated[tuple[Correction, ...], Several(0, MOST_CORRECTIONS)]


@dataclass(frozen=True, slots=True)
class PersonPrior:
    """How people differ, and how one person differs from day to day, for one mode of a detector."""

    subject: SubjectPrior
    day_to_day: DayToDay


@dataclass(frozen=True, slots=True)
class LearnedRecording:
    """A recording that a profile was learned from, and what was used of it.

    Parameters
    ----------
    digest
        SHA-256 of its intervals in whole ms.
    started, added
        Date and time of its start, if it has a clock, and of when it was added.
    step_ms
        The usual step between its intervals, which depends on the device; 0 where it is not known.
    sinus_min, wearing_min, corrections
        How much was used: minutes of known sinus rhythm and of unlabelled wearing, and corrections.
    marks
        Stretches that were marked, in seconds from the start: so that none counts twice.
    """

    digest: str
    started: str | None
    added: str
    step_ms: Amount
    sinus_min: Amount = 0.0
    wearing_min: Amount = 0.0
    corrections: Annotated[int, Between(0, MOST_CORRECTIONS)] = 0
    marks: tuple[tuple[float, ...], ...] = ()

    @property
    def when(self) -> datetime:
        """When it was recorded; without a clock, when it was added."""
        return datetime.fromisoformat(self.started or self.added)


@dataclass(frozen=True, slots=True)
class PersonEvidence:
    """All evidence of one person in one mode.

    `sinus` is known sinus rhythm, `wearing` is unlabelled. `baseline` describes the sinus rhythm of
    both.
    """

    sinus: Evidence = Evidence()
    wearing: Unlabelled = Unlabelled()
    corrections: Corrections = ()
    baseline: SinusRhythm = SinusRhythm()

    def posterior(self, prior: PersonPrior) -> Posterior:
        """Where this person's sinus rhythm lies, and where their AF begins."""
        return posterior(
            prior.subject, self.sinus, unlabelled=self.wearing, corrections=self.corrections
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it can be used."""
        return not (self.sinus.amount or self.wearing.usable or self.corrections)


@dataclass(frozen=True, slots=True)
class Person:
    """What was learned of one person.

    Parameters
    ----------
    weights, networks
        Name and digest of the weights that it belongs to.
    recordings
        The recordings it was learned from.
    evidence
        The evidence for each mode.
    """

    weights: str
    networks: str
    recordings: tuple[LearnedRecording, ...] = ()
    evidence: Mapping[Mode, PersonEvidence] = field(default_factory=dict)

    def of(self, mode: Mode) -> PersonEvidence:
        """The evidence for a mode."""
        return self.evidence.get(mode, PersonEvidence())

    def check_weights(self, name: str, networks: str) -> None:
        """Refuse other weights than those it was learned with."""
        if self.networks != networks:
            raise DetectError(
                f"this profile was learned with other weights ({self.weights}, networks "
                f"{self.networks[:8]}) than {name} ({networks[:8]}): their log odds cannot be "
                "compared; learn it again with pacl adapt"
            )

    def to_json(self) -> str:
        """The content of the file."""
        return json.dumps(_rounded({"format": PERSON_FORMAT, **asdict(self)}), indent=1) + "\n"

    @classmethod
    def read(cls, path: str | Path) -> "Person":
        """Read a profile that `pacl adapt` wrote."""
        path = Path(path)
        stated: dict[str, Any] = dict(
            read_json(path, _Stated, no_profile, written_as=PERSON_FORMAT)
        )
        del stated["format"]
        try:
            found: Person = build(cls, stated)
            _check(found)
        except (MisfitError, AdaptationError, TypeError, ValueError) as error:
            raise no_profile(path, str(error)) from error
        return found


def no_profile(path: Path, what: str) -> DetectError:
    """The error for a file that is not a profile."""
    return DetectError(
        f"{path}: no profile of a person ({what}); give a file that pacl adapt wrote"
    )


def _rounded(value: Any) -> Any:
    """Plain values with few digits, to be read by people."""
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return round(value, DIGITS) if isinstance(value, float) else value


class _Stated(TypedDict):
    """The content of the file; `build` checks the rest."""

    weights: str
    evidence: NotRequired[dict[str, Any]]


def _check(person: Person) -> None:
    """Refuse values of the right type that make no sense."""
    for recording in person.recordings:
        _ = recording.when  # a ValueError where it is no date
        if any(len(one) != 2 for one in recording.marks):
            raise MisfitError("a mark has a start and an end", "recordings")
    for mode, one in person.evidence.items():
        if mode not in ("look-ahead", "causal"):
            raise MisfitError(f"mode {mode!r}, expected look-ahead or causal", "evidence")
        worn, baseline = one.wearing, one.baseline
        ranges = {
            "sinus.mean": (one.sinus.mean, (-LIMIT, LIMIT)),
            "wearing.sure.mean": (worn.sure.mean, (-LIMIT, 0.0)),
            "wearing.sure.amount": (worn.sure.amount, (0.0, worn.amount * (1 + 1e-6))),
            "baseline.minutes": (baseline.minutes, (0.0, 1e9)),
            "baseline.log_rr": (baseline.log_rr, (0.0, 10.0)),
            "baseline.log_variation": (baseline.log_variation, (-10.0, 5.0)),
            "baseline.log_odds": (baseline.log_odds, (-LIMIT, LIMIT)),
            **{
                f"corrections.{at}.log_odds": (each.log_odds, (-1e3, 1e3))
                for at, each in enumerate(one.corrections)
            },
        }
        for name, (value, (low, high)) in ranges.items():
            if not low <= value <= high:
                raise MisfitError(
                    f"{value:g}, expected {low:g} to {high:g}", "evidence", mode, name
                )
