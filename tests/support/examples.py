"""What the examples in docstrings name: small files, and objects that are costly to write down."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from pacl.rr import RRWindowSet
from pacl.studies.run import LearningWindows, build_trainer
from support.beat_cohorts import patient
from support.small_runs import cohort, plan, small_run, small_windows, write_h5


def write_named(text: str, folder: Path) -> None:
    """Write the files that an example opens."""
    for name, write in FILES.items():
        if f'"{name}"' in text and not (folder / name).exists():
            write(folder / name)


def objects_named(text: str) -> dict[str, Any]:
    """The objects that an example takes as given."""
    return {name: make() for name, make in OBJECTS.items() if re.search(rf"\b{name}\b", text)}


def _recording(path: Path) -> None:
    """Half of the beats are AF."""
    path.write_text("".join(f"{rr_ms:.0f}\n" for rr_ms in patient(0, 1000).rr_ms))


def _trainers(keep: str = "last") -> list[Any]:
    windows = RRWindowSet.open(small_windows())
    parts = windows.part("train"), windows.part("validation")
    learned = LearningWindows.of(*parts, torch.device("cpu"))
    return [build_trainer(plan(seed=seed, epochs=1, keep=keep), learned) for seed in (1, 2)]


FILES: dict[str, Callable[[Path], object]] = {
    "cohort": lambda path: path.symlink_to(cohort()),
    "windows": lambda path: path.symlink_to(small_windows()),
    "run": lambda path: path.symlink_to(small_run().path),
    "recording.csv": _recording,
    "processed.h5": write_h5,
}
OBJECTS: dict[str, Callable[[], Any]] = {
    "trainer": lambda: _trainers("best")[0],
    "trainers": _trainers,
}
