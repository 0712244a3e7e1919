"""The runs of the paper's table as a fleet, against the same runs one after the other.

    python benchmarks/fleet.py WINDOWS [--device cuda] [--epochs 5] [--runs 15 45] [--per-class 8]

Prints seconds an epoch of all runs: steps, validation, both, and the ratio to the ordinary loop,
which is timed on one run of each loss and multiplied, for it does the same work for each seed.
The floor is the arithmetic alone, at the speed of one large product of matrices.
"""

import argparse
import gc
import time
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from eager_loop import train_one
from measure import Cost, Row
from window_set import find_windows

from pacl.evaluation import StackedProbeScore
from pacl.studies import Plan, SamplerSettings, TrainSettings
from pacl.studies.provenance import open_windows
from pacl.studies.run import LearningWindows, build_trainer
from pacl.training import EpochLog, Fleet

LOSSES = ("patient-aware", "supcon", "bce")
RUNS, EPOCHS = (15, 45), 5
FLOP = 4.32e6
"""Of embedding a window; learning from it takes three times as many."""


@dataclass(frozen=True)
class Epoch:
    """Seconds an epoch, apart, the peak of GPU memory, and what came before and out of it."""

    steps: float
    validation: float
    peak_mib: float
    warm_up: float = 0.0
    windows: int = 0
    scores: tuple[float, ...] = ()

    @property
    def both(self) -> float:
        """Seconds of the whole epoch."""
        return self.steps + self.validation


class FleetBench:
    """Measures a fleet, the ordinary loop and the floor on one window set."""

    def __init__(self, windows: Path, device: str, per_class: int = 16) -> None:
        self.device = torch.device(device)
        found, _ = open_windows(windows)
        self.train, self.validation = found.part("train"), found.part("validation")
        self.learning = LearningWindows.of(self.train, self.validation, self.device)
        self.plan = Plan(
            sampler=SamplerSettings(windows=per_class),
            train=TrainSettings(patience=1000),
        )

    def alone(self) -> Epoch:
        """One run of the ordinary loop: the mean over losses, of two epochs each."""
        sets = (self.train, self.validation, self.device)
        train_one(self.plan, *sets, 1)  # so that nobody pays for the first time
        self._forget()
        spent = [train_one(replace(self.plan, loss=loss), *sets, 2) for loss in LOSSES]
        steps, judged = (
            sum(one[part] for one in spent) / len(spent) / 2 for part in ("steps", "validation")
        )
        return Epoch(steps, judged, self._peak_mib())

    def fleet(self, runs: int, epochs: int = EPOCHS) -> Epoch:
        """So many runs together: the mean over epochs, after a first that does not count."""
        self._forget()
        plans = [replace(self.plan, loss=LOSSES[run % 3], seed=run // 3 + 1) for run in range(runs)]
        began = time.perf_counter()
        trainers = [build_trainer(plan, self.learning) for plan in plans]
        fleet = Fleet(trainers, StackedProbeScore([trainer.score for trainer in trainers]))
        first = fleet.run_epoch()
        warm = time.perf_counter() - began
        # The last reading of an epoch's losses and scores waits for the device.
        logs = [list(fleet.run_epoch().values()) for _ in range(epochs)]
        steps, judged = (
            sum(getattr(log, part) for told in logs for log in told) / epochs
            for part in ("seconds", "score_seconds")
        )
        return Epoch(
            steps,
            judged,
            self._peak_mib(),
            warm - _seconds(logs[-1]),
            sum(log.windows for told in logs for log in told) // epochs,
            tuple(log.score for log in first.values()),
        )

    def floor(self, epoch: Epoch, runs: int) -> float:
        """Seconds of an epoch's multiplications, at the speed of one large product."""
        size, times = (8192 if self.device.type == "cuda" else 1024), []
        one, other = (torch.randn(size, size, device=self.device) for _ in range(2))
        for _ in range(4):
            self._wait()
            began = time.perf_counter()
            torch.mm(one, other)
            self._wait()
            times.append(time.perf_counter() - began)
        embedded = runs * (len(self.train) + len(self.validation))
        return FLOP * (3 * epoch.windows + embedded) * min(times[1:]) / (2 * size**3)

    def _forget(self) -> None:
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(self.device)

    def _peak_mib(self) -> float:
        if self.device.type != "cuda":
            return 0.0
        return torch.cuda.max_memory_allocated(self.device) / 2**20

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)


def rows(windows: Path | None = None) -> list[Row]:
    """An epoch of 15 and of 45 runs; on a GPU alone, for which the fleet is made."""
    bench = FleetBench(find_windows(windows), "cuda")
    alone = bench.alone()
    made = []
    for runs in RUNS:
        epoch = bench.fleet(runs)
        made.append(
            Row(
                what="an epoch of a fleet",
                amount=f"{runs} runs, {len(bench.train):,} windows to learn from, "
                f"{len(bench.validation):,} to validate on, {_name(bench.device)}",
                ours=Cost(epoch.both, epoch.peak_mib),
                peer_name="eager, one after the other, from one run of each loss",
                peer=Cost(runs * alone.both, alone.peak_mib),
                floor_name="their multiplications in one product",
                floor=Cost(bench.floor(epoch, runs), 0),
                memory="of GPU memory",
            )
        )
    return made


def main() -> None:
    """Time both and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("windows", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--runs", type=int, nargs="+", default=RUNS)
    parser.add_argument("--per-class", type=int, default=16, help="windows a class and patient")
    chosen = parser.parse_args()
    bench = FleetBench(chosen.windows, chosen.device, chosen.per_class)
    print(
        f"torch {torch.__version__}, {_name(bench.device)}, "
        f"batches of {16 * chosen.per_class} windows"
    )
    print(
        "| runs | | steps, s an epoch | validation, s an epoch | both | ratio | floor | peak GiB |"
    )
    print("|--:|---|--:|--:|--:|--:|--:|--:|")
    alone = bench.alone()
    print(
        f"| 1 | one after the other | {alone.steps:.3f} | {alone.validation:.3f} "
        f"| {alone.both:.3f} | | | {alone.peak_mib / 1024:.1f} |",
        flush=True,
    )
    for runs in chosen.runs:
        epoch = bench.fleet(runs, chosen.epochs)
        print(
            f"| {runs} | fleet | {epoch.steps:.3f} | {epoch.validation:.3f} | {epoch.both:.3f} "
            f"| **{runs * alone.both / epoch.both:.0f}x** | {bench.floor(epoch, runs):.3f} "
            f"| {epoch.peak_mib / 1024:.1f} |"
        )
        scores = [f"{score:.3f}" for score in epoch.scores[:3]]
        print(f"  warm-up {epoch.warm_up:.1f} s, first scores {scores}", flush=True)


def _seconds(logs: list[EpochLog]) -> float:
    return sum(log.seconds + log.score_seconds for log in logs)


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"


if __name__ == "__main__":
    main()
