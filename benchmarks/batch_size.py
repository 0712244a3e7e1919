"""Does a larger batch help? The proposed objective with 256, 1,024 and 4,096 windows, with memory.

    python benchmarks/batch_size.py fit OUT --windows SET [--device cuda] [--processes 15]
    python benchmarks/batch_size.py tell OUT --windows SET

SET is made by `pacl prepare --protocol all-beats`. Each arm is fitted on four fifths of the
patients and evaluated on the others, five folds, five seeds, without tuning. The recipe is that of
`pacl.rivals` except for the batch. `fit` resumes where it was interrupted.
"""

import argparse
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from pacl.evaluation import compare_auroc, count_pairs
from pacl.objectives import CrossBatchMemory, SubjectContrastiveLoss
from pacl.rivals import Probed
from pacl.rivals.contrastive import relative_encoder
from pacl.rivals.system import AUGMENTATION
from pacl.rr import RRWindowSet
from pacl.studies.rivals.division import by_patient
from pacl.training import LabelledWindows, Seeds, SubjectSampler, Trainer

FOLDS, FOLD_SEED = 5, 1
SEEDS = (1, 2, 3, 4, 5)
MEMORY = 8192
STEPS = 400


class Arm(NamedTuple):
    """Patients in a batch, windows of each class of each, steps, windows remembered, from when."""

    patients: int
    windows: int
    steps: int = STEPS
    memory: int = 0
    begins: int = 0

    @property
    def batch(self) -> int:
        """Windows in it."""
        return 2 * self.patients * self.windows

    @property
    def name(self) -> str:
        """For tables and files."""
        remembers = f", {self.memory:,} remembered" if self.memory else ""
        remembers += f" from step {self.begins:,} on" if self.begins else ""
        return f"{self.batch:,} windows, {self.steps:,} steps{remembers}"


SHAPES = ((16, 8), (32, 16), (32, 64))
LONG = Arm(16, 8, steps=4 * STEPS)
"""Sees as many windows as batches of 1,024 do."""

ARMS = (
    *(Arm(*shape) for shape in SHAPES),
    *(Arm(*shape, memory=MEMORY) for shape in SHAPES),
    *(Arm(*shape, memory=MEMORY, begins=STEPS // 2) for shape in SHAPES),
    LONG,
    LONG._replace(memory=MEMORY, begins=LONG.steps // 2),
)


def fit(arm: Arm, seed: int, fold: int, source: Path, device: torch.device) -> np.ndarray:
    """What a probe on the fitted encoder says of the windows of a fold."""
    windows, division = divided(source, fold)
    train = windows.select(np.sort(np.concatenate([division.train, division.validation])))
    seeds = Seeds.of(seed)
    encoder = relative_encoder(generator=seeds.of_weights())
    features = encoder.config["projected_features"]
    memory = CrossBatchMemory(arm.memory, features, arm.begins) if arm.memory else None
    objective = SubjectContrastiveLoss(without_positives="skip", memory=memory)
    sampler = SubjectSampler.of(
        train,
        generator=np.random.default_rng(seeds.batches),
        subjects_per_batch=arm.patients,
        windows_per_class=arm.windows,
        one_class=True,
        most_turns=15,
    )
    trainer = Trainer(
        encoder,
        objective,
        LabelledWindows.of(train, device),
        sampler,
        None,
        generator=torch.Generator(device).manual_seed(seeds.dropout),
        lr=1e-3,
        weight_decay=1e-3,
        epochs=max(1, round(arm.steps / len(sampler))),
        per_step=True,
        keep="last",
        augmentation=AUGMENTATION,
    )
    for _ in trainer:
        pass
    encoder.eval()
    return Probed.on(encoder, train, device).logit(windows.select(division.test))


@lru_cache(maxsize=8)
def divided(source: Path, fold: int):
    """The windows, and who is judged."""
    windows = opened(source)
    return windows, by_patient(windows, FOLDS, fold, FOLD_SEED)


@lru_cache(maxsize=1)
def opened(source: Path) -> RRWindowSet:
    """Read once."""
    return RRWindowSet.open(source)


def path_of(target: Path, arm: Arm, seed: int, fold: int) -> Path:
    """Of what a fit said."""
    begins = f"-w{arm.begins}" if arm.begins else ""
    name = f"b{arm.batch}-s{arm.steps}-m{arm.memory}{begins}"
    return target / f"{name}-seed{seed}-fold{fold}.npz"


def fit_and_keep(arm: Arm, seed: int, fold: int, source: Path, target: Path, device: str) -> float:
    """Fit in this process; seconds."""
    torch.set_num_threads(1)
    began = time.perf_counter()
    logit = fit(arm, seed, fold, source, torch.device(device))
    seconds = time.perf_counter() - began
    np.savez_compressed(
        path_of(target, arm, seed, fold), logit=logit.astype(np.float16), seconds=seconds
    )
    return seconds


def fit_all(source: Path, target: Path, device: str, processes: int) -> None:
    """What is not there yet, arm by arm, large batches first."""
    target.mkdir(parents=True, exist_ok=True)
    arms = sorted(ARMS, key=lambda arm: -arm.batch)
    left = [one for one in product(arms, SEEDS, range(FOLDS)) if not path_of(target, *one).exists()]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        running = {pool.submit(fit_and_keep, *one, source, target, device): one for one in left}
        for done, future in enumerate(as_completed(running), start=1):
            arm, seed, fold = running[future]
            told = f"{arm.name}, seed {seed}, fold {fold}: {future.result():.0f} s"
            print(f"{done}/{len(left)}  {told}", flush=True)


def tell(source: Path, target: Path) -> None:
    """A row an arm: AUROC of windows that one model judged, and less that of two other arms."""
    windows = opened(source)
    parts = [divided(source, fold)[1].test for fold in range(FOLDS)]
    order = np.argsort(np.concatenate(parts))
    models = np.repeat(np.arange(FOLDS), [len(rows) for rows in parts])[order]
    labels = windows.table.rhythm.astype(np.int64)
    patients = windows.table.patient.codes.astype(np.int64)

    def judged(arm: Arm, seed: int) -> np.ndarray | None:
        paths = [path_of(target, arm, seed, fold) for fold in range(FOLDS)]
        if not all(path.exists() for path in paths):
            return None
        return np.concatenate([np.load(path)["logit"] for path in paths]).astype(float)[order]

    def less(arm: Arm, other: Arm) -> str:
        seeds = [seed for seed in SEEDS if (arm, seed) in scores and (other, seed) in scores]
        if arm == other or not seeds:
            return ""
        mine, theirs = (np.stack([scores[of, seed] for seed in seeds]) for of in (arm, other))
        how = (labels, mine, theirs, patients, np.random.default_rng(0))
        return text(compare_auroc(*how, models=(models, models)))

    scores = {
        (arm, seed): found
        for arm in ARMS
        for seed in SEEDS
        if (found := judged(arm, seed)) is not None
    }
    heads = ("batch", "AUROC", "within patients", "AUROC less the first", "less without memory")
    print(f"| {' | '.join(heads)} |\n|---|--:|--:|---|---|")
    for arm in ARMS:
        mine = [scores[arm, seed] for seed in SEEDS if (arm, seed) in scores]
        if not mine:
            continue
        pairs = [count_pairs(labels, one, patients, models=models) for one in mine]
        aurocs = [one.auroc for one in pairs]
        within = [np.mean(one.own[one.both]) for one in pairs]
        short = f" ({len(mine)} seeds)" if len(mine) < len(SEEDS) else ""
        alike = arm._replace(memory=0, begins=0)
        print(
            f"| {arm.name}{short} | {spread(aurocs)} | {spread(within)} "
            f"| {less(arm, ARMS[0])} | {less(arm, alike)} |"
        )
    for arm, other in product(ARMS[1:3], (LONG,)):
        print(f"{arm.name}, less {other.name}: {less(arm, other)}")


def spread(values: list[float]) -> str:
    """Mean and standard deviation over seeds."""
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1):.4f}"


def text(found) -> str:
    """`+0.0012 [-0.0003, +0.0031], p 0.12`, the limits for other patients and seeds."""
    limits = found.over_both or found.over_patients
    p = found.flips.p_value
    chance = "p < 0.001" if p < 0.001 else f"p {p:.3f}"
    return f"{found.difference:+.4f} [{limits.low:+.4f}, {limits.high:+.4f}], {chance}"


def main() -> None:
    """Fit, or tell of what was fitted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("fit", "tell"))
    parser.add_argument("target", type=Path)
    parser.add_argument("--windows", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    if given.what == "fit":
        fit_all(given.windows, given.target, given.device, given.processes)
    else:
        tell(given.windows, given.target)


if __name__ == "__main__":
    main()
