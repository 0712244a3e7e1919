"""What an audit finds."""

from dataclasses import dataclass
from typing import Literal, get_args

Severity = Literal["leak", "fault", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of an audit: its kind, its subject, record or part, and the fault in one line.

    A `leak` makes results invalid, a `fault` makes them impossible, a `note` is information.
    """

    kind: str
    severity: Severity
    who: str
    what: str

    @property
    def serious(self) -> bool:
        """Whether a set with it should not be used."""
        return self.severity != "note"

    def __str__(self) -> str:
        return f"{self.severity}: {self.kind}: {self.what}"
