"""Which layout the files at a path have: by their names, else by their content."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from pacl.records.content import HEAD_BYTES, read_first_bytes
from pacl.records.ecg_reader import EDF_ENDINGS
from pacl.records.errors import FormatError, LayoutError
from pacl.records.exports import EXPORT_ENDINGS, recognise_export
from pacl.records.iridia_files import RECORD_FOLDER
from pacl.records.options import ReadOptions
from pacl.records.signals import looks_like_ecg_text, looks_like_edf
from pacl.records.text import TEXT_ENDINGS, text_files, why_unread
from pacl.records.tree import Tree, ending, left_out_lines, list_files, without_ending
from pacl.records.wfdb import BEAT_ANNOTATORS, SIGNAL

Layout = Literal["iridia", "wfdb", "text", "ecg", "export"]

Recognised: TypeAlias = Mapping[Layout, list[str] | None]
"""Files of each layout below a folder; none for a single recording, and where the reader looks."""

_IRIDIA_LEVELS = 3  # how far down record folders are looked for


def recognise(path: Path, options: ReadOptions) -> Recognised:
    """Layouts of the files at a path."""
    if path.is_dir():
        return _recognise_folder(path, options)
    wfdb = wfdb_endings(options)
    if path.suffix[1:] in wfdb or any(
        path.with_name(f"{path.name}.{kind}").exists() for kind in wfdb
    ):
        return {"wfdb": None}
    if path.suffix.lower() in {".h5", ".hdf5"}:
        raise LayoutError(
            path,
            "an HDF5 file is not a recording by itself",
            "give its record_NNN folder, or use pacl.records.read_processed for processed windows",
        )
    if path.suffix.lower() == ".dat" and path.with_suffix(".hea").exists():
        return {"wfdb": None}
    if not path.exists():
        raise LayoutError(path, "no such file or folder", "check the path")
    return {_by_content(path): None}


def _by_content(path: Path) -> Layout:
    """The layout of one file, by its first bytes; what cannot be read is reported as text."""
    try:
        return layout_of(read_first_bytes(path, HEAD_BYTES), path.name)
    except FormatError:
        return "text"


def layout_of(head: bytes, name: str) -> Layout:
    """The layout of one file that is no part of a WFDB record, by its first bytes."""
    if looks_like_edf(head):
        return "ecg"
    if recognise_export(head, name) is not None:
        return "export"
    return "ecg" if looks_like_ecg_text(head) else "text"


def _recognise_folder(path: Path, options: ReadOptions) -> Recognised:
    tree = list_files(path)
    patient_map = options.patients.resolve() if options.patients else None
    others = [name for name in tree.files if (path / name).resolve() != patient_map]
    return recognise_tree(path, tree, others, options, lambda name: _by_content(path / name))


def recognise_tree(
    path: Path | str,
    tree: Tree,
    others: Iterable[str],
    options: ReadOptions,
    by_content: Callable[[str], Layout],
) -> Recognised:
    """Layouts of the files of a folder; `others` are those that may be recordings by themselves.

    `by_content` looks into a file whose ending leaves its layout open.
    """
    iridia = any(re.fullmatch(r"record_[0-9].*_rr_.*\.h5", name) for name in tree.files) or any(
        RECORD_FOLDER.fullmatch(name.rpartition("/")[2]) and name.count("/") < _IRIDIA_LEVELS
        for name in tree.folders
    )
    endings = wfdb_endings(options)
    stems = {without_ending(name) for name in tree.files if name.rpartition(".")[2] in endings}
    if iridia and stems:
        raise LayoutError(
            path,
            "it holds both record_NNN folders of IRIDIA-AF and WFDB files",
            "choose with layout (--layout iridia or --layout wfdb)",
        )
    if iridia:
        return {"iridia": None}
    found: dict[Layout, list[str] | None] = {"wfdb": None} if stems else {}
    found |= _by_kind(others, stems, by_content)
    if not found:
        raise _nothing_found(path, tree)
    return found


def _by_kind(
    names: Iterable[str], stems: set[str], by_content: Callable[[str], Layout]
) -> dict[Layout, list[str] | None]:
    """Files beside WFDB records, by ending and content."""
    found: dict[Layout, list[str] | None] = {}
    names = list(names)
    texts = set(text_files(names))
    for name in names:
        kind = ending(name)
        layout: Layout = "text"
        if kind in EXPORT_ENDINGS or kind in EDF_ENDINGS:
            layout = by_content(name)
            if layout == "text" and name not in texts:
                continue
        elif name not in texts:
            continue
        elif not (kind == ".dat" and without_ending(name) in stems):
            layout = by_content(name)
        listed = found.setdefault(layout, [])
        if listed is not None:
            listed.append(name)
    return found


def _nothing_found(path: Path | str, tree: Tree) -> LayoutError:
    unread = {name: why_unread(name) for name in tree.files} | tree.left_out
    endings = ", ".join(sorted({*TEXT_ENDINGS, *EXPORT_ENDINGS, *EDF_ENDINGS}))
    return LayoutError(
        path,
        "no recording recognised: no record_NNN folders, no .hea, .atr or .qrs files, none that "
        f"ends in {endings}; found {'; '.join(left_out_lines(unread)) or 'no file'}",
        "for arrays of any signal give --layout arrays"
        if any(name.endswith(".npz") for name in tree.files)
        else "check the folder, or name its layout (--layout)",
    )


def wfdb_endings(options: ReadOptions) -> tuple[str, ...]:
    """Endings of headers and of annotations with beats."""
    named = (name.removeprefix(".") for name in (options.beats, options.rhythm) if name)
    return ("hea", *BEAT_ANNOTATORS, *(name for name in named if name != SIGNAL))
