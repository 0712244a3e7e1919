"""24 h of one-lead ECG at 250 Hz, from a cold start to the AF result, on one core.

    python benchmarks/ecg_speed.py

The peer does less: sleepecg imported, the same samples, its beats alone. The floor reads the bytes.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from pacl.testing import made_ecg

FS_HZ, HOURS, REPEATS = 250, 24, 3
PEER = """
import numpy as np, sleepecg
ecg = np.fromfile("day.dat", "<i2").astype(float)
print(len(sleepecg.detect_heartbeats(ecg, 250)))
"""
FLOOR = 'import numpy as np; print(np.fromfile("day.dat", "<i2").size)'


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        beats = write_day(folder)
        print(f"{HOURS} h at {FS_HZ} Hz, {beats:,} beats; best of {REPEATS}, on one core\n")
        print("| what | seconds |\n|---|--:|")
        ours = [sys.executable, "-m", "pacl", "detect"]
        for what, command in (
            ("pacl detect, WFDB format 16: beats, mask, AF", [*ours, "day.hea"]),
            ("the same without the mask", [*ours, "day.hea", "--keep-noise"]),
            ("pacl detect --beat-finder sleepecg", [*ours, "day.hea", "--beat-finder", "sleepecg"]),
            ("sleepecg alone: beats", [sys.executable, "-c", PEER]),
            ("reading the bytes", [sys.executable, "-c", FLOOR]),
        ):
            print(f"| {what} | {min(_seconds(command, folder) for _ in range(REPEATS)):.2f} |")


def write_day(folder: Path) -> int:
    """A record of 24 h: ten minutes of ECG again and again."""
    rng = np.random.default_rng(0)
    at_s = 0.5 + np.cumsum(rng.normal(0.8, 0.06, 740))
    ten = made_ecg(at_s[at_s < 599.5], float(FS_HZ), 600.0)[0]
    day = np.tile(np.round(1000 * ten).astype("<i2"), 6 * HOURS)
    day.tofile(folder / "day.dat")
    line = f"day.dat 16 1000/mV 16 0 {day[0]} 0 0 II\n"
    (folder / "day.hea").write_text(f"day 1 {FS_HZ} {day.size}\n{line}")
    return int((at_s < 599.5).sum()) * 6 * HOURS


def _seconds(command: list[str], folder: Path) -> float:
    one_core = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    began = time.perf_counter()
    subprocess.run(
        ["taskset", "-c", "0", *command],
        cwd=folder,
        env={**os.environ, **one_core},
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
