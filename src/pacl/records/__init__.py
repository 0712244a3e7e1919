"""Recordings: RR intervals with their rhythms, from IRIDIA-AF, WFDB, ECGs, exports or text."""

from pacl.records.address import address_of, local_path, shown_path
from pacl.records.array import record_from_rr
from pacl.records.content import digest
from pacl.records.ecg_reader import EcgReader
from pacl.records.ecg_source import find_ecg, read_ecg
from pacl.records.errors import (
    FormatError,
    LayoutError,
    ManifestError,
    MissingError,
    RecordError,
    RemoteError,
    RhythmError,
    ValueRangeError,
)
from pacl.records.exports import ExportReader
from pacl.records.faults import Faults, with_faults
from pacl.records.from_ecg import EcgOptions, record_from_beats
from pacl.records.iridia import IridiaReader
from pacl.records.kinds import Kind, describe_content
from pacl.records.manifest import CohortManifest, cohort_manifest
from pacl.records.manifest_reader import DeclaredReader, manifest_of, without_manifest
from pacl.records.open import open_records
from pacl.records.options import ReadOptions
from pacl.records.overview import Overview
from pacl.records.processed import ProcessedWindows, read_processed
from pacl.records.reader import Reader, narrowed, read_patients
from pacl.records.readers import READERS, own_reader
from pacl.records.record import GAP_MS, PLAUSIBLE_MS, Record
from pacl.records.record_files import content_digest, reading_digest, record_files, shown_files
from pacl.records.remote import RemoteReader
from pacl.records.rhythm import Rhythm, Span, runs, tile
from pacl.records.sources import is_iridia, is_one, may_be_several, source_files
from pacl.records.summary import RhythmSummary, summarise
from pacl.records.text import TextReader, parse_rr
from pacl.records.tree import EDITS_ENDING
from pacl.records.wfdb import WfdbReader

__all__ = [
    "EDITS_ENDING",
    "GAP_MS",
    "PLAUSIBLE_MS",
    "READERS",
    "CohortManifest",
    "DeclaredReader",
    "EcgOptions",
    "EcgReader",
    "ExportReader",
    "Faults",
    "FormatError",
    "IridiaReader",
    "Kind",
    "LayoutError",
    "ManifestError",
    "MissingError",
    "Overview",
    "ProcessedWindows",
    "ReadOptions",
    "Reader",
    "Record",
    "RecordError",
    "RemoteError",
    "RemoteReader",
    "Rhythm",
    "RhythmError",
    "RhythmSummary",
    "Span",
    "TextReader",
    "ValueRangeError",
    "WfdbReader",
    "address_of",
    "cohort_manifest",
    "content_digest",
    "describe_content",
    "digest",
    "find_ecg",
    "is_iridia",
    "is_one",
    "local_path",
    "manifest_of",
    "may_be_several",
    "narrowed",
    "open_records",
    "own_reader",
    "parse_rr",
    "read_ecg",
    "read_patients",
    "read_processed",
    "reading_digest",
    "record_files",
    "record_from_beats",
    "record_from_rr",
    "runs",
    "shown_files",
    "shown_path",
    "source_files",
    "summarise",
    "tile",
    "with_faults",
    "without_manifest",
]
