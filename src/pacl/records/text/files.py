"""Which files of a folder are text recordings, and what each is called."""

import re
from collections.abc import Iterable
from pathlib import Path

from pacl.printable import on_one_line
from pacl.records.errors import LayoutError
from pacl.records.tree import MANIFEST, ending, without_ending

TEXT_ENDINGS = (".asc", ".csv", ".dat", ".hrm", ".ibi", ".rr", ".rri", ".sdf", ".tsv", ".txt")
"""Files that a folder is searched for."""

_DOCUMENT = re.compile(
    r"(readme|licen[cs]e)([-_.].*)?"
    r"|copying|notice|changelog|changes|authors|citation|requirements|records|annotators|index"
    r"|(sha\d*|md5|check)-?sums?",
    re.IGNORECASE,
)


def text_files(names: Iterable[str]) -> list[str]:
    """Names with an ending of text recordings, without documents such as README.txt."""
    return [name for name in names if ending(name) in TEXT_ENDINGS and not is_document(name)]


def is_document(name: str) -> bool:
    """Whether a file describes a data set: README.txt, LICENSE.txt, SHA256SUMS.txt."""
    return _DOCUMENT.fullmatch(without_ending(name).rpartition("/")[2]) is not None


def why_unread(name: str) -> str:
    """Why a file that is no part of a recording is left out."""
    if name.rpartition("/")[2] == MANIFEST:
        return "it describes its own folder: open that folder by itself"
    if is_document(name):
        return "a document, not a recording"
    kind = ending(name)
    return f"{kind} files are not read here" if kind else "files without ending are not read here"


def by_record(root: Path, names: Iterable[str]) -> dict[str, Path]:
    """File of each record: its path below the folder without ending is the record's name.

    A name that cannot be shown is escaped.
    """
    found: dict[str, str] = {}
    for name in names:
        record_id = on_one_line(without_ending(name))
        if record_id in found:
            raise LayoutError(
                root,
                f"{found[record_id]} and {name} would both be record {record_id!r}",
                "rename one of them",
            )
        found[record_id] = name
    if not found:
        raise LayoutError(
            root,
            f"no file that ends in {', '.join(TEXT_ENDINGS)}",
            "give a text file of RR intervals or a folder of them",
        )
    return {record_id: root / found[record_id] for record_id in sorted(found)}
