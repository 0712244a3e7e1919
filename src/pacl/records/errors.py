"""What can be wrong with a recording on disk."""

import re
from collections.abc import Sequence
from pathlib import Path

from pacl.errors import PaclError

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line ends, and bytes of names that are no UTF-8."""


def printable(text: str) -> str:
    """Text on one line that any terminal and file takes: what is none of that is escaped."""
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


class RecordError(PaclError):
    """A recording that cannot be read as it is; names the file and the remedy.

    Parameters
    ----------
    where
        The file, folder or record at fault.
    what
        What was expected and what came.
    remedy
        What to do about it.
    """

    def __init__(self, where: Path | str, what: str, remedy: str) -> None:
        super().__init__(printable(f"{where}: {what}; {remedy}"))
        self.where = where
        self.what = what
        self.remedy = remedy


class FormatError(RecordError):
    """The bytes are not what the format says: truncated, empty, corrupted, of another kind."""


class ValueRangeError(RecordError):
    """RR intervals that cannot be: NaN, infinite, negative, or in another unit."""


class RhythmError(RecordError):
    """Rhythm labels that do not fit the beats: beyond the end, overlapping, unknown."""


class ManifestError(RecordError):
    """A `cohort.toml` that cannot be used; names every problem with its key and remedy."""

    def __init__(self, where: Path | str, problems: Sequence[str]) -> None:
        *others, last = problems
        what, _, remedy = last.rpartition("; ")
        super().__init__(where, "; ".join([*others, what]), remedy)


class LayoutError(RecordError):
    """A folder that does not hold what its layout promises: files or rows missing or doubled."""
