"""Which files of a folder are text recordings, and what each is called."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from pacl.file_bytes import FileError, open_file
from pacl.printable import on_one_line
from pacl.records.errors import LayoutError
from pacl.records.kinds import HEAD_BYTES, describe_content
from pacl.records.tree import MANIFEST, ending, is_usable, list_files, without_ending

TEXT_ENDINGS = (".asc", ".csv", ".dat", ".hrm", ".ibi", ".rr", ".rri", ".sdf", ".tsv", ".txt")
"""Files that a folder is searched for."""

_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")
_EXPORTS = {
    ".fit": re.compile(rb"[\x0c\x0e].{7}\.FIT", re.DOTALL),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), _JSON),
    ".xml": re.compile(rb".*?<(?:!DOCTYPE )?HealthData", re.DOTALL),
    ".zip": re.compile(rb"PK"),
}
"""How the content of an export begins, by its ending."""
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
    return _not_read(name)


def _not_read(name: str) -> str:
    kind = ending(name)
    return f"{kind} files are not read here" if kind else "files without ending are not read here"


def why_unread_in(root: Path, name: str) -> str:
    """The same of a file below a folder; says what it is where it should be an export and is none.

    What is an export by its content has a better reason, which the reader of exports knows.
    """
    why = why_unread(name)
    begins = _EXPORTS.get(ending(name))
    if begins is None or why != _not_read(name):
        return why
    try:
        with open_file(root / name) as file:
            head = file.read(HEAD_BYTES)
    except (FileError, OSError, ValueError):
        return why
    kind = None if begins.match(head) else describe_content(head, name)
    return f"damaged, or no {ending(name)} file: it seems to be {kind.what}" if kind else why


def find_files(
    root: Path,
    only: Collection[str] | None,
    usual: Callable[[list[str]], list[str]],
    endings: Sequence[str],
) -> tuple[dict[str, Path], dict[str, str]]:
    """File of each record, and other files of the folder with the reason not to read them.

    Of a folder, `only` these files are taken, by default the `usual` ones; `endings` are for the
    message where there is none.
    """
    if not root.is_dir():
        if not root.exists():
            raise LayoutError(root, "no such file or folder", "check the path")
        if not is_usable(root.stem):
            raise LayoutError(root, f"{root.stem!r} is no name of a record", "rename the file")
        return {root.stem: root}, {}
    tree = list_files(root)
    taken = sorted(usual(tree.files) if only is None else only)
    unread = {name: why_unread_in(root, name) for name in set(tree.files).difference(taken)}
    if not taken:
        raise LayoutError(
            root,
            f"no file that ends in {', '.join(endings)}",
            "give a recording, or a folder of recordings",
        )
    return _by_record(root, taken), {**unread, **tree.left_out}


def _by_record(root: Path, names: Iterable[str]) -> dict[str, Path]:
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
    return {record_id: root / found[record_id] for record_id in sorted(found)}
