"""Is a run in a fleet the run it would have been alone? Gradients of a step, and whole trainings.

    python benchmarks/fleet_equality.py WINDOWS [--device cuda] [--seeds 20] [--epochs 8]

In single precision two orders of summation part ways after a few steps, so trainings are compared
as samples: paired differences of the best AUROC and of the epoch in which it was reached.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from scipy import stats

from pacl.evaluation.stacked_score import StackedProbeScore
from pacl.models.precision import full_precision
from pacl.studies import Plan, TrainPlan
from pacl.studies.provenance import open_windows
from pacl.studies.run import LearningWindows, build_trainer
from pacl.training import Trainer
from pacl.training.fleet import Fleet


def main() -> None:
    """Compare, and print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("windows", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=8)
    chosen = parser.parse_args()
    found, _ = open_windows(chosen.windows)
    learning = LearningWindows.of(
        found.part("train"), found.part("validation"), torch.device(chosen.device)
    )
    for loss in ("patient-aware", "supcon", "bce"):
        plans = [Plan(loss=loss, seed=seed) for seed in (1, 2)]
        print(f"{loss}: gradients differ by {_gradients(plans, learning):.1e} of their length")
    base = Plan(train=TrainPlan(epochs=chosen.epochs, patience=3))
    plans = [replace(base, seed=seed) for seed in range(1, chosen.seeds + 1)]
    alone, together = ([build_trainer(plan, learning) for plan in plans] for _ in range(2))
    for trainer in alone:
        list(trainer)
    list(Fleet(together, StackedProbeScore([trainer.score for trainer in together])))
    for name in ("best_score", "best_epoch", "last_epoch"):
        one, other = (
            np.array([getattr(trainer.stopping, name) for trainer in side], dtype=float)
            for side in (alone, together)
        )
        differ = other - one
        p = stats.wilcoxon(differ).pvalue if differ.any() else 1.0
        print(
            f"{name}: alone {one.mean():.4f} (SD {one.std(ddof=1):.4f}), in the fleet "
            f"{other.mean():.4f} (SD {other.std(ddof=1):.4f}), paired difference "
            f"{differ.mean():+.4f} (SD {differ.std(ddof=1):.4f}), Wilcoxon p = {p:.2f}"
        )


def _gradients(plans: list[Plan], learning: LearningWindows) -> float:
    """The largest relative difference of the gradients of a first step."""
    together = [build_trainer(plan, learning) for plan in plans]
    fleet = Fleet(together, StackedProbeScore([t.score for t in together]), capture=False)
    fleet._set_epoch(range(len(plans)))
    fleet._step()
    stacked = {name: value.grad for name, value in fleet.optimiser.weights.items()}
    return max(
        _difference(build_trainer(plan, learning), stacked, row) for row, plan in enumerate(plans)
    )


def _difference(trainer: Trainer, stacked: dict[str, torch.Tensor | None], row: int) -> float:
    trainer.encoder.train()
    trainer.sampler.set_epoch(0)
    trainer.generator.manual_seed(trainer.dropout_seed())
    rows = torch.from_numpy(trainer.sampler.epoch_rows()[0]).to(trainer.windows.device)
    with full_precision():
        trainer._step(rows)
    pairs = [
        (parameter.grad.flatten(), gradient[row].flatten())
        for name, parameter in trainer.named_parameters().items()
        if parameter.grad is not None and (gradient := stacked[name]) is not None
    ]
    alone, together = (torch.cat(side) for side in zip(*pairs, strict=True))
    return float((alone - together).norm() / alone.norm())


if __name__ == "__main__":
    main()
