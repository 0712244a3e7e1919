"""Reader for folders of WFDB annotations: LTAFDB, AFDB and their like on PhysioNet."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacl.axes import Array, Int64
from pacl.records.annotations import Annotations, parse_annotations
from pacl.records.content import digest, listing, read_bytes
from pacl.records.errors import FormatError, LayoutError
from pacl.records.header import Header, segment_names
from pacl.records.patients import patient_of
from pacl.records.reader import check_known
from pacl.records.record import Record
from pacl.records.rhythm import Rhythm, Span, tile

BEAT_ANNOTATORS = ("atr", "qrs", "qrsc", "ecg")
RHYTHM_ANNOTATORS = ("atr",)
RHYTHMS: Mapping[str, Rhythm] = {"(N": Rhythm.SR, "(SBR": Rhythm.SR, "(AFIB": Rhythm.AF}
"""Marks that are learned from; any other rhythm is `Rhythm.OTHER`."""

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
        """Samples a second: the file's own word goes before the header's."""
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
        The folder, searched to any depth, or a single record: its path without ending, or any of
        its files.
    beats
        Annotator (file ending) that holds the beats. By default the first of `atr`, `qrs`, `qrsc`
        and `ecg` that has at least half as many as the fullest of them: LTAFDB keeps beats in
        `atr`, AFDB in `qrs`.
    rhythm
        Annotator that holds the rhythm marks, by default `atr`. A record without any mark is read
        as `Rhythm.UNKNOWN` throughout.
    rhythms
        Marks to be read differently from `RHYTHMS`: `{"(AFL": Rhythm.AF}` takes flutter for AF.
    patients
        Patient of each record, where one patient has several. By default each record is a patient.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        beats: str | None = None,
        rhythm: str | None = None,
        rhythms: Mapping[str, Rhythm] | None = None,
        patients: Mapping[str, str] | None = None,
    ) -> None:
        self._beats = (beats.lstrip("."),) if beats else BEAT_ANNOTATORS
        self._rhythm = (rhythm.lstrip("."),) if rhythm else RHYTHM_ANNOTATORS
        self._named = {name.lstrip(".") for name in (beats, rhythm) if name}
        self._endings = tuple(dict.fromkeys((*self._beats, *self._rhythm)))
        self._root, self._record_ids = _find_records(Path(root), ("hea", *self._endings))
        self._rhythms = {**RHYTHMS, **(rhythms or {})}
        self._patients = patients

    @property
    def root(self) -> Path:
        """The folder that record ids are relative to."""
        return self._root

    @property
    def record_ids(self) -> tuple[str, ...]:
        """Every record: its path below `root`, without ending."""
        return self._record_ids

    def read(self, record_id: str) -> Record:
        """Read the beats and rhythms of one record."""
        stem = self._root / record_id
        check_known(record_id, self)
        content = {
            ending: read_bytes(path)
            for ending in ("hea", *self._endings)
            if (path := _with_ending(stem, ending)).exists()
        }
        for ending in sorted(self._named - content.keys()):
            raise LayoutError(
                stem,
                f"no file {stem.name}.{ending}, though that annotator was asked for",
                f"name another; there are {', '.join(content) or 'none'}",
            )
        header = Header.parse(content["hea"], f"{stem}.hea") if "hea" in content else Header()
        tracks = {
            ending: _Track(ending, parse_annotations(part, f"{stem}.{ending}"), header)
            for ending, part in content.items()
            if ending != "hea"
        }
        beats = self._beat_track(stem, tracks)
        at = beats.found.sample[beats.found.is_beat()]
        _check_order(at, f"{stem}.{beats.ending}")
        marked = next((t for name in self._rhythm if (t := tracks.get(name)) and t.marks()), None)
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
            f"(present: {', '.join('.' + e for e in tracks) or 'none'})",
            "name the annotator that holds the beats, or fetch it",
        )

    def _spans(
        self, stem: Path, marked: _Track | None, at: Int64[Array, "beat"], fs_hz: float
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


def _find_records(root: Path, endings: tuple[str, ...]) -> tuple[Path, tuple[str, ...]]:
    """The folder that ids are relative to, and the ids of one record or of all below it."""
    with listing(root):
        if root.is_dir():
            found = {
                ending: {
                    path.relative_to(root).with_suffix("").as_posix()
                    for path in root.rglob(f"*.{ending}")
                    if path.is_file()
                }
                for ending in endings
            }
            annotated = set().union(*(found[ending] for ending in endings if ending != "hea"))
            bare = found["hea"] - annotated
            if names := annotated | (bare - _segments(root, bare)):
                return root, tuple(sorted(names))
        elif root.suffix[1:] in endings and root.is_file():
            return root.parent, (root.stem,)
        elif any(_with_ending(root, ending).is_file() for ending in endings):
            return root.parent, (root.name,)
    raise LayoutError(
        root,
        f"no WFDB record, looked for {', '.join('.' + ending for ending in endings)}",
        "give a folder of records, or one record's path without ending",
    )


def _segments(root: Path, bare: set[str]) -> set[str]:
    """Headers that are no record but a part of one: those of folders with a multi-segment header.

    The annotations of such a record lie beside its master header, `name/segments ...`.
    """
    found: set[str] = set()
    for folder in {(root / name).parent for name in bare}:
        for header in folder.glob("*.hea"):
            segments = segment_names(read_bytes(header))
            found |= {(folder / name).relative_to(root).as_posix() for name in segments}
    return found


def _with_ending(stem: Path, ending: str) -> Path:
    return stem.with_name(f"{stem.name}.{ending}")


def _check_order(at: Array, source: str) -> None:
    if np.any(np.diff(at) < 0) or np.any(at < 0) or np.any(at > MAX_SAMPLE):
        raise FormatError(
            source, "annotations run backwards in time", "fetch the file again, it is corrupted"
        )
