"""Is a run in a fleet the run it would have been alone? Gradients of a step, and whole trainings.

    python benchmarks/fleet_equality.py WINDOWS [-o equality.json] [--device cuda] [--seeds 20]
                                                [--epochs 8] [--losses patient-aware supcon bce]

In single precision two orders of summation part ways after a few steps, so trainings are compared
as samples: paired differences of the best AUROC and of the epoch in which it was reached. Both
sides keep all 24 bits: a trainer asks for them itself, and a fleet has products of matrices only,
which torch leaves exact unless it was told otherwise; that is checked first.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy import stats

from pacl.evaluation import StackedProbeScore
from pacl.models import full_precision
from pacl.studies import Plan, TrainSettings
from pacl.studies.provenance import open_windows
from pacl.studies.run import LearningWindows, build_trainer
from pacl.training import Fleet, Trainer

LOSSES = ("patient-aware", "supcon", "bce")
COMPARED = ("best_score", "best_epoch", "last_epoch")


def main() -> None:
    """Compare, print both, and write them after each loss."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("windows", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="JSON to write")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--losses", nargs="+", choices=LOSSES, default=LOSSES)
    chosen = parser.parse_args()
    if (precision := torch.get_float32_matmul_precision()) != "highest":
        raise SystemExit(f"products of matrices have precision {precision!r}; set it to 'highest'")
    found, _ = open_windows(chosen.windows)
    learning = LearningWindows.of(
        found.part("train"), found.part("validation"), torch.device(chosen.device)
    )
    base = Plan(train=TrainSettings(epochs=chosen.epochs, patience=3))
    told: dict[str, Any] = {
        "device": _name(learning.on_device.device),
        "torch": torch.__version__,
        "seeds": chosen.seeds,
        "epochs": chosen.epochs,
        "losses": {},
    }
    print(
        "| loss | gradients of a step | | alone, mean (SD) | in the fleet | paired difference "
        "| Wilcoxon p |\n|---|--:|---|--:|--:|--:|--:|"
    )
    for loss in chosen.losses:
        plans = [replace(base, loss=loss, seed=seed) for seed in range(1, chosen.seeds + 1)]
        gradients = _gradients(plans[:2], learning)
        rows = _trainings(plans, learning)
        told["losses"][loss] = {"gradients": gradients, **rows}
        for name, row in rows.items():
            print(f"| {loss} | {gradients:.1e} | {name} | {_cells(row)} |", flush=True)
        if chosen.output is not None:
            chosen.output.write_text(json.dumps(told, indent=1) + "\n")


def _trainings(plans: list[Plan], learning: LearningWindows) -> dict[str, dict[str, Any]]:
    """Every run alone and in a fleet: what early stopping kept of each, and how they differ."""
    alone, together = ([build_trainer(plan, learning) for plan in plans] for _ in range(2))
    for trainer in alone:
        list(trainer)
    list(Fleet(together, StackedProbeScore([trainer.score for trainer in together])))
    rows = {}
    for name in COMPARED:
        one, other = (
            np.array([getattr(trainer.stopping, name) for trainer in side], dtype=float)
            for side in (alone, together)
        )
        differ = other - one
        rows[name] = {
            "alone": _spread(one),
            "fleet": _spread(other),
            "difference": _spread(differ),
            "p": float(stats.wilcoxon(differ).pvalue) if differ.any() else 1.0,
            "each": {"alone": one.tolist(), "fleet": other.tolist()},
        }
    return rows


def _spread(values: np.ndarray) -> dict[str, float]:
    return {"mean": float(values.mean()), "sd": float(values.std(ddof=1))}


def _cells(row: dict[str, Any]) -> str:
    alone, fleet = (
        f"{row[side]['mean']:.4f} ({row[side]['sd']:.4f})" for side in ("alone", "fleet")
    )
    differ = f"{row['difference']['mean']:+.4f} ({row['difference']['sd']:.4f})"
    return f"{alone} | {fleet} | {differ} | {row['p']:.2f}"


def _gradients(plans: list[Plan], learning: LearningWindows) -> float:
    """The largest difference of the gradients of a first step, as a share of their length."""
    together = [build_trainer(plan, learning) for plan in plans]
    fleet = Fleet(together, StackedProbeScore([t.score for t in together]), capture=False)
    fleet.packed.set_epoch(range(len(plans)))
    fleet.packed.step()
    stacked = {name: value.grad for name, value in fleet.packed.optimiser.weights.items()}
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


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"


if __name__ == "__main__":
    main()
