"""What the pages name: small recordings, window sets and runs, each made once for all pages.

A page gets copies of those that its lines name, so that it may change them.
"""

import json
import shutil
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import edfio
import numpy as np

from pacl.edits import Edit, append, edits_path
from pacl.live import packets_of, write_packets
from pacl.records import open_records
from pacl.testing import made_ecg
from support.apple_health import ZONE, document, series
from support.documented.arrays import write_gestures, write_stress
from support.documented.pages import ROOT
from support.fit import activity
from support.in_process import pacl
from support.mit import annotation_file
from support.persons import night
from support.rhythms import fibrillation, sinus
from support.small_runs import cohort, place, small_run, small_windows
from support.viewing import write_night

FS_HZ = 250.0


def provide(name: str, folder: Path) -> None:
    """Copy what a page names into its folder, unless it is there, or is no name of a file."""
    target = folder / name
    if target.exists():
        return
    if name == "docs":
        target.symlink_to(ROOT / name)
    elif name in FILES:
        source = _made(name)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)


def _made(name: str) -> Path:
    path = place() / "documented" / name
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        FILES[name](path)
    return path


def _intervals(seed: int, *beats: int) -> np.ndarray:
    """Sinus rhythm and AF in turn."""
    generator = np.random.default_rng(seed)
    kinds = (sinus, fibrillation)
    return np.concatenate([kinds[at % 2](many, generator) for at, many in enumerate(beats)])


def _long_night(path: Path, seed: int = 0) -> None:
    """Four hours, the first two and a half of them sinus rhythm."""
    rows = (f"{rr_ms:.0f}\n" for rr_ms in _intervals(seed, 10_800, 900, 6_000))
    path.write_text("rr_ms\n" + "".join(rows))


def _intervals_alone(path: Path) -> None:
    path.write_text("".join(f"{rr_ms:.0f}\n" for rr_ms in _intervals(2, 200, 200)))


def _nights(path: Path) -> None:
    path.mkdir()
    for seed in range(3):
        write_night(path / f"2026-04-0{seed + 1} 22-30-00.txt", seed)
        _mark(path / f"2026-04-0{seed + 1} 22-30-00.txt")


def _ecg(seconds: float, fs_hz: float = FS_HZ) -> np.ndarray:
    at_s = 1 + np.cumsum(_intervals(1, int(seconds * 1.3))) / 1000
    return made_ecg(at_s[at_s < seconds - 1], fs_hz, seconds)[0]


def _holter(path: Path) -> None:
    """Ten minutes from 01:25 on."""
    lead = edfio.EdfSignal(
        _ecg(600.0).astype(float), FS_HZ, label="ECG II", physical_dimension="mV"
    )
    edfio.Edf([lead], recording=edfio.Recording(startdate=datetime(2026, 4, 2).date())).write(path)
    content = bytearray(path.read_bytes())
    content[176:184] = b"01.25.00"
    path.write_bytes(content)


def _ecg_table(path: Path) -> None:
    rows = (f"{at / FS_HZ:.3f},{one:.4f}\n" for at, one in enumerate(_ecg(120.0)))
    path.write_text("time [s],ecg [mV]\n" + "".join(rows))


def _samples(path: Path) -> None:
    path.write_text("".join(f"{one:.4f}\n" for one in _ecg(120.0)))


def _wfdb_signal(path: Path) -> None:
    """Six minutes of ECG with annotated beats."""
    path.mkdir()
    numbers = np.round(_ecg(360.0) * 1000).astype("<i2")
    numbers.tofile(path / "203.dat")
    (path / "203.hea").write_text(
        f"203 1 {FS_HZ:g} {numbers.size}\n203.dat 16 1000/mV 16 0 {numbers[0]} 0 0 MLII\n"
    )
    beats = FS_HZ + np.cumsum(_intervals(1, 468)) * FS_HZ / 1000
    marks = [(1, "+", "(N"), *((int(at), "N", "") for at in beats if at < numbers.size)]
    (path / "203.atr").write_bytes(annotation_file(marks))


def _annotated(
    path: Path, patients: int = 10, runs: tuple[int, ...] = (5_500, 2_000, 1_000)
) -> None:
    """Annotated beats of patients with both rhythms, in PhysioNet's format."""
    path.mkdir()
    for number in range(patients):
        at = np.cumsum(_intervals(number, *runs)) * 128 / 1000
        edges = np.cumsum([0, *runs])
        marks = [
            (int(at[edge]) - 1, "+", mark)
            for edge, mark in zip(edges, ("(N", "(AFIB", "(N"), strict=False)
        ]
        marks += [(int(one), "N", "") for one in at]
        marks.sort(key=lambda one: (one[0], one[1] != "+"))
        (path / f"{number:02d}.hea").write_text(f"{number:02d} 0 128\n")
        (path / f"{number:02d}.atr").write_bytes(annotation_file(marks))


def _people(path: Path) -> None:
    path.mkdir()
    for seed, name in enumerate(("anna-1", "anna-2")):
        write_night(path / f"{name}.csv", seed)
    (path / "bert-walk.fit").write_bytes(activity([810, 790, 800, 805] * 50))


def _apple_export(path: Path) -> None:
    start = datetime(2026, 4, 1, 7, tzinfo=ZONE)
    with zipfile.ZipFile(path, "w") as archive:
        content = document([series(start, [810, 790, 800, 805, 820] * 20)])
        archive.writestr("apple_health_export/export.xml", content)


def _who(path: Path) -> None:
    path.write_text("record_id,patient_id\nanna-1,anna\nanna-2,anna\nbert-walk,bert\n")


def _profile(path: Path) -> None:
    done = pacl("adapt", _made("night.csv"), "-o", path, "--sinus", "600s-1200s")
    assert done.returncode == 0, done.stderr


def _mark(recording: Path, marks: Path | None = None) -> None:
    """Mark two stretches by hand, in the file beside the recording or in another."""
    record = open_records(recording).read(recording.stem)
    edits = [Edit("not-af", 300.0, 360.0), Edit("exclude", 100.0, 200.0)]
    append(marks or edits_path(record, several=False), record, edits)


def _packets(path: Path) -> None:
    write_packets(path, packets_of(night(0, 200, 100), np.random.default_rng(0)))


def _leaking_split(path: Path) -> None:
    parts = {"train": ["record_036"], "validation": ["record_038"], "test": ["record_035"]}
    path.write_text(json.dumps(parts))


def _metadata(path: Path) -> None:
    records = ("record_035", "record_036", "record_038")
    path.write_text("record_id,patient_id\n" + "".join(f"{one},patient_035\n" for one in records))


FILES: dict[str, Callable[[Path], object]] = {
    "night.csv": _long_night,
    "night1.csv": lambda path: _long_night(path, 1),
    "night2.csv": lambda path: _long_night(path, 2),
    "other.csv": lambda path: _long_night(path, 3),
    "recording.csv": write_night,
    "rr.txt": _intervals_alone,
    "nights": _nights,
    "people": _people,
    "who.csv": _who,
    "walk.fit": lambda path: path.write_bytes(activity([810, 790, 800, 805] * 50)),
    "export.zip": _apple_export,
    "me.json": _profile,
    "night.csv.edits.jsonl": lambda path: _mark(_made("night.csv"), path),
    "packets.ndjson": _packets,
    "holter.edf": _holter,
    "night.edf": _holter,
    "strap-ecg.csv": _ecg_table,
    "samples.txt": _samples,
    "mitdb": _wfdb_signal,
    "ltafdb": _annotated,
    "afdb": _annotated,
    "cohort": lambda path: _annotated(path, 3, (400, 300, 400)),
    "iridia-af": lambda path: shutil.copytree(cohort(days=True), path),
    "recordings": lambda path: shutil.copytree(cohort(days=True), path),
    "windows": lambda path: shutil.copytree(small_windows(), path),
    "others": lambda path: shutil.copytree(small_windows(4), path),
    "other-windows": lambda path: shutil.copytree(small_windows(4), path),
    "run": lambda path: shutil.copytree(small_run().path, path),
    "myo-emg": write_gestures,
    "stress-predict.npz": write_stress,
    "released-split.json": _leaking_split,
    "iridia-af-metadata-v1.0.1.csv": _metadata,
}
"""Each file or folder by the name that pages give it."""
