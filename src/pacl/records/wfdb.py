"""Reader for folders of WFDB records: LTAFDB, AFDB and their like on PhysioNet."""

import os
from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pacl.axes import Array, Float64, Real
from pacl.ecg import Ecg
from pacl.records.annotations import MAX_ANNOTATION_BYTES, Annotations, parse_annotations
from pacl.records.content import digest, read_bytes
from pacl.records.errors import FormatError, LayoutError
from pacl.records.from_ecg import EcgOptions, record_from_beats
from pacl.records.header import MAX_HEADER_BYTES, Header
from pacl.records.reader import check_known, narrowed_map, patient_of
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm, Span, tile
from pacl.records.signals import parse_wfdb_header, read_wfdb_ecg, wfdb_ecg_files
from pacl.records.tree import check_usable, left_out_lines
from pacl.records.wfdb_files import WfdbFiles, check_ending, find_records

BEAT_ANNOTATORS = ("atr", "qrs", "qrsc", "ecg")
RHYTHM_ANNOTATORS = ("atr",)
RHYTHMS: Mapping[str, Rhythm] = {"(N": Rhythm.SR, "(SBR": Rhythm.SR, "(AFIB": Rhythm.AF}
"""Marks of SR and AF; any other rhythm is `Rhythm.OTHER`."""

SIGNAL = "signal"
"""In place of an annotator: the beats are found in the ECG."""

MAX_SAMPLE = 2**53 // 1000


@dataclass(frozen=True, slots=True)
class _Track:
    """One annotator of a record with the clock it counts by."""

    ending: str
    found: Annotations
    header: Header

    def marks(self) -> list[tuple[int, str]]:
        return self.found.rhythm_marks()

    def fs_hz(self, stem: Path) -> float:
        """Samples per second: of the annotation file, else of the header."""
        fs_hz = self.found.fs_hz or self.header.fs_hz
        if not fs_hz or not 1 <= fs_hz <= 1e6:
            raise FormatError(
                f"{stem}.{self.ending}",
                "no sampling frequency between 1 Hz and 1 MHz, neither in the file nor in a .hea "
                "beside it",
                f"write '{stem.name} 0 FREQUENCY' into {stem.name}.hea",
            )
        return fs_hz


class WfdbReader:
    """Records of a WFDB folder, beats and rhythm marks from one annotator or from two.

    Parameters
    ----------
    root
        The folder, with the folders in it, or a single record: its path without ending, or any of
        its files.
    beats
        Annotator (file ending) that holds the beats. By default the first of `atr`, `qrs`, `qrsc`
        and `ecg` with at least half as many beats as the one with the most: LTAFDB keeps beats in
        `atr`, AFDB in `qrs`. With `signal`, or where no annotator has beats, they are found in the
        ECG.
    rhythm
        Annotator that holds the rhythm marks, by default `atr`. A record without any mark is read
        as `Rhythm.UNKNOWN` throughout.
    rhythms
        Marks to be read differently from `RHYTHMS`: `{"(AFL": Rhythm.AF}` counts flutter as AF.
    patients
        Patient of each record, where one patient has several. By default each record is a patient.
    how
        How beats are found in the ECG.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        beats: str | None = None,
        rhythm: str | None = None,
        rhythms: Mapping[str, Rhythm] | None = None,
        patients: Mapping[str, str] | None = None,
        how: EcgOptions = EcgOptions(),
    ) -> None:
        self._in_signal, self._how, self._finder = beats == SIGNAL, how, how.finder()
        beats = None if self._in_signal else check_ending(beats, "--beats", root)
        rhythm = check_ending(rhythm, "--rhythm", root)
        self._beats = (beats,) if beats else BEAT_ANNOTATORS
        self._rhythm = (rhythm,) if rhythm else RHYTHM_ANNOTATORS
        self._named = {name for name in (beats, rhythm) if name}
        self._endings = record_endings(beats, rhythm)
        self._found = find_records(Path(root), self._endings)
        self._rhythms = {**RHYTHMS, **(rhythms or {})}
        self._patients = patients
        self.root, self.record_ids = self._found.root, tuple(self._found.stems)
        self.unread = self._found.unread
        """Files below `root` that are no part of a record, with the reason."""
        self.left_out = left_out_lines(self.unread)

    def narrowed(self, record_ids: Collection[str]) -> "WfdbReader":
        """The same reader of these records alone."""
        found = copy(self)
        found._patients = narrowed_map(self._patients, record_ids)
        stems = {one: self._found.stems[one] for one in record_ids}
        found._found = WfdbFiles(self.root, stems)
        found.record_ids = tuple(sorted(stems))
        found.unread, found.left_out = {}, ()
        return found

    def read(self, record_id: str) -> Record:
        """Read the beats and rhythms of one record."""
        stem, content = self._contents(record_id)
        for ending in sorted(self._named - content.keys()):
            raise LayoutError(
                stem,
                f"no file {stem.name}.{ending}, though that annotator was asked for",
                f"name another; there are {', '.join(content) or 'none'}",
            )
        header = Header.parse(content["hea"], f"{stem}.hea") if "hea" in content else Header()
        tracks = _tracks(stem, content, header)
        if self._is_from_ecg(stem, tracks, content):
            return self._from_ecg(record_id, stem, self._marked(tracks), content)
        beats = self._beat_track(stem, tracks)
        at = beats.found.sample[beats.found.is_beat()]
        _check_order(at, f"{stem}.{beats.ending}")
        marked = self._marked(tracks)
        used = {"hea", beats.ending} | ({marked.ending} if marked else set())
        fs_hz = beats.fs_hz(stem)
        return Record(
            patient_id=patient_of(record_id, self._patients, str(stem)),
            record_id=record_id,
            rr_ms=(np.diff(at) * (1000 / fs_hz)).astype(np.float32),
            file_starts=np.zeros(1, dtype=np.int64),
            file_onset_s=at[:1] / fs_hz,
            spans=self._spans(stem, marked, at[:-1], fs_hz),
            digest=digest((ending, content[ending]) for ending in sorted(used & content.keys())),
            source=str(stem),
            started=header.started,
        )

    def ecg(self, record_id: str) -> Ecg:
        """Read the signal of one record."""
        check_known(record_id, self._found.stems, self)
        stem = self._found.stems[record_id]
        check_usable(stem)
        return read_wfdb_ecg(stem, self._how.lead)

    def wants_signal(self, record_id: str) -> bool:
        """Whether the beats of one record are to be found in its ECG, if that is there."""
        stem, content = self._contents(record_id)
        return self._in_signal or not (self._named or _have_beats(_tracks(stem, content, Header())))

    def files_of(self, record_id: str) -> tuple[Path, ...]:
        """The header and annotations of one record; its signals where beats are found in them."""
        stem, content = self._contents(record_id)
        files = [_with_ending(stem, ending) for ending in content]
        if self._is_from_ecg(stem, _tracks(stem, content, Header()), content):
            files += [path for path in wfdb_ecg_files(stem) if path not in files]
        return tuple(files)

    def ecg_files_of(self, record_id: str) -> tuple[Path, ...]:
        """The header and signal files of one record; none where it has no header."""
        check_known(record_id, self._found.stems, self)
        stem = self._found.stems[record_id]
        return wfdb_ecg_files(stem) if _with_ending(stem, "hea").exists() else ()

    def _contents(self, record_id: str) -> tuple[Path, dict[str, bytes]]:
        """Path of a record without ending, and its header and annotations by their endings."""
        check_known(record_id, self._found.stems, self)
        stem = self._found.stems[record_id]
        check_usable(stem)
        return stem, {
            ending: read_bytes(path, MAX_HEADER_BYTES if ending == "hea" else MAX_ANNOTATION_BYTES)
            for ending in self._endings
            if os.path.lexists(path := _with_ending(stem, ending))
        }

    def _is_from_ecg(
        self, stem: Path, tracks: Mapping[str, _Track], content: Mapping[str, bytes]
    ) -> bool:
        return self._in_signal or (not self._named and _has_only_signal(stem, tracks, content))

    def _from_ecg(
        self, record_id: str, stem: Path, marked: _Track | None, content: Mapping[str, bytes]
    ) -> Record:
        """Find the beats in the signal; rhythm marks are those of the annotator."""
        ecg = self.ecg(record_id)
        parts = self._how.beats(ecg, self._finder)
        patient = patient_of(record_id, self._patients, str(stem))

        def rhythms(begins_s: Float64[Array, "beat"]) -> tuple[Span, ...]:
            return self._spans(stem, marked, begins_s, 1.0)

        record = record_from_beats(ecg, parts, record_id, patient, rhythms)
        if marked is None:
            return record
        both = [("ecg", ecg.digest.encode()), (marked.ending, content[marked.ending])]
        return replace(record, digest=digest(both))

    def _marked(self, tracks: Mapping[str, _Track]) -> _Track | None:
        """The annotator with rhythm marks."""
        return next((t for name in self._rhythm if (t := tracks.get(name)) and t.marks()), None)

    def _beat_track(self, stem: Path, tracks: Mapping[str, _Track]) -> _Track:
        counts = {
            ending: int(np.count_nonzero(tracks[ending].found.is_beat()))
            for ending in self._beats
            if ending in tracks
        }
        fullest = max(counts.values(), default=0)
        if fullest >= 2:
            return next(tracks[name] for name, count in counts.items() if 2 * count >= fullest)
        raise FormatError(
            stem,
            f"no two beats in any of {', '.join('.' + e for e in self._beats)} "
            f"(present: {', '.join('.' + e for e in tracks) or 'none'}), and no signal beside it",
            "name the annotator that holds the beats, or fetch it or the signal",
        )

    def _spans(
        self, stem: Path, marked: _Track | None, at: Real[Array, "beat"], fs_hz: float
    ) -> tuple[Span, ...]:
        """Spans from marks: a rhythm begins at the first beat at or after its mark."""
        if marked is None:
            return (Span(0, at.size, Rhythm.UNKNOWN),)
        samples = np.array([sample for sample, _ in marked.marks()], dtype=np.float64)
        _check_order(samples, f"{stem}.{marked.ending}")
        starts = np.searchsorted(at, samples * (fs_hz / marked.fs_hz(stem)))
        stops = np.append(starts[1:], at.size)
        spans = (
            Span(int(start), int(stop), self._rhythms.get(mark, Rhythm.OTHER), mark)
            for start, stop, (_, mark) in zip(starts, stops, marked.marks(), strict=True)
        )
        return tile(spans, at.size, between=Rhythm.UNKNOWN)


def record_endings(beats: str | None, rhythm: str | None) -> tuple[str, ...]:
    """Endings of headers, and of annotations with beats or rhythms by the annotators asked for."""
    kinds = (beats,) if beats and beats != SIGNAL else BEAT_ANNOTATORS
    return tuple(dict.fromkeys(("hea", *kinds, *((rhythm,) if rhythm else RHYTHM_ANNOTATORS))))


def _tracks(stem: Path, content: Mapping[str, bytes], header: Header) -> dict[str, _Track]:
    return {
        ending: _Track(ending, parse_annotations(part, f"{stem}.{ending}"), header)
        for ending, part in content.items()
        if ending != "hea"
    }


def _has_only_signal(
    stem: Path, tracks: Mapping[str, _Track], content: Mapping[str, bytes]
) -> bool:
    """Whether no annotator has beats, and the header names a signal that is there."""
    if _have_beats(tracks) or "hea" not in content:
        return False
    header = parse_wfdb_header(content["hea"], f"{stem}.hea")
    return bool(header.segments) or any(
        os.path.lexists(stem.with_name(Path(line.file).name)) for line in header.signals
    )


def _have_beats(tracks: Mapping[str, _Track]) -> bool:
    return any(np.count_nonzero(track.found.is_beat()) >= 2 for track in tracks.values())


def _with_ending(stem: Path, ending: str) -> Path:
    return stem.with_name(f"{stem.name}.{ending}")


def _check_order(at: Array, source: str) -> None:
    if np.any(np.diff(at) < 0) or np.any(at < 0) or np.any(at > MAX_SAMPLE):
        raise FormatError(
            source, "annotations run backwards in time", "fetch the file again, it is corrupted"
        )
