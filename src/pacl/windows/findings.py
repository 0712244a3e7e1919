"""What an audit finds, and what is done with it."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from pacl.windows.errors import LeakError, WindowSetError

Severity = Literal["leak", "fault", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

SHOWN = 5
"""Number of subjects or records at fault that a line names."""


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


def by_severity(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Leaks, then faults, then notes."""
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def changed(names: Iterable[str]) -> tuple[Finding, ...]:
    """A fault for each file that is not as it was written."""
    return tuple(
        Finding("changed-file", "fault", name, f"{name} is not the file that was written")
        for name in names
    )


def accepted(
    findings: Sequence[Finding], allow: Sequence[str], kinds: Sequence[str], where: str
) -> dict[str, Any]:
    """The entries of a manifest about findings; refuses what is serious and not allowed by name.

    `kinds` are those that the audit knows.
    """
    if unknown := sorted(set(allow) - set(kinds)):
        raise WindowSetError(
            where, f"no such kind of finding: {', '.join(unknown)}", f"use {', '.join(kinds)}"
        )
    refused = [finding for finding in findings if finding.serious and finding.kind not in allow]
    if refused:
        lines = "\n".join(f"  {finding}" for finding in refused)
        flags = " ".join(f"--allow {kind}" for kind in dict.fromkeys(f.kind for f in refused))
        raise LeakError(
            "nothing was written, the set would not be safe; correct the cause, or write it "
            f"marked as unsafe with {flags}:\n{lines}"
        )
    return {
        "allowed": sorted({finding.kind for finding in findings if finding.serious}),
        "findings": [asdict(finding) for finding in findings],
    }


def some(names: Sequence[str]) -> str:
    """The first few names."""
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
