"""Recordings with the rhythms and patients that their `cohort.toml` declares."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from pacl.records.content import digest
from pacl.records.manifest import CohortManifest
from pacl.records.reader import Reader, narrowed
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm, Span
from pacl.records.tree import MANIFEST


class DeclaredReader:
    """The recordings of another reader, with the rhythms and patients that a manifest declares.

    A record that is changed gets another digest. `patients` has the patient of records where it is
    not the one that `reader` finds.
    """

    def __init__(
        self, reader: Reader, manifest: CohortManifest, patients: Mapping[str, str]
    ) -> None:
        self.undeclared, self.manifest, self._patients = reader, manifest, patients
        self.root, self.record_ids = reader.root, reader.record_ids
        self.filled: set[str] = set()
        """Records read so far that have no rhythm mark and got the declared rhythm."""

    def narrowed(self, record_ids: Collection[str]) -> "DeclaredReader":
        """The same reader of these recordings alone."""
        patients = {one: self._patients[one] for one in record_ids if one in self._patients}
        manifest = replace(self.manifest, patients={})  # those are looked up already
        return DeclaredReader(narrowed(self.undeclared, record_ids), manifest, patients)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Files beside the recordings that are not read, one line for each reason."""
        used, beside = self.manifest.path, self.manifest.recordings / MANIFEST
        if beside.is_file() and not beside.samefile(used):
            return (*self.undeclared.left_out, f"{MANIFEST} ({used} is used instead)")
        return self.undeclared.left_out

    def read(self, record_id: str) -> Record:
        """Read one recording as it is declared."""
        record = self.undeclared.read(record_id)
        patient_id = self._patients.get(record_id, record.patient_id)
        unmarked = self.manifest.unmarked if is_unmarked(record) else None
        if patient_id == record.patient_id and unmarked is None:
            return record
        if unmarked is not None:
            self.filled.add(record_id)
        spans = record.spans if unmarked is None else (Span(0, len(record), unmarked),)
        parts = [("record", record.digest), ("patient_id", patient_id)]
        parts.append(("unmarked", "" if unmarked is None else unmarked.name))
        return replace(
            record,
            patient_id=patient_id,
            spans=spans,
            digest=digest((name, value.encode()) for name, value in parts),
        )


def is_unmarked(record: Record) -> bool:
    """Whether no beat of a record has a rhythm or a mark that is not understood."""
    return all(span.rhythm is Rhythm.UNKNOWN and not span.mark for span in record.spans)


def manifest_of(reader: Reader) -> CohortManifest | None:
    """The manifest that recordings are read by, if there is one."""
    return reader.manifest if isinstance(reader, DeclaredReader) else None


def without_manifest(reader: Reader) -> Reader:
    """The reader of the files themselves."""
    return reader.undeclared if isinstance(reader, DeclaredReader) else reader
