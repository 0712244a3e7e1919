"""The ECG that a recording's beats belong to."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from pacl.ecg import Ecg
from pacl.records.errors import LayoutError, RecordError
from pacl.records.joined import JoinedReader
from pacl.records.manifest_reader import without_manifest
from pacl.records.mixed import MixedReader
from pacl.records.reader import Reader
from pacl.records.readers import own_reader


@runtime_checkable
class EcgSource(Protocol):
    """A reader whose recordings have an ECG."""

    def ecg(self, record_id: str) -> Ecg:
        """Read the signal of one recording."""


def read_ecg(reader: Reader, record_id: str) -> Ecg:
    """The ECG of a recording: of a WFDB record, an EDF file, or text of samples."""
    found = without_manifest(reader)
    while isinstance(found, JoinedReader | MixedReader):
        found = found.of(record_id)
    found = own_reader(found)
    if not isinstance(found, EcgSource):
        raise LayoutError(
            reader.root,
            f"{record_id} has beats, but no ECG signal",
            "give a WFDB record with its .dat file, an EDF file, or text of an ECG",
        )
    return found.ecg(record_id)


def find_ecg(reader: Reader, record_id: str) -> tuple[Ecg | None, str | None]:
    """The ECG of a recording, if it has one, and why one that is there cannot be read."""
    try:
        return read_ecg(reader, record_id), None
    except LayoutError:
        return None, None
    except RecordError as error:
        is_there = not isinstance(error.where, Path) or error.where.exists()
        return None, f"Its ECG cannot be shown: {error}." if is_there else None
