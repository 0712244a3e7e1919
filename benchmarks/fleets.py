"""Runs of a study divided among GPUs: the same results, and what an epoch costs by fleet size.

    python benchmarks/fleets.py RECORDINGS_OR_WINDOWS [--epochs 5] [--sizes 75 38 19 10]

Trains the first runs of a study of 75 (three losses, five seeds, five folds) in fleets of several
sizes, each for a few epochs; with several fleets on one GPU, results are compared with those of one
fleet. 75 runs on 8 GPUs are fleets of 10 and 9 runs.
"""

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from pacl.evaluation import measure_auroc
from pacl.settings import Plan
from pacl.studies import Study
from pacl.studies.folder import RunFolder
from pacl.studies.gpus import train_fleets
from pacl.studies.inputs import as_windows
from pacl.studies.progress import SILENT
from pacl.window_sets import divide_folds
from pacl.windows import split_units


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="JSON to write")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="+", default=(75, 38, 19, 10))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        windows = as_windows(
            given.data,
            place / "windows",
            divide=lambda strata, patients: split_units(strata, seed=1),
        )
        plan = Plan()
        plan = replace(plan, train=replace(plan.train, epochs=given.epochs, patience=given.epochs))
        study = Study.of(plan, folds=5)
        jobs = study.jobs(divide_folds(windows, place / "folds", folds=5, seed=1))
        found: dict[str, float] = {}
        for size in given.sizes:
            some = dict(list(jobs.items())[:size])
            began = time.perf_counter()
            train_fleets(some, place / f"one-{size}", [given.device], SILENT)
            found[f"{size} runs, one fleet"] = time.perf_counter() - began
            print(f"{size} runs, one fleet: {found[f'{size} runs, one fleet']:.1f} s", flush=True)
        size = given.sizes[-1]
        some = dict(list(jobs.items())[:size])
        began = time.perf_counter()
        train_fleets(some, place / "two", [given.device, given.device], SILENT)
        found[f"{size} runs, two fleets"] = time.perf_counter() - began
        differ = max(
            abs(_auroc(place / "two" / name) - _auroc(place / f"one-{size}" / name))
            for name in some
        )
    print(f"two fleets of {size} runs in all: {found[f'{size} runs, two fleets']:.1f} s")
    print(f"largest difference of a test AUROC between one fleet and two: {differ:.2e}")
    if given.output:
        given.output.write_text(json.dumps({**found, "largest difference": differ}, indent=1))


def _auroc(path: Path) -> float:
    found = RunFolder.open(path).evaluated("test")
    return measure_auroc(found.labels, found.score)


if __name__ == "__main__":
    main()
