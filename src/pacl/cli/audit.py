"""`pacl audit`: leaks that would make results on a window set or a split invalid."""

import json
import sys
from dataclasses import asdict
from typing import Literal

from pacl.cli.messages import say
from pacl.cli.options import InputPath
from pacl.cohort import audit_split
from pacl.errors import PaclError
from pacl.window_sets import audit_folder


def audit(
    windows: InputPath | None = None,
    /,
    *,
    split: InputPath | None = None,
    metadata: InputPath | None = None,
    format: Literal["text", "json"] = "text",  # noqa: A002 - the option's name
) -> None:
    """Find leaks in a window set, or in an existing split.

    A line for each finding: a patient in two parts, windows of two parts sharing beats, scale beats
    inside windows, duplicate windows, labels across a change of rhythm, windows too near to AF,
    parts or patients without a class, files changed since they were written, and more. Windows of
    other signals are audited alike. Ends with status 1 if any of them makes results invalid.

    Parameters
    ----------
    windows
        A window set that `pacl prepare` wrote.
    split
        A split as JSON: {"train": ["record_000", ...], "validation": [...], "test": [...]}.
    metadata
        CSV with the patient of each record: record_id, patient_id.
    format
        text has a line for each finding; json has all of each.

    Examples
    --------
    $ pacl audit windows
    $ pacl audit windows --format json
    $ pacl audit --split split.json --metadata metadata.csv
    """
    if (windows is None) == (split is None) or (split is None) != (metadata is None):
        raise PaclError("give either a window set, or both --split and --metadata")
    if windows is not None:
        findings = audit_folder(windows)
    else:
        findings = audit_split(split or "", metadata or "")
    serious = any(finding.serious for finding in findings)
    if format == "json":
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        for finding in findings:
            say(finding)
        if not serious:
            print("no leak found")
    sys.exit(1 if serious else 0)
