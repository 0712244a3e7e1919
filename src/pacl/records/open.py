"""The right reader for a path."""

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from pacl.records.content import listing
from pacl.records.errors import LayoutError
from pacl.records.iridia import IridiaReader
from pacl.records.iridia_files import RECORD_FOLDER
from pacl.records.manifest import cohort_manifest
from pacl.records.manifest_reader import DeclaredReader
from pacl.records.mixed import MixedReader
from pacl.records.options import ReadOptions
from pacl.records.reader import Reader, read_patients
from pacl.records.readers import open_named, recognised_by_others
from pacl.records.rhythm import Rhythm
from pacl.records.text import TEXT_ENDINGS, TextOptions, TextReader, text_files, why_unread
from pacl.records.tree import check_usable, left_out_lines, list_files
from pacl.records.wfdb import BEAT_ANNOTATORS, WfdbReader

Layout = Literal["iridia", "wfdb", "text"]


_IRIDIA_LEVELS = 3  # how far down record folders are looked for

_TEXT = tuple(field.name for field in fields(TextOptions) if field.name != "rhythms")
_BELONGS: dict[str, tuple[str, ...]] = {
    "reader": (),
    "patients": ("wfdb", "text"),
    **dict.fromkeys(("flutter_is_af", "beats", "rhythm"), ("wfdb",)),
    **dict.fromkeys(_TEXT, ("text",)),
    **dict.fromkeys(("metadata", "partial"), ("iridia",)),
}
"""Layouts that an option is for."""


def open_records(path: Path | str, options: ReadOptions | None = None) -> Reader:
    """Open the recordings at `path`: a data set, a folder of records, or a single record.

    Of a folder, both WFDB records and text files are read; `left_out` of the reader names the files
    that are not. A `cohort.toml` in the folder, or at `path` itself, is applied, see
    `CohortManifest`; `options.patients` overrides its patients.

    Examples
    --------
    >>> reader = open_records("cohort")
    >>> record = reader.read(reader.record_ids[0])
    >>> record.patient_id
    'patient_000'
    """
    path = Path(path)
    options = options or ReadOptions()
    check_usable(path)
    manifest = cohort_manifest(path)
    if manifest is None:
        return _open(path, options)
    all_of_it = manifest.is_all(path)
    reader = _open(manifest.recordings if all_of_it else path, options)
    patients: dict[str, str] = {}
    if options.patients is None:
        patients = manifest.patients_of(reader.record_ids, all_there=all_of_it)
    return DeclaredReader(reader, manifest, patients)


def _open(path: Path, options: ReadOptions) -> Reader:
    """The reader of the files at a path."""
    if options.layout == "arrays":
        raise LayoutError(path, "arrays hold no beats", "cut them into windows with pacl prepare")
    named = next((one for one in get_args(Layout) if one == options.layout), None)
    if options.layout is not None and named is None:
        return _open_other(path, options, options.layout)
    layouts: tuple[Layout, ...]
    with listing(path):
        if named is None and (other := _known_to_others(path)):
            return _open_other(path, options, other)
        try:
            layouts, texts = ((named,), None) if named else _recognise(path, options)
        except LayoutError:
            if (other := recognised_by_others(path)) is None:
                raise
            return _open_other(path, options, other)
    _check_options(path, options, layouts)
    if "iridia" in layouts:
        return IridiaReader(path, metadata=options.metadata, partial=options.partial)
    patients = read_patients(options.patients) if options.patients else None
    of_text: dict[str, Any] = {name: getattr(options, name) for name in _TEXT}
    if "wfdb" not in layouts:
        return TextReader(path, patients=patients, only=texts, **of_text)
    wfdb = WfdbReader(
        path,
        beats=options.beats,
        rhythm=options.rhythm,
        rhythms={"(AFL": Rhythm.AF} if options.flutter_is_af else None,
        patients=patients,
    )
    return MixedReader(wfdb, texts, patients, **of_text) if texts else wfdb


def _known_to_others(path: Path) -> str | None:
    """The layout of another package, where none of ours can be meant."""
    if path.is_dir() or path.suffix.lower() in {*TEXT_ENDINGS, ""}:
        return None
    return recognised_by_others(path)


def _open_other(path: Path, options: ReadOptions, layout: str) -> Reader:
    """The reader of another package."""
    _check_options(path, replace(options, reader=None), (layout,))
    return open_named(path, layout, options.reader or {})


def _check_options(path: Path, options: ReadOptions, layouts: Sequence[str]) -> None:
    """Refuse an option that belongs to none of the layouts."""
    for field in fields(options):
        given = getattr(options, field.name) != field.default
        if given and not set(layouts) & set(_BELONGS.get(field.name, layouts)):
            flag = f"--{field.name.replace('_', '-')}"
            kinds = " and ".join(layouts)
            raise LayoutError(path, f"{flag} does not apply to {kinds} recordings", f"drop {flag}")


def _recognise(path: Path, options: ReadOptions) -> tuple[tuple[Layout, ...], list[str] | None]:
    """Layouts at a path by the names below it, and the text files of a folder."""
    if path.is_dir():
        return _recognise_folder(path, options)
    wfdb = _wfdb_endings(options)
    if path.suffix[1:] in wfdb or any(
        path.with_name(f"{path.name}.{ending}").exists() for ending in wfdb
    ):
        return ("wfdb",), None
    if path.suffix.lower() in {".h5", ".hdf5"}:
        raise LayoutError(
            path,
            "an HDF5 file is not a recording by itself",
            "give its record_NNN folder, or use pacl.records.read_processed for processed windows",
        )
    return ("text",), None


def _recognise_folder(
    path: Path, options: ReadOptions
) -> tuple[tuple[Layout, ...], list[str] | None]:
    tree = list_files(path)
    iridia = any(re.fullmatch(r"record_[0-9].*_rr_.*\.h5", name) for name in tree.files) or any(
        RECORD_FOLDER.fullmatch(name.rpartition("/")[2]) and name.count("/") < _IRIDIA_LEVELS
        for name in tree.folders
    )
    wfdb = any(name.rpartition(".")[2] in _wfdb_endings(options) for name in tree.files)
    if iridia and wfdb:
        raise LayoutError(
            path,
            "it holds both record_NNN folders of IRIDIA-AF and WFDB files",
            "choose with layout (--layout iridia or --layout wfdb)",
        )
    if iridia:
        return ("iridia",), None
    patient_map = options.patients.resolve() if options.patients else None
    texts = [name for name in text_files(tree.files) if (path / name).resolve() != patient_map]
    if wfdb:
        return ("wfdb", "text") if texts else ("wfdb",), texts
    if texts:
        return ("text",), texts
    unread = {name: why_unread(name) for name in tree.files} | tree.left_out
    raise LayoutError(
        path,
        "no recording recognised: no record_NNN folders, no .hea, .atr or .qrs files, no "
        f"text files ({', '.join(TEXT_ENDINGS)}); found "
        f"{'; '.join(left_out_lines(unread)) or 'no file'}",
        "check the folder, or name its layout (--layout)",
    )


def _wfdb_endings(options: ReadOptions) -> tuple[str, ...]:
    named = (name.removeprefix(".") for name in (options.beats, options.rhythm) if name)
    return ("hea", *BEAT_ANNOTATORS, *named)
