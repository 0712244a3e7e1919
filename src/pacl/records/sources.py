"""Paths of recordings as they are given, and the files that belong to each."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pacl.records.address import address_of, local_path
from pacl.records.errors import RecordError
from pacl.records.iridia import IridiaReader
from pacl.records.iridia_files import RECORD_FOLDER
from pacl.records.manifest import cohort_manifest, is_manifest
from pacl.records.manifest_reader import without_manifest
from pacl.records.options import ReadOptions
from pacl.records.reader import Reader
from pacl.records.remote import RemoteReader
from pacl.records.wfdb import BEAT_ANNOTATORS, RHYTHM_ANNOTATORS


def may_be_several(paths: Sequence[Path]) -> bool:
    """Whether paths may stand for several recordings: several paths, a folder or a manifest.

    It depends on the paths alone, not on what is found or can be read there. What one address is,
    only its reader knows, see `is_one`.
    """
    return len(paths) > 1 or any(
        is_manifest(path) or (path.is_dir() and not _is_iridia_record(path))
        for path in map(local_path, paths)
    )


def is_one(reader: Reader) -> bool:
    """Whether a reader has at most one recording, and is not of a folder at an address."""
    found = without_manifest(reader)
    of_folder = isinstance(found, RemoteReader) and found.is_folder
    return len(reader.record_ids) <= 1 and not of_folder


def is_iridia(reader: Reader) -> bool:
    """Whether recordings have the layout of IRIDIA-AF, here or at an address."""
    found = without_manifest(reader)
    if isinstance(found, RemoteReader):
        return "iridia" in found.layouts
    return isinstance(found, IridiaReader)


def _is_iridia_record(path: Path) -> bool:
    name = path.resolve().name
    return bool(RECORD_FOLDER.fullmatch(name)) and any(path.glob(f"{name}_rr*"))


def source_files(paths: Sequence[Path], read: ReadOptions | None = None) -> Iterator[Path]:
    """Files and folders that are read: each file of a WFDB record, manifests and what they name.

    What is at an address is not on this machine, and so none of them.
    """
    read = read or ReadOptions()
    endings = {"hea", "dat", *BEAT_ANNOTATORS, *RHYTHM_ANNOTATORS}
    endings |= {one.lstrip(".") for one in (read.beats, read.rhythm) if one}
    for path in map(local_path, (one for one in paths if address_of(one) is None)):
        yield path
        with suppress(RecordError):  # opening the path reports what is wrong with its manifest
            if (manifest := cohort_manifest(path)) is not None:
                yield from (manifest.path, manifest.recordings)
        if not path.is_dir():
            stem = path.stem if path.suffix[1:] in endings else path.name
            yield from (path.with_name(f"{stem}.{ending}") for ending in sorted(endings))
    yield from (one for one in (read.patients, read.metadata) if one is not None)
