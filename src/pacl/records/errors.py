"""Errors of recordings on disk."""

from collections.abc import Sequence
from pathlib import Path

from pacl.errors import PaclError
from pacl.printable import on_one_line


class RecordError(PaclError):
    """A recording that cannot be read; names the file or record, the fault and the remedy."""

    def __init__(self, where: Path | str, what: str, remedy: str) -> None:
        super().__init__(on_one_line(f"{where}: {what}; {remedy}"))
        self.where = where
        self.what = what
        self.remedy = remedy


class FormatError(RecordError):
    """The bytes do not fit the format: truncated, empty, corrupted, of another kind."""


class ValueRangeError(RecordError):
    """Impossible RR intervals: NaN, infinite, negative, or in another unit."""


class RhythmError(RecordError):
    """Rhythm labels that do not fit the beats: beyond the end, overlapping, unknown."""


class ManifestError(RecordError):
    """A `cohort.toml` that cannot be used; names all problems with their keys and remedies."""

    def __init__(self, where: Path | str, problems: Sequence[str]) -> None:
        *others, last = problems
        what, _, remedy = last.rpartition("; ")
        super().__init__(where, "; ".join([*others, what]), remedy)


class LayoutError(RecordError):
    """A folder that does not fit its layout: files or rows missing or doubled."""


class RemoteError(RecordError):
    """Files at an address that cannot be listed or copied; names the address without passwords."""


class MissingError(RemoteError):
    """There is nothing at an address."""
