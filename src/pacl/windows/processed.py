"""The authors' processed windows as a window set (2.1).

Their files hold windows already cut and scaled, so ms, time and the beats between are lost. Each
window's beats are stored as they came, with centre 0 and scale 1; the manifest says `scaled`, and
where a beat lay in its record is -1: not known. Parts are those of the file names.
"""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

import pacl
from pacl.atomic_write import atomic_folder
from pacl.cohort import PARTS, Split, Unit
from pacl.records import ProcessedWindows, Rhythm, read_processed
from pacl.windows.audit import write_audited
from pacl.windows.collect import GrowingArray
from pacl.windows.divide import Prepared
from pacl.windows.errors import WindowSetError
from pacl.windows.store import ARRAYS, FORMAT, ScaleBeats, WindowSet, map_beats
from pacl.windows.table import Names, WindowTable

_PART = re.compile(rf".*_({'|'.join(PARTS)})")
UNKNOWN = -1
"""Raw index of a beat whose place in its record is not known."""


def is_processed(source: Path) -> bool:
    """Whether a path holds processed windows: an HDF5 file, or a folder of one a part."""
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
    """Turn processed windows into a window set, audited like any other.

    Parameters
    ----------
    source
        One of the authors' files, or the folder of `<hash>_{train,validation,test}.h5`. A single
        file that names no part is the test part.
    target
        Folder to write, atomically.
    metadata
        IRIDIA-AF's metadata CSV. Without it each record is taken for a patient, the manifest says
        that patients are not known, and a patient in two parts may go unseen.
    allow
        Kinds of leaks and faults to allow, by name; the manifest keeps them.
    """
    source, target = Path(source), Path(target)
    files = _files(source)
    with atomic_folder(target) as folder, ExitStack() as open_files:
        beats = {
            name: open_files.enter_context(GrowingArray(folder / f"{name}.npy", kind))
            for name, kind in ARRAYS.items()
        }
        read: list[tuple[str, ProcessedWindows]] = []
        width = 0
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
        open_files.close()
        table = _table(read, width)
        split = _split(table, all(found.patients_known for _, found in read))
        windows = WindowSet(
            window_beats=width,
            table=table,
            scale_beats=ScaleBeats((), np.empty(0, np.int64), np.empty(0, np.int64)),
            manifest=_manifest(source, read, table, width, split),
            **map_beats(folder),
        )
        if split is not None:
            (folder / "split.json").write_text(split.to_json(), "utf-8")
        findings = write_audited(windows, folder, allow)
        return Prepared(
            target, len(table), len(table.patient.present()), len(table.record.present()), findings
        )


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


def _table(read: Sequence[tuple[str, ProcessedWindows]], width: int) -> WindowTable:
    """One row per window; what is not known of scaled windows is -1 or NaN."""
    size = sum(len(found) for _, found in read)
    unknown = np.full(size, UNKNOWN, dtype=np.int32)
    return WindowTable(
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


def _split(table: WindowTable, patients_known: bool) -> Split | None:
    """The split that the files amount to: of patients where these are known and kept together.

    Otherwise of records; none where even a record is in two parts.
    """
    units: list[tuple[Unit, Names]] = [("record", table.record)]
    if patients_known:
        units.insert(0, ("patient", table.patient))
    for unit, names in units:
        pairs = set(zip(names.to_list(), table.split.to_list(), strict=True))
        part_of = dict(sorted(pairs))
        if len(part_of) == len(pairs):
            return Split(unit, part_of, "names of the files")
    return None


def _manifest(
    source: Path,
    read: Sequence[tuple[str, ProcessedWindows]],
    table: WindowTable,
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
        "split": {
            "unit": split.unit if split else "record",
            "safe": bool(split and split.safe),
            "origin": "names of the files",
            "digest": split and split.digest,
        },
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
