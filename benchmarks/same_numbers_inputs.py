"""Inputs of `same_numbers.py` that no command makes: a few real records, and made-up text files."""

import shutil
from pathlib import Path

import numpy as np
import wfdb

CUT_BEATS = 700
FEW = {"ltafdb": ("00", "01", "03", "05", "06", "07"), "afdb": ("04015", "04043", "04936", "08219")}
CUT = ("00", "01", "06", "13")
MADE = {"a": (12, 1), "b": (12, 2), "c": (12, 3), "sinus": (3, 4)}
"""Patients and seeds of made-up cohorts. The one without AF is irregular, so that false AF decides
which recipe is chosen: the same for all cohorts."""

SETTINGS = """\
[sampler]
patients = 3
windows = 2
turns = 4
[encoder]
kernels = [3, 5]
channels = [8, 8]
pooled_features = 8
projected_features = 8
[train]
lr = 0.03
epochs = 1
patience = 1
"""


def write_inputs(target: Path, data: Path) -> None:
    """Write `real/`, `made/` and `small.toml` into a folder."""
    for database, records in FEW.items():
        folder = target / "real" / database
        folder.mkdir(parents=True)
        for record in records:
            for path in sorted((data / database).glob(f"{record}.*")):
                shutil.copy2(path, folder)
    (target / "real" / "cuts-ltafdb").mkdir()
    for record in CUT:
        path = target / "real" / "cuts-ltafdb" / f"{record}.csv"
        path.write_text(_lines(*_cut(data / "ltafdb" / record)))
    for name, (patients, seed) in MADE.items():
        _write_made(target / "made" / name, patients, seed)
    sample = wfdb.rdann(str(data / "mitdb" / "201"), "atr").sample
    lines = [f"{rr_ms:.0f}\n" for rr_ms in np.diff(sample) / 0.36]
    (target / "real" / "stream.txt").write_text("".join(lines))
    (target / "small.toml").write_text(SETTINGS)


def _lines(rr_ms: np.ndarray, af: np.ndarray) -> str:
    rows = [f"{rr:.3f},{'AFIB' if one else 'N'}\n" for rr, one in zip(rr_ms, af, strict=True)]
    return "rr_ms,rhythm\n" + "".join(rows)


def _write_made(folder: Path, patients: int, seed: int, beats: int = 400) -> None:
    """Patients with SR and then AF; the SR of some is as irregular as AF."""
    folder.mkdir(parents=True)
    generator = np.random.default_rng(seed)
    for number in range(patients):
        af = (np.arange(2 * beats) >= beats) & (folder.name != "sinus")
        irregular = af | (number % 5 == 3) | (folder.name == "sinus")
        wave_ms = 50 * np.sin(np.arange(2 * beats) / 3) * ~irregular
        noise_ms = generator.normal(0, np.where(irregular, 150, 8))
        rr_ms = (800 + wave_ms + noise_ms).clip(300, 1900)
        (folder / f"{folder.name}{number:02d}.csv").write_text(_lines(rr_ms, af))


def _cut(record: Path) -> tuple[np.ndarray, np.ndarray]:
    """RR intervals around the first AF, in ms, and whether each is AF."""
    marks = wfdb.rdann(str(record), "atr")
    beats = marks if not record.with_suffix(".qrs").exists() else wfdb.rdann(str(record), "qrs")
    is_beat = ~np.isin(beats.symbol, ["+", "~", "|", '"', "x", "s", "T"])
    sample = beats.sample[is_beat]
    noted = [
        (at, note)
        for at, note in zip(marks.sample, marks.aux_note, strict=True)
        if note.startswith("(")
    ]
    at = np.searchsorted([one for one, _ in noted], sample[1:], side="right") - 1
    af = np.array([one >= 0 and noted[one][1].startswith("(AFIB") for one in at.tolist()])
    rr_ms = np.diff(sample) / float(wfdb.rdheader(str(record)).fs) * 1000
    starts = np.flatnonzero(af)
    begin = max(0, (int(starts[0]) if starts.size else 0) - CUT_BEATS // 2)
    part = slice(begin, begin + CUT_BEATS)
    return rr_ms[part], af[part]
