"""Window sets of any format on disk: opened, audited and divided by what their manifest states."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pacl.axes import Array, UInt64
from pacl.rr import RR_FORMAT, RRWindowSet, fingerprints
from pacl.stored import read_json, shown
from pacl.windows import (
    ARRAY_FORMAT,
    MANIFEST,
    Finding,
    Prepared,
    Split,
    StoredFormat,
    WindowSet,
    no_window_set,
    record_prints,
    written_format,
)
from pacl.windows import divide_again as divide_again_as
from pacl.windows import divide_folds as divide_folds_as

AnyWindowSet = WindowSet | RRWindowSet

FORMATS: dict[str, StoredFormat[Any]] = {one.name: one for one in (RR_FORMAT, ARRAY_FORMAT)}
"""The formats that are known, by the name in the manifest."""


def is_window_set(path: Path | str) -> bool:
    """Whether a folder is a window set rather than recordings."""
    return written_format(Path(path)) in FORMATS


def format_of(path: Path | str) -> StoredFormat[Any]:
    """The format of the window set in a folder."""
    manifest = Path(path) / MANIFEST
    stated = read_json(manifest, dict[str, Any], no_window_set).get("format")
    if isinstance(stated, str) and stated in FORMATS:
        return FORMATS[stated]
    expected = " or ".join(map(repr, FORMATS))
    raise no_window_set(manifest, f"format {shown(stated)}, expected {expected}")


def open_windows(path: Path | str) -> AnyWindowSet:
    """Open a window set of any format; refuses one whose files changed.

    Examples
    --------
    >>> open_windows("windows").class_names
    ('SR', 'AF')
    """
    found: AnyWindowSet = format_of(path).open(Path(path))
    return found


def audit_folder(path: Path | str) -> tuple[Finding, ...]:
    """Audit a set on disk, and whether its files are unchanged."""
    return format_of(path).audit(Path(path))


def divide_again(
    source: Path | str, target: Path | str, split: Split, *, allow: Sequence[str] = ()
) -> Prepared:
    """Write a window set with other parts: the same signal, windows and labels.

    The signal is hard-linked where possible: five folds take the space of one. The result is
    audited before it is written.
    """
    return divide_again_as(format_of(source), source, target, split, allow=allow)


def divide_folds(
    source: Path | str, target: Path | str, *, folds: int, seed: int = 1, validation: bool = True
) -> dict[int, Path]:
    """Write a window set for each fold of subjects: `target/fold-0`, `target/fold-1`, ...

    Existing folds are kept, if they are folds of the same set.
    """
    return divide_folds_as(
        format_of(source), source, target, folds=folds, seed=seed, validation=validation
    )


def prints_of(windows: AnyWindowSet) -> dict[str, UInt64[Array, "print"]]:
    """The fingerprints of each record's windows, by which they are recognised in another set."""
    if isinstance(windows, RRWindowSet):
        return fingerprints(windows)
    return record_prints(windows)
