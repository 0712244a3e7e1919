"""A small cohort, its windows and short runs on them, each made once for all tests that ask.

What is shared must not be changed: `copied` gives a folder of one's own.
"""

import atexit
import json
import shutil
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch

from pacl.cohort import PooledProtocol
from pacl.records import open_records
from pacl.records.simulate import Population, write_cohort
from pacl.records.simulate.draws import LogNormal, Some, Uniform
from pacl.rr import Cut, RRWindowSet, prepare
from pacl.studies import (
    BranchesSettings,
    Plan,
    RunFolder,
    SamplerSettings,
    TrainSettings,
    train_run,
)
from pacl.windows import split_units
from support import in_process

torch.set_num_threads(1)  # batches are so small that more threads only wait for each other
BEATS = 40
STRIDE = 600
TIMES = ("seconds", "score_seconds")
HOURS = 5.0
SHORT = Population(
    files=(1, 0, 0, 0),
    shortfall_s=Some(1.0, Uniform(86_399 - 3600 * HOURS, 86_400 - 3600 * HOURS)),
    burden=LogNormal(0.28, 0.4, 0.15, 0.5),
)
"""Recordings of some hours, not days: hashing and cutting the rest would only take time."""
PLAN = Plan(
    sampler=SamplerSettings(subjects=2, windows=4),
    encoder=BranchesSettings(channels=(8, 8, 8), pooled_features=8, projected_features=8),
    train=TrainSettings(epochs=3, lr=3e-3),
)


def plan(*, seed: int = 1, loss: str = "subject-aware", **train: Any) -> Plan:
    """The small plan with other settings."""
    return replace(PLAN, seed=seed, loss=loss, train=replace(PLAN.train, **train))


def flags(**train: Any) -> list[str]:
    """What makes `pacl train` follow `plan(**train)`."""
    return [
        "--sampler.subjects=2",
        "--sampler.windows=4",
        *["--encoder.channels=8"] * 3,
        "--encoder.pooled-features=8",
        "--encoder.projected-features=8",
        *(f"--train.{key}={value}" for key, value in ({"epochs": 3, "lr": 3e-3} | train).items()),
        "--device=cpu",
        "--threads=1",
    ]


@cache
def place() -> Path:
    """A folder that is gone when the tests are over."""
    folder = Path(tempfile.mkdtemp(prefix="pacl-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def cohort(seed: int = 3, patients: int = 10, *, days: bool = False) -> Path:
    """Recordings of made-up patients, of some hours or of days."""
    path = place() / f"cohort-{seed}-{patients}{'-days' if days else ''}"
    if not path.exists():
        population = Population() if days else SHORT
        write_cohort(path, patients=patients, seed=seed, population=population)
    return path


def small_windows(
    seed: int = 3, *, patients: int = 10, beats: int = BEATS, stride: int = STRIDE, split: int = 1
) -> Path:
    """Windows of a cohort, divided into 6 : 2 : 2."""
    path = place() / f"windows-{seed}-{patients}-{beats}-{stride}-{split}"
    if not path.exists():
        prepare(
            open_records(cohort(seed, patients)),
            path,
            protocol=PooledProtocol(),
            divide=lambda strata, _: split_units(strata, seed=split, counts=(6, 2, 2)),
            cut=Cut(window_beats=beats, stride=stride),
        )
    return path


def small_run(seed: int = 1, loss: str = "subject-aware", **train: Any) -> RunFolder:
    """A finished run on `small_windows()`."""
    name = "-".join([loss, str(seed), *(f"{key}={value}" for key, value in train.items())])
    if (place() / name).exists():
        return RunFolder.open(place() / name)
    chosen = plan(seed=seed, loss=loss, **train)
    return train_run(small_windows(), place() / name, chosen, device="cpu")


def copied(run: RunFolder, target: Path) -> RunFolder:
    """A run that may be changed."""
    shutil.copytree(run.path, target)
    return RunFolder.open(target)


def rewritten(source: Path, target: Path, change: Any) -> Path:
    """A window set after `change`, which is given the set and gives another back."""
    target.mkdir(parents=True)
    found = change(RRWindowSet.open(source))
    replace(found, manifest={**found.manifest, "windows": len(found)}).write(target)
    return target


def write_h5(path: Path, windows: int = 24, beats: int = BEATS, seed: int = 0) -> Path:
    """Processed windows of four records, as the authors write them."""
    generator = np.random.default_rng(seed)
    with h5py.File(path, "w") as file:
        file["segments"] = generator.normal(size=(windows, beats)).astype(np.float32)
        file["labels"] = np.arange(windows, dtype=np.int32) % 2
        file["patient_ids"] = (100 * seed + np.arange(windows) // 6).astype(np.int32)
    return path


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def timeless(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Epochs without how long they took."""
    return [{key: value for key, value in epoch.items() if key not in TIMES} for epoch in history]


def same_but_for_time(one: Path, other: Path) -> bool:
    """Whether two finished runs are the same to the bit; says which file is not."""
    mine, theirs = files_of(one), files_of(other)
    assert mine.keys() == theirs.keys()
    for content in (mine, theirs):
        lines = content["metrics.jsonl"].splitlines()
        content["metrics.jsonl"] = json.dumps(timeless([json.loads(x) for x in lines])).encode()
    assert [name for name in mine if mine[name] != theirs[name]] == []
    return True


@dataclass(frozen=True)
class Said:
    """What a command said, and the status it ended with."""

    status: int
    out: str
    err: str


def pacl(capsys: pytest.CaptureFixture[str], *argv: object) -> Said:
    """Run the command in this process; its streams are its own, whatever `capsys` holds."""
    done = in_process.pacl(*argv)
    return Said(done.returncode, done.stdout, done.stderr)
