"""Writing a window set only if it is safe, or marked for ever as not (2.1)."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from pacl.cohort import KINDS, Finding
from pacl.windows.audit import audit_windows
from pacl.windows.errors import LeakError, WindowSetError
from pacl.windows.store import WindowSet


def write_audited(windows: WindowSet, folder: Path, allow: Sequence[str]) -> tuple[Finding, ...]:
    """Audit a set, refuse it or mark what was allowed, and write its tables and manifest."""
    if unknown := sorted(set(allow) - set(KINDS)):
        raise WindowSetError(
            folder.name, f"no such kind of finding: {', '.join(unknown)}", f"use {', '.join(KINDS)}"
        )
    findings = audit_windows(windows)
    refused = [finding for finding in findings if finding.serious and finding.kind not in allow]
    if refused:
        lines = "\n".join(f"  {finding}" for finding in refused)
        flags = " ".join(f"--allow {kind}" for kind in dict.fromkeys(f.kind for f in refused))
        raise LeakError(
            "nothing was written, the set would not be safe; mend the cause, or write it all the "
            f"same, marked unsafe for ever, with {flags}:\n{lines}"
        )
    manifest = {
        **windows.manifest,
        "counts": windows.count(),
        "allowed": sorted({finding.kind for finding in findings if finding.serious}),
        "findings": [dataclasses.asdict(finding) for finding in findings],
    }
    dataclasses.replace(windows, manifest=manifest).write_tables(folder)
    return findings
