"""The paper's study with all training windows in the validation score, and with samples of them.

    python benchmarks/score_sample.py RECORDINGS_OR_WINDOWS [-o sample.json] [--device cuda]
        [--sizes 0 4096 2048 1024 8192] [--folds 0 5] [--seeds 1 42 102 2026 9999] [--again]
        [--epochs 100] [--tuned best.toml ...] [--no-more-after 420]

After each epoch a probe on training windows is measured on the validation windows; by that score
training stops, and weights are chosen. Size 0 is all windows, and what the others are compared
with: AUROC on test patients with the paired difference and its interval over patients, the epochs
that were chosen, the verdict on each claim, seconds. The probe that is reported is always fitted on
all windows. `--again` runs size 0 twice: how far a GPU differs from itself. No study is begun
after so many seconds; what was not run is named.
"""

import argparse
import json
import os
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pacl.evaluation import EvaluationError
from pacl.settings import Plan, settled
from pacl.studies import Outcomes, Study, run_study
from pacl.studies.claims import check_claims
from pacl.studies.inputs import as_windows
from pacl.studies.metric import AUROC
from pacl.studies.paper_study import LOSSES, SEEDS
from pacl.studies.patient_statistics import compare_judged
from pacl.training import usable_device
from pacl.windows import split_units

SIZES = (0, 4096, 2048, 1024, 8192)


@dataclass(frozen=True, eq=False)
class Done:
    """A study and what it took."""

    outcomes: Outcomes
    seconds: Mapping[str, float]
    verdicts: Mapping[str, str]
    epochs: Mapping[str, tuple[int, int]]
    """The chosen and the last epoch of each run."""


def main() -> None:
    """Run the study with each size, and print how they differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="JSON to write")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="the first is compared")
    parser.add_argument("--folds", type=int, nargs="+", default=[0], help="0: the single split")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--epochs", type=int, help="the most; fewer than the plans have")
    parser.add_argument("--tuned", type=Path, nargs="+", default=[], help="settings of a loss each")
    parser.add_argument("--again", action="store_true", help="run the first size twice")
    parser.add_argument("--no-more-after", type=float, default=float("inf"), metavar="SECONDS")
    chosen = parser.parse_args()
    if usable_device(chosen.device).type == "cpu":
        torch.set_num_threads(1)
    began, told = time.monotonic(), {"torch": torch.__version__, "studies": {}}
    with tempfile.TemporaryDirectory() as folder:
        windows = as_windows(
            chosen.data,
            Path(folder) / "windows",
            divide=lambda strata, patients: split_units(strata, seed=1),
        )
        plans = _plans(chosen.tuned, chosen.epochs)
        for folds in chosen.folds:
            done: dict[str, Done] = {}
            sizes = {_name(size): size for size in chosen.sizes}
            if chosen.again:
                first = chosen.sizes[0]
                sizes = {_name(first): first, f"{_name(first)}, again": first, **sizes}
            for name, size in sizes.items():
                if time.monotonic() - began > chosen.no_more_after:
                    print(f"not run for want of time: {folds} folds, {name}")
                    continue
                target = Path(folder) / f"{folds}-{name.replace(', ', '-')}"
                study = Study(_scored(plans, size), tuple(chosen.seeds), folds)
                done[name] = _run(windows, target, study, chosen.device)
                print(f"{folds} folds, {name}: {_seconds(done[name])}", flush=True)
                told["studies"].setdefault(str(folds), {})[name] = _json(done)[name]
                if chosen.output is not None:
                    chosen.output.write_text(json.dumps(told, indent=1) + "\n")
            if done:
                _print_all(folds, done)


def _plans(tuned: Sequence[Path], epochs: int | None) -> dict[str, Plan]:
    """The plan of each loss: the paper's, or as tuned."""
    plans = {loss: Plan().with_loss(loss) for loss in LOSSES}
    for path in tuned:
        plan = settled(Plan, tomllib.loads(path.read_text()))
        plans[plan.loss] = plan
    if epochs is None:
        return plans
    return {
        loss: replace(plan, train=replace(plan.train, epochs=epochs))
        for loss, plan in plans.items()
    }


def _scored(plans: Mapping[str, Plan], size: int) -> dict[str, Plan]:
    return {
        loss: replace(plan, train=replace(plan.train, score_windows=size))
        for loss, plan in plans.items()
    }


def _name(size: int) -> str:
    return f"{size:,}" if size else "all"


def _run(windows: Path, target: Path, study: Study, device: str) -> Done:
    wall, cpu = time.monotonic(), _cpu_s()
    (outcomes,) = run_study(windows, target, study, device=device)
    seconds = {"wall": time.monotonic() - wall, "cpu": _cpu_s() - cpu}
    runs = {run.path.name: run.history() for one in outcomes.each for run in one.runs}
    every = [epoch for history in runs.values() for epoch in history]
    seconds |= {
        "steps": sum(epoch["seconds"] for epoch in every),
        "score": sum(epoch["score_seconds"] for epoch in every),
    }
    return Done(
        outcomes,
        seconds,
        {claim.key: claim.verdict for claim in check_claims(outcomes)},
        {
            name: (max(e["epoch"] for e in history if e["best"]), history[-1]["epoch"])
            for name, history in runs.items()
        },
    )


def _cpu_s() -> float:
    """Processor seconds of this process and of those that it waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _print_all(folds: int, done: Mapping[str, Done]) -> None:
    """Three tables of Markdown: AUROC, epochs and seconds, verdicts."""
    first, *others = done
    full = done[first]
    print(f"\n## {f'{folds} folds' if folds else 'single split'}\n")
    print(
        "| loss | windows in the score | AUROC, mean over seeds | less the first, over patients |"
    )
    print("|---|--:|--:|--:|")
    for loss in full.outcomes.losses:
        for name, one in done.items():
            mean = one.outcomes.values(loss, AUROC.key).mean()
            less = "" if name == first else _difference(full, one, loss)
            print(f"| {loss} | {name} | {mean:.5f} | {less} |")
    print(
        "\n| windows in the score | seconds, wall | processor | steps | score "
        "| score, first / this | runs | other epoch chosen | stopped elsewhere |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, one in done.items():
        cells = [f"{one.seconds[key]:.1f}" for key in ("wall", "cpu", "steps", "score")]
        ratio = full.seconds["score"] / one.seconds["score"]
        moved = [
            sum(one.epochs[run][at] != full.epochs[run][at] for run in one.epochs) for at in (0, 1)
        ]
        cells += [f"{ratio:.1f}x", str(len(one.epochs)), *map(str, moved)]
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\n| claim | {' | '.join(done)} |\n|---|{'---|' * len(done)}")
    for key in full.verdicts:
        print(f"| {key} | {' | '.join(one.verdicts[key] for one in done.values())} |")
    for name in others:
        changed = [
            key for key, verdict in full.verdicts.items() if done[name].verdicts[key] != verdict
        ]
        print(f"verdicts that {name} changes: {', '.join(changed) or 'none'}")
        for run, (kept, last) in done[name].epochs.items():
            if (kept, last) != full.epochs[run]:
                print(f"  {run}: chosen, last epoch {full.epochs[run]} / {(kept, last)}")
    print(flush=True)


def _difference(full: Done, one: Done, loss: str) -> str:
    these, those = one.outcomes.of(loss), full.outcomes.of(loss)
    pairs = zip(these, those, strict=True)
    if all(np.array_equal(*(x.predictions.probability for x in pair)) for pair in pairs):
        return "equal in every window"
    try:
        found = compare_judged(these, those, AUROC)
    except EvaluationError as error:
        return str(error)
    over = found.over_subjects
    return f"{over.estimate:+.5f} [{over.low:+.5f}, {over.high:+.5f}]"


def _json(done: Mapping[str, Done]) -> dict[str, Any]:
    return {
        name: {
            "seconds": dict(one.seconds),
            "verdicts": dict(one.verdicts),
            "epochs": {run: list(epochs) for run, epochs in one.epochs.items()},
            "auroc": {
                loss: one.outcomes.values(loss, AUROC.key).tolist() for loss in one.outcomes.losses
            },
            "less_the_first": {
                loss: _difference(next(iter(done.values())), one, loss)
                for loss in one.outcomes.losses
            },
        }
        for name, one in done.items()
    }


def _seconds(done: Done) -> str:
    return ", ".join(f"{name} {value:.1f} s" for name, value in done.seconds.items())


if __name__ == "__main__":
    main()
