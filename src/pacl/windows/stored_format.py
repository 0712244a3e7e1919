"""How window sets of one format are opened, divided and written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from pacl.windows.findings import Finding
from pacl.windows.protocol import Rows
from pacl.windows.split import Split


@runtime_checkable
class StoredWindows(Protocol):
    """A window set that can be divided: what all formats have."""

    @property
    def class_names(self) -> tuple[str, ...]:
        """Name of each class by its number."""

    @property
    def table(self) -> Rows:
        """One row per window."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """How it was made."""

    def __len__(self) -> int: ...

    def divided(self, split: Split) -> Any:
        """The windows of those in a split, with their parts."""


W = TypeVar("W", bound=StoredWindows)


@dataclass(frozen=True, slots=True)
class StoredFormat(Generic[W]):
    """One format of window sets.

    Parameters
    ----------
    name
        As the manifest states it.
    open
        Opens a set; refuses changed files.
    audit
        Audits a folder.
    write_audited
        Audits a set and writes all but its signal into a folder that has the signal.
    signal
        Files that are the same however subjects are divided; one that a set lacks is left out.
    columns
        Columns that tell the windows of two sets with the same signal apart.
    """

    name: str
    open: Callable[[Path], W]
    audit: Callable[[Path], tuple[Finding, ...]]
    write_audited: Callable[[W, Path, Sequence[str]], tuple[Finding, ...]]
    signal: tuple[str, ...]
    columns: tuple[str, ...]
