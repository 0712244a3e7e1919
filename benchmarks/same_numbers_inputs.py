"""Inputs of `same_numbers.py` that no command makes: a few real records, whole and cut."""

import shutil
from pathlib import Path

import numpy as np
import wfdb

CUT_BEATS = 700
FEW = {"ltafdb": ("00", "01", "03", "05", "06", "07"), "afdb": ("04015", "04043", "04936", "08219")}
CUT = {
    "ltafdb": (*("00", "01", "03", "05", "06", "07"), *("08", "10", "11", "12", "13", "15")),
    "afdb": (
        *("04015", "04043", "04048", "04126", "04746", "04908"),
        *("04936", "05091", "05121", "05261", "06426", "06453"),
    ),
    "mitdb": ("100", "101", "103", "106", "201", "203", "210", "217", "219", "221", "222", "232"),
}
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
    """Write `real/` and `small.toml` into a folder."""
    for database, records in FEW.items():
        folder = target / "real" / database
        folder.mkdir(parents=True)
        for record in records:
            for path in sorted((data / database).glob(f"{record}.*")):
                shutil.copy2(path, folder)
    for database, records in CUT.items():
        folder = target / "real" / f"cuts-{database}"
        folder.mkdir()
        for record in records:
            rr_ms, af = _cut(data / database / record)
            rows = [
                f"{rr:.3f},{'AFIB' if one else 'N'}\n" for rr, one in zip(rr_ms, af, strict=True)
            ]
            (folder / f"{record}.csv").write_text("rr_ms,rhythm\n" + "".join(rows))
    sample = wfdb.rdann(str(data / "mitdb" / "201"), "atr").sample
    lines = [f"{rr_ms:.0f}\n" for rr_ms in np.diff(sample) / 0.36]
    (target / "real" / "stream.txt").write_text("".join(lines))
    (target / "small.toml").write_text(SETTINGS)


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
