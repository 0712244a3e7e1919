"""The files below a folder, to a bounded depth; what cannot be listed is set apart."""

import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pacl.printable import on_one_line
from pacl.records.errors import LayoutError

MANIFEST = "cohort.toml"
"""A file of this name describes its folder: it is no part of the recordings."""

EDITS_ENDING = ".edits.jsonl"
"""A file that ends so holds marks by hand for the recording beside it: it is none itself."""

MAX_LEVELS = 8
"""Folders within folders that are searched."""

MAX_ENTRIES = 500_000
"""Above this a folder is a disk, not a folder of recordings."""

_NAMED = 3
_REASON_CHARS = 200
_LINES = 20


@dataclass(frozen=True, slots=True)
class Tree:
    """Names below a folder, relative to it, with `/` between folders.

    A manifest at the top and files of marks by hand are not among them. A file or folder may have
    a name that cannot be shown, see `is_usable`. `left_out` gives the reason for each name whose
    content is not among `files`.
    """

    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def list_files(root: Path) -> Tree:
    """List a folder. A pipe or device counts as a file, so that reading it is refused by name.

    Linked folders are not followed: a link may lead back to its own folder.
    """
    tree = Tree()
    entries = 0
    waiting = [""]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(root / place) as found:
                for entry in found:
                    entries += 1
                    if entries > MAX_ENTRIES:
                        raise LayoutError(
                            root,
                            f"more than {MAX_ENTRIES:,} files and folders below it",
                            "give the folder of the recordings",
                        )
                    name = f"{place}/{entry.name}".lstrip("/")
                    try:
                        _sort_in(tree, entry, name, waiting)
                    except OSError as error:  # a link that leads to itself
                        tree.left_out[name] = f"cannot be opened ({error.strerror or error})"
        except OSError as error:
            if not place:
                raise
            reason = error.strerror or str(error)
            tree.left_out[place] = f"a folder that cannot be listed ({reason})"
    tree.files.sort()
    tree.folders.sort()
    return tree


def _sort_in(tree: Tree, entry: os.DirEntry[str], name: str, waiting: list[str]) -> None:
    if entry.name.startswith("."):
        tree.left_out[name] = "hidden"
    elif not entry.is_dir():
        if name != MANIFEST and not entry.name.endswith(EDITS_ENDING):
            tree.files.append(name)
    else:
        if is_usable(name):
            tree.folders.append(name)
        if entry.is_symlink():
            tree.left_out[name] = "a link to a folder, which is not followed: give its own path"
        elif name.count("/") + 1 >= MAX_LEVELS:
            tree.left_out[name] = f"a folder more than {MAX_LEVELS - 1} levels down"
        else:
            waiting.append(name)


def is_usable(name: str) -> bool:
    """Whether a name can be printed and written: UTF-8, one line, no command to the terminal."""
    return on_one_line(name) == name


def check_usable(path: Path) -> None:
    """Refuse a recording whose own name, or that of a folder above it, cannot be shown."""
    if not is_usable(str(path)):
        raise LayoutError(
            path, "its name has characters that cannot be shown", "rename the file or folder"
        )


def without_ending(name: str) -> str:
    """A path below a folder without the ending of its file."""
    place, slash, file = name.rpartition("/")
    stem = file.rpartition(".")[0] or file
    return f"{place}{slash}{stem}"


def ending(name: str) -> str:
    """The ending of a file with its dot, in lower case; empty where it has none."""
    _, dot, last = name.rpartition("/")[2].rpartition(".")
    return f"{dot}{last}".lower() if dot else ""


def left_out_lines(left_out: Mapping[str, str]) -> tuple[str, ...]:
    """One line for each reason, with the first names that have it."""
    names = defaultdict(list)
    for name, reason in sorted(left_out.items()):
        names[on_one_line(reason)[:_REASON_CHARS]].append(on_one_line(name))
    lines = []
    for reason, those in names.items():
        more = f" and {len(those) - _NAMED:,} more" if len(those) > _NAMED else ""
        lines.append(f"{', '.join(those[:_NAMED])}{more} ({reason})")
    if len(lines) > _LINES:
        rest = sum(map(len, list(names.values())[_LINES:]))
        lines[_LINES:] = [f"{rest:,} more for other reasons"]
    return tuple(lines)
