"""The format of windows of any signal: how such folders are opened, audited and divided."""

from pathlib import Path

from pacl.windows.audit import audit_arrays
from pacl.windows.findings import Finding, changed
from pacl.windows.folder import changed_files
from pacl.windows.manifest import FORMAT, LABELS_FILE, X_FILE, files_of
from pacl.windows.stored_format import StoredFormat
from pacl.windows.window_set import WindowSet, write_audited


def audit_folder(path: Path | str) -> tuple[Finding, ...]:
    """Audit a set on disk, and whether its files are unchanged."""
    path = Path(path)
    windows = WindowSet.open(path, verify=False)
    files = changed_files(path, windows.manifest, files_of(windows.manifest))
    return (*changed(files), *audit_arrays(windows, windows.manifest))


ARRAY_FORMAT: StoredFormat[WindowSet] = StoredFormat(
    name=FORMAT,
    open=WindowSet.open,
    audit=audit_folder,
    write_audited=write_audited,
    signal=(X_FILE, LABELS_FILE),
    columns=("start", "label"),
)
