"""The runs of the paper's table as a fleet, against the same runs one after the other.

    python benchmarks/fleet.py WINDOWS [--device cuda] [--epochs 5] [--runs 15 45] [--per-class 8]

Prints seconds an epoch of all runs: steps, validation, both, and the ratio to the ordinary loop,
which is timed on one run of each loss and multiplied, for it does the same work for each seed.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import torch
from eager_loop import train_one

from pacl.evaluation.stacked_score import StackedProbeScore
from pacl.studies import Plan, SamplerPlan, TrainPlan
from pacl.studies.provenance import open_windows
from pacl.studies.run import LearningWindows, build_trainer
from pacl.training.fleet import Fleet

LOSSES = ("patient-aware", "supcon", "bce")


def main() -> None:
    """Time both and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("windows", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--runs", type=int, nargs="+", default=[15, 45])
    parser.add_argument("--per-class", type=int, default=16, help="windows a class and patient")
    chosen = parser.parse_args()
    device = torch.device(chosen.device)
    found, _ = open_windows(chosen.windows)
    train, validation = found.part("train"), found.part("validation")
    base = Plan(
        sampler=SamplerPlan(windows=chosen.per_class),
        train=TrainPlan(patience=1000),
    )
    print(f"torch {torch.__version__}, {_name(device)}, batches of {16 * chosen.per_class} windows")
    print("| runs | | steps, s an epoch | validation, s an epoch | both | ratio |")
    print("|--:|---|--:|--:|--:|--:|")
    train_one(base, train, validation, device, 1)  # so that nobody pays for the first time
    alone = [train_one(replace(base, loss=loss), train, validation, device, 2) for loss in LOSSES]
    steps, judged = (
        sum(one[part] for one in alone) / len(alone) / 2 for part in ("steps", "validation")
    )
    print(f"| 1 | one after the other | {steps:.3f} | {judged:.3f} | {steps + judged:.3f} | |")
    learning = LearningWindows.of(train, validation, device)
    for runs in chosen.runs:
        plans = [replace(base, loss=LOSSES[run % 3], seed=run // 3 + 1) for run in range(runs)]
        began = time.perf_counter()
        trainers = [build_trainer(plan, learning) for plan in plans]
        fleet = Fleet(trainers, StackedProbeScore([trainer.score for trainer in trainers]))
        first = fleet.run_epoch()
        warm = time.perf_counter() - began
        spent = [0.0, 0.0]
        for _ in range(chosen.epochs):
            logs = fleet.run_epoch()
            spent[0] += sum(log.seconds for log in logs.values()) / chosen.epochs
            spent[1] += sum(log.score_seconds for log in logs.values()) / chosen.epochs
        ratio = runs * (steps + judged) / sum(spent)
        print(
            f"| {runs} | fleet | {spent[0]:.3f} | {spent[1]:.3f} | {sum(spent):.3f} "
            f"| **{ratio:.0f}x** |"
        )
        slower = warm - sum(log.seconds + log.score_seconds for log in logs.values())
        scores = [f"{log.score:.3f}" for log in list(first.values())[:3]]
        peak = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else 0
        print(f"  warm-up {slower:.1f} s, peak {peak:.1f} GiB, first scores {scores}", flush=True)


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"


if __name__ == "__main__":
    main()
