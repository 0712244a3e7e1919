"""Preparing windows, beside just reading the RR files and beside a loop over a pandas frame."""

import csv
import os
import shutil
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from measure import Row, cost

BUILD = Path(__file__).parents[1] / "build" / "bench"
PATIENTS = 160
"""About as many beats as IRIDIA-AF has, in files and episodes like its own."""

W, S, HOUR_S = 200, 50, 3600.0


def cohort(patients: int) -> Path:
    """A simulated cohort on disk, made once."""
    from pacl.records.simulate import write_cohort

    path = BUILD / f"cohort-{patients}"
    if not path.exists():
        write_cohort(path, patients, seed=7)
    return path


def first(patients: int, of: Path) -> Path:
    """The first patients of a cohort, linked into one of their own."""
    path = BUILD / f"first-{patients}-of-{of.name}"
    shutil.rmtree(path, ignore_errors=True)
    (metadata,) = of.glob("*.csv")
    header, *rows = list(csv.reader(metadata.open()))
    patient, record = header.index("patient_id"), header.index("record_id")
    chosen = sorted({row[patient] for row in rows}, key=lambda name: int(name[8:]))[:patients]
    rows = [row for row in rows if row[patient] in set(chosen)]
    for row in rows:
        folder = path / "records" / row[record]
        folder.mkdir(parents=True)
        for file in (of / "iridia-af-records-v1.0.1" / row[record]).iterdir():
            os.link(file, folder / file.name)
    with (path / "metadata.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def read_only(path: Path) -> None:
    """The floor: every RR file into memory, with h5py."""
    import h5py

    for file in sorted(path.glob("*/record_*/*_rr_*.h5")):
        with h5py.File(file) as opened:
            opened["rr"][()]


def ours(path: Path, protocol: str, threads: int) -> None:
    """Everything: read, digest, locate, scale, cut, divide, audit, write."""
    from pacl.cohort import EpisodesProtocol, PooledProtocol
    from pacl.records import open_records
    from pacl.rr import prepare
    from pacl.windows import split_units

    with tempfile.TemporaryDirectory() as folder:
        prepare(
            open_records(path),
            Path(folder) / "windows",
            protocol=EpisodesProtocol() if protocol == "episodes" else PooledProtocol(),
            divide=lambda strata, _: split_units(strata, seed=1),
            threads=threads,
        )


def pandas_loop(path: Path, protocol: str) -> None:
    """The peer: a frame of beats for each file, a row of a list for each window."""
    import h5py
    import numpy as np
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for folder in sorted(path.glob("*/record_*/")):
        labels = pd.read_csv(folder / f"{folder.name}_rr_labels.csv")
        centre = scale = None
        for number, file in enumerate(sorted(folder.glob("*_rr_*.h5"))):
            with h5py.File(file) as opened:
                beats = pd.DataFrame({"rr": opened["rr"][()]})
            beats["time"] = beats.rr.cumsum() / 1000
            beats["af"] = False
            for _, label in labels.iterrows():
                if label.start_file_index <= number <= label.end_file_index:
                    low = label.start_rr_index if label.start_file_index == number else 0
                    high = label.end_rr_index if label.end_file_index == number else len(beats)
                    beats.loc[low : high - 1, "af"] = True
            beats["run"] = (beats.af != beats.af.shift()).cumsum()
            runs = [run for _, run in beats.groupby("run")]
            parts: list[Any] = []
            if protocol == "pooled":
                if centre is None:
                    sinus = beats[~beats.af]
                    scaled_on = sinus[sinus.rr.cumsum() <= HOUR_S * 1000]
                    beats = beats.drop(scaled_on.index)
                    runs = [run for _, run in beats.groupby("run")]
                    centre = scaled_on.rr.median()
                    scale = scaled_on.rr.quantile(0.75) - scaled_on.rr.quantile(0.25)
                parts = runs
            for before, run in pairwise(runs):
                if protocol == "pooled" or not run.af.iloc[0]:
                    continue
                if run.rr.sum() < HOUR_S * 1000 or before.rr.sum() < 4 * HOUR_S * 1000:
                    continue
                begin = before.time.iloc[0]
                if centre is None:
                    scaled_on = before[before.time < begin + HOUR_S]
                    scaled_on = scaled_on[scaled_on.rr.between(200, 2000)]
                    centre = scaled_on.rr.median()
                    scale = scaled_on.rr.quantile(0.75) - scaled_on.rr.quantile(0.25)
                parts += [
                    before[before.time.between(begin + HOUR_S, begin + 2 * HOUR_S)],
                    run[run.time < run.time.iloc[0] + HOUR_S],
                ]
            for part in parts:
                kept = part[part.rr.between(200, 2000)]
                for start in range(0, len(kept) - W + 1, S):
                    window = kept.iloc[start : start + W]
                    if window.af.nunique() == 1:
                        rows.append(
                            {
                                "record": folder.name,
                                "af": bool(window.af.iloc[0]),
                                "start": window.index[0],
                                "values": ((window.rr - centre) / scale).to_numpy(np.float32),
                            }
                        )
    np.stack([row.pop("values") for row in rows])
    pd.DataFrame(rows)


def rows() -> list[Row]:
    """IRIDIA-AF's size by the paper's rule, and a part of it pooled."""
    threads = len(os.sched_getaffinity(0))
    whole = cohort(PATIENTS)
    some = first(24, whole)
    return [
        Row(
            "prepare, the paper's rule",
            f"{PATIENTS} simulated patients, 31 million beats",
            cost(ours, whole, "episodes", threads, repeat=9),
            "pandas loop",
            cost(pandas_loop, whole, "episodes", repeat=1),
            "reading the RR files",
            cost(read_only, whole, repeat=9),
        ),
        Row(
            "prepare, pooled",
            "24 simulated patients",
            cost(ours, some, "pooled", threads),
            "pandas loop",
            cost(pandas_loop, some, "pooled", repeat=1),
            "reading the RR files",
            cost(read_only, some),
        ),
    ]


def growth() -> None:
    """Print time and memory a patient for ever more patients; simulates 4.5 GB of them first."""
    whole = cohort(3000)
    print("| patients | beats, millions | s | ns a beat | ms a patient | MiB | KiB a patient |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for patients in (100, 300, 1000, 3000):
        path = first(patients, whole)
        size = sum(file.stat().st_size for file in path.glob("*/record_*/*_rr_*.h5"))
        took = cost(ours, path, "episodes", len(os.sched_getaffinity(0)), repeat=2)
        print(
            f"| {patients} | {size / 8e6:.0f} | {took.seconds:.2f} "
            f"| {8e9 * took.seconds / size:.1f} | {1000 * took.seconds / patients:.2f} "
            f"| {took.extra_mib:.0f} | {1024 * took.extra_mib / patients:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    growth()
