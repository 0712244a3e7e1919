"""The authors' processed windows as a window set (2.1).

Their files hold windows already cut and scaled, so ms, time and the beats between are lost. Each
window's beats are stored unchanged, with centre 0 and scale 1; the manifest states `scaled`, and
the position of a beat in its record is -1: not known. Parts are those of the file names.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import pacl
from pacl.atomic_write import atomic_folder
from pacl.records import ProcessedWindows, Rhythm, read_processed
from pacl.rr.audit import write_audited
from pacl.rr.collect import growing_beats
from pacl.rr.store import FORMAT, RRWindowSet, ScaleBeats, map_beats
from pacl.rr.table import RRWindowTable
from pacl.windows import PARTS, Names, Prepared, Split, Unit, WindowSetError

_PART = re.compile(rf".*_({'|'.join(PARTS)})")
ORIGIN = "names of the files"
UNKNOWN = -1
"""Raw index of a beat whose position in its record is not known."""


def is_processed(source: Path) -> bool:
    """Whether a path holds processed windows: an HDF5 file, or a folder with one for each part."""
    if source.is_dir():
        return any(_PART.fullmatch(path.stem) for path in source.glob("*.h5"))
    return source.suffix.lower() in (".h5", ".hdf5")


def prepare_processed(
    source: Path | str,
    target: Path | str,
    *,
    metadata: Path | str | None = None,
    allow: Sequence[str] = (),
) -> Prepared:
    """Turn processed windows into a window set, audited like any other, and write it atomically.

    Parameters
    ----------
    source
        One of the authors' files, or the folder of `<hash>_{train,validation,test}.h5`. A single
        file that names no part is the test part.
    metadata
        IRIDIA-AF's metadata CSV. Without it each record counts as a patient, the manifest states
        that patients are not known, and a patient in two parts may go unseen.
    allow
        Kinds of leaks and faults to allow, by name; the manifest lists them.
    """
    source, target = Path(source), Path(target)
    files = _files(source)
    with atomic_folder(target) as folder:
        read: list[tuple[str, ProcessedWindows]] = []
        width = 0
        with growing_beats(folder) as beats:
            for part, path in files.items():
                found = read_processed(path, metadata=metadata)
                width = width or found.scaled.shape[1]
                if found.scaled.shape[1] != width:
                    raise WindowSetError(
                        path,
                        f"windows of {found.scaled.shape[1]} beats, those before have {width}",
                        "give files of one processing",
                    )
                beats["rr_ms"].append(found.scaled.reshape(-1))
                beats["raw_index"].append(np.full(found.scaled.size, UNKNOWN))
                beats["beat_rhythm"].append(np.repeat(found.rhythm, width))
                read.append((part, found))
        table = _table(read, width)
        split = _split(table, all(found.patients_known for _, found in read))
        no_scale = ScaleBeats((), np.empty(0, np.int64), np.empty(0, np.int64))
        manifest = _manifest(source, read, table, width, split)
        windows = RRWindowSet(width, *map_beats(folder), table, no_scale, manifest)
        if split is not None:
            (folder / "split.json").write_text(split.to_json(), "utf-8")
        return Prepared.of(target, table, write_audited(windows, folder, allow))


def _files(source: Path) -> dict[str, Path]:
    """The file of each part."""
    if not source.is_dir():
        named = _PART.fullmatch(source.stem)
        return {named[1] if named else "test": source}
    found: dict[str, Path] = {}
    for part in PARTS:
        paths = sorted(source.glob(f"*_{part}.h5"))
        if len(paths) > 1:
            names = ", ".join(path.name for path in paths)
            raise WindowSetError(source, f"{len(paths)} {part} files: {names}", "keep one of each")
        found.update((part, path) for path in paths)
    if not found:
        raise WindowSetError(
            source, "no file named <hash>_{train,validation,test}.h5", "give one .h5 file"
        )
    return found


def _table(read: Sequence[tuple[str, ProcessedWindows]], width: int) -> RRWindowTable:
    """One row per window; what is not known of scaled windows is -1 or NaN."""
    size = sum(len(found) for _, found in read)
    unknown = np.full(size, UNKNOWN, dtype=np.int32)
    return RRWindowTable(
        patient=_names([who for _, found in read for who in found.patient_ids]),
        record=_names([who for _, found in read for who in found.record_ids]),
        split=_names([part for part, found in read for _ in range(len(found))]),
        episode=unknown,
        rhythm=np.concatenate([found.rhythm for _, found in read]),
        start=np.arange(size, dtype=np.int64) * width,
        raw_start=unknown,
        raw_stop=unknown,
        onset_s=np.full(size, np.nan),
        to_onset_s=np.full(size, np.nan, dtype=np.float32),
        centre_ms=np.zeros(size, dtype=np.float32),
        scale_ms=np.ones(size, dtype=np.float32),
    )


def _names(values: Sequence[str]) -> Names:
    codes = {name: code for code, name in enumerate(dict.fromkeys(values))}
    return Names(np.array([codes[name] for name in values], dtype=np.int32), tuple(codes))


def _split(table: RRWindowTable, patients_known: bool) -> Split | None:
    """The split of the files: of patients where they are known and kept together, else of records.

    None where even a record is in two parts.
    """
    units: list[tuple[Unit, Names]] = [("record", table.record)]
    if patients_known:
        units.insert(0, ("subject", table.patient))
    for unit, names in units:
        pairs = set(zip(names.to_list(), table.split.to_list(), strict=True))
        part_of = dict(sorted(pairs))
        if len(part_of) == len(pairs):
            return Split(unit, part_of, ORIGIN)
    return None


def _manifest(
    source: Path,
    read: Sequence[tuple[str, ProcessedWindows]],
    table: RRWindowTable,
    width: int,
    split: Split | None,
) -> dict[str, Any]:
    beats = len(table) * width
    return {
        "format": FORMAT,
        "pacl": pacl.__version__,
        "source": str(source),
        "window_beats": width,
        "windows": len(table),
        "scaled": True,
        "patients_known": all(found.patients_known for _, found in read),
        "min_to_onset_s": 0.0,
        "protocol": {"name": "processed"},
        "cut": {"window_beats": width},
        "split": split.about()
        if split
        else {"unit": "record", "safe": False, "origin": ORIGIN, "digest": None},
        "beats": {"all": beats, "in windows": beats},
        "dropped": {},
        "processed_files": [
            {"file": Path(found.source).name, "part": part, "digest": found.digest}
            for part, found in read
        ],
        "records": [
            {
                "record": record,
                "patient": patient,
                "windows": {
                    kind.name: int(np.count_nonzero(table.rhythm[table.record.is_(record)] == kind))
                    for kind in (Rhythm.SR, Rhythm.AF)
                },
            }
            for record, patient in sorted(
                set(zip(table.record.to_list(), table.patient.to_list(), strict=True))
            )
        ],
    }
