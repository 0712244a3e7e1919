"""Which files of a folder are WFDB records, and which belong to one."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pacl.printable import on_one_line
from pacl.records.content import listing, read_bytes
from pacl.records.errors import FormatError, LayoutError
from pacl.records.header import MAX_HEADER_BYTES, segment_names
from pacl.records.text import TEXT_ENDINGS, why_unread
from pacl.records.tree import ending, is_usable, list_files, without_ending

_LISTS = re.compile(r"RECORDS\S*|ANNOTATORS|DBS|(SHA256SUMS|MD5SUMS)(\.txt)?")
OTHER_TEXT = set(TEXT_ENDINGS) - {".dat"}
"""Text beside a header that is no part of its record; a .dat is its signal."""


@dataclass(frozen=True, slots=True)
class WfdbFiles:
    """Records below a folder by name, and files that are no part of one with the reason.

    `stems` has the path of each record without ending. A name that cannot be shown is escaped.
    """

    root: Path
    stems: Mapping[str, Path]
    unread: Mapping[str, str] = field(default_factory=dict)


def check_ending(given: str | None, flag: str, where: Path | str) -> str | None:
    """An annotator's ending without its dot; only a plain word is one."""
    if given is None:
        return None
    word = given.removeprefix(".")
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,20}", word):
        raise LayoutError(
            where,
            f"{flag} {given!r} is no ending of a file",
            f"give the letters behind the dot, such as {flag} atr",
        )
    return word


def find_records(root: Path, endings: tuple[str, ...]) -> WfdbFiles:
    """Find one record, or all below a folder, by their headers and annotation files."""
    with listing(root):
        if root.is_dir():
            tree = list_files(root)
            records, unread = records_among(
                tree.files,
                endings,
                lambda name: read_bytes(root / f"{name}.hea", MAX_HEADER_BYTES),
            )
            if records:
                odd_last = sorted(
                    records, key=is_usable, reverse=True
                )  # so that none is lost silently
                found = {on_one_line(name): root / name for name in odd_last}
                return WfdbFiles(root, dict(sorted(found.items())), {**unread, **tree.left_out})
        else:
            known = root.suffix[1:] in (*endings, "dat") and root.exists()
            name = root.stem if known else root.name
            if known or any(root.with_name(f"{name}.{kind}").exists() for kind in endings):
                if not is_usable(name) or not name.strip("."):
                    raise LayoutError(root, f"{name!r} is no name of a record", "rename its files")
                return WfdbFiles(root.parent, {name: root.with_name(name)})
    raise LayoutError(
        root,
        f"no WFDB record, looked for {', '.join('.' + kind for kind in endings)}",
        "give a folder of records, or one record's path without ending",
    )


def records_among(
    names: Collection[str], endings: tuple[str, ...], header: Callable[[str], bytes]
) -> tuple[set[str], dict[str, str]]:
    """Records among files, without ending, and the files that are no part of one with the reason.

    `header` reads the header of a record, and raises `FormatError` where it cannot be read.
    """
    named = _by_ending(names, endings)
    annotated = set().union(*(named[kind] for kind in endings if kind != "hea"))
    bare = named["hea"] - annotated
    records = annotated | (bare - _segments(bare, named["hea"], header))
    stems = annotated | named["hea"]
    return records, {name: why_unread(name) for name in names if not _belongs(name, stems)}


def _by_ending(names: Iterable[str], endings: tuple[str, ...]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {kind: set() for kind in endings}
    for name in names:
        kind = name.rpartition(".")[2]
        if kind in found:
            found[kind].add(without_ending(name))
    return found


def _belongs(name: str, stems: set[str]) -> bool:
    """Whether a file is a record's own, such as its signals, or a list of the data set."""
    if _LISTS.fullmatch(name.rpartition("/")[2]):
        return True
    return without_ending(name) in stems and ending(name) not in OTHER_TEXT


def _segments(bare: set[str], headers: set[str], content: Callable[[str], bytes]) -> set[str]:
    """Headers that are no record but a part of one: those of folders with a multi-segment header.

    The annotations of such a record are beside its master header, `name/segments ...`.
    """
    found: set[str] = set()
    places = {name.rpartition("/")[0] for name in bare}
    for header in headers:
        place, slash, _ = header.rpartition("/")
        if place in places:
            try:
                names = segment_names(content(header))
            except FormatError:
                continue  # reading the record reports what is wrong
            found |= {f"{place}{slash}{name}" for name in names}
    return found
