"""The right reader for a path."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

from pacl.records.address import address_of, local_path
from pacl.records.content import listing
from pacl.records.ecg_reader import EcgReader
from pacl.records.errors import LayoutError
from pacl.records.exports import Advance, ExportReader
from pacl.records.from_ecg import EcgOptions
from pacl.records.iridia import IridiaReader
from pacl.records.joined import JoinedReader, PartReader
from pacl.records.manifest import cohort_manifest
from pacl.records.manifest_reader import DeclaredReader
from pacl.records.mixed import MixedReader
from pacl.records.option_layouts import check_options, of_ecg, of_text
from pacl.records.options import ReadOptions
from pacl.records.reader import Reader, read_patients
from pacl.records.readers import open_named, recognised_by_others
from pacl.records.recognise import Layout, Recognised, recognise
from pacl.records.remote import RemoteReader
from pacl.records.rhythm import Rhythm
from pacl.records.text import TEXT_ENDINGS, TextReader
from pacl.records.tree import check_usable
from pacl.records.wfdb import SIGNAL, WfdbReader


def open_records(
    path: Path | str, options: ReadOptions | None = None, advance: Advance | None = None
) -> Reader:
    """Open the recordings at `path`: a data set, a folder of records, or a single record.

    It may be an address that fsspec knows, such as `s3://hospital/holter`, see `RemoteReader`.

    Of a folder, WFDB records, ECGs, exports and text files are read; `left_out` of the reader names
    the files that are not. A `cohort.toml` in the folder, or at `path` itself, is applied, see
    `CohortManifest`; `options.patients` overrides its patients. `advance` is called with the bytes
    done and all bytes while a large export is read.

    Examples
    --------
    >>> reader = open_records("cohort")
    >>> record = reader.read(reader.record_ids[0])
    >>> record.patient_id
    'patient_000'
    """
    options = options or ReadOptions()
    if (address := address_of(path)) is not None:
        return _open_address(address, options)
    path = local_path(path)
    check_usable(path)
    manifest = cohort_manifest(path)
    if manifest is None:
        return _open(path, options, advance)
    all_of_it = manifest.is_all(path)
    reader = _open(manifest.recordings if all_of_it else path, options, advance)
    patients: dict[str, str] = {}
    if options.patients is None:
        patients = manifest.patients_of(reader.record_ids, all_there=all_of_it)
    return DeclaredReader(reader, manifest, patients)


def _open_address(address: str, options: ReadOptions) -> Reader:
    """The reader of recordings elsewhere, with the manifest that is there."""
    reader = RemoteReader(address, options, open_records)
    manifest = reader.manifest()
    if manifest is None:
        return reader
    patients: dict[str, str] = {}
    if options.patients is None:
        patients = manifest.patients_of(reader.record_ids, all_there=reader.is_folder)
    return DeclaredReader(reader, manifest, patients)


def _open(path: Path, options: ReadOptions, advance: Advance | None) -> Reader:
    """The reader of the files at a path."""
    if options.layout == "arrays":
        raise LayoutError(path, "arrays hold no beats", "cut them into windows with pacl prepare")
    named = next((one for one in get_args(Layout) if one == options.layout), None)
    if options.layout is not None and named is None:
        return _open_other(path, options, options.layout)
    with listing(path):
        if named is None and (other := _known_to_others(path)):
            return _open_other(path, options, other)
        try:
            found = {named: None} if named else recognise(path, options)
        except LayoutError:
            if (other := recognised_by_others(path)) is None:
                raise
            return _open_other(path, options, other)
    check_options(path, options, tuple(found))
    if "iridia" in found:
        return IridiaReader(path, metadata=options.metadata, partial=options.partial)
    patients = read_patients(options.patients) if options.patients else None
    return _joined(path, options, found, patients, advance)


def _joined(
    path: Path,
    options: ReadOptions,
    found: Recognised,
    patients: Mapping[str, str] | None,
    advance: Advance | None,
) -> Reader:
    """One reader for each layout at a path, joined where there are several."""
    for_text, how = of_text(options), of_ecg(options)
    readers: list[PartReader] = []
    if "wfdb" in found:
        wfdb = WfdbReader(
            path,
            beats=SIGNAL if _asks_for_signal(options) else options.beats,
            rhythm=options.rhythm,
            rhythms={"(AFL": Rhythm.AF} if options.flutter_is_af else None,
            patients=patients,
            how=how,
        )
        texts = found.get("text")
        readers.append(MixedReader(wfdb, texts, patients, **for_text) if texts else wfdb)
    elif "text" in found:
        readers.append(TextReader(path, patients=patients, only=found["text"], **for_text))
    if "ecg" in found:
        readers.append(EcgReader(path, patients=patients, only=found["ecg"], how=how))
    if "export" in found:
        readers.append(
            ExportReader(
                path,
                patients=patients,
                only=found["export"],
                advance=advance,
                allow_smoothed=options.allow_smoothed,
            )
        )
    if not any(reader.record_ids for reader in readers):
        left_out = "; ".join(line for reader in readers for line in reader.left_out)
        raise LayoutError(path, f"no recording in it: {left_out}", "check the folder")
    if len(readers) == 1:
        return readers[0]
    return JoinedReader(path, readers)


def _asks_for_signal(options: ReadOptions) -> bool:
    """Whether an option says how beats are found in an ECG, and none says where else they are."""
    usual = EcgOptions()
    return options.beats is None and any(
        getattr(options, name) != getattr(usual, name)
        for name in ("lead", "beat_finder", "keep_noise")
    )


def _known_to_others(path: Path) -> str | None:
    """The layout of another package that recognises a file; text is ours."""
    if path.is_dir() or path.suffix.lower() in {*TEXT_ENDINGS, ""}:
        return None
    return recognised_by_others(path)


def _open_other(path: Path, options: ReadOptions, layout: str) -> Reader:
    """The reader of another package."""
    check_options(path, replace(options, reader=None), (layout,))
    return open_named(path, layout, options.reader or {})
