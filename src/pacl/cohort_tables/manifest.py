"""What is written about the tables of a cohort: what they are of, and which parts are complete."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypedDict

FORMAT = "pacl cohort tables 1"
PACKAGES = ("numpy", "onnxruntime", "pyarrow", "scipy")
"""Their versions may change the last digits, or the bytes of a file."""


class PartTable(TypedDict):
    """The file of one table in one part."""

    rows: int
    sha256: str


class PartMark(TypedDict):
    """What is kept of a part that is complete.

    `files` is a digest of names, sizes and times of the files that it was made of.
    """

    recordings: int
    files: str
    failed: int
    tables: dict[str, PartTable]


class Manifest(TypedDict):
    """The content of `manifest.json`, besides its format."""

    command: str
    pacl: str
    versions: dict[str, str | None]
    settings: dict[str, Any]
    recordings: int
    recordings_digest: str
    left_out: list[str]
    per_part: int
    complete: bool
    failed: int
    tables: dict[str, int]
    parts: list[PartMark]


IDENTITY = ("command", "pacl", "versions", "settings", "recordings", "recordings_digest")
"""What must be the same when the same folder is continued."""


def versions() -> dict[str, str | None]:
    """Versions of Python and of the packages that rows depend on."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found
