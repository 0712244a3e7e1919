"""Does a larger batch help? The proposed objective with 256, 1,024 and 4,096 windows, with memory.

    python benchmarks/batch_size.py fit OUT --windows SET [--device cuda] [--processes 15]
    python benchmarks/batch_size.py tell OUT --windows SET

SET is made by `pacl prepare --protocol every`. Every arm is fitted on four fifths of the patients
and judged on the others, five folds, five seeds; nothing is chosen, so nothing is tuned. The recipe
is that of `pacl.rivals` but for the batch. `fit` goes on where it was interrupted.
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

from pacl.evaluation import compare_auroc, compare_patients, count_pairs
from pacl.objectives import CrossBatchMemory, SubjectContrastiveLoss
from pacl.rivals.contrastive import relative_encoder
from pacl.rivals.system import AUGMENTATION, Probed
from pacl.studies.rivals.division import by_patient
from pacl.training import LabelledWindows, PatientSampler, Trainer
from pacl.training.seeds import Seeds
from pacl.windows import WindowSet

FOLDS, FOLD_SEED = 5, 1
SEEDS = (1, 2, 3, 4, 5)
MEMORY = 8192
STEPS = 400


class Arm(NamedTuple):
    """Patients in a batch, windows of each class of each, steps, and windows remembered."""

    patients: int
    windows: int
    steps: int = STEPS
    memory: int = 0

    @property
    def batch(self) -> int:
        """Windows in it."""
        return 2 * self.patients * self.windows

    @property
    def name(self) -> str:
        """For tables and files."""
        remembers = f", {self.memory:,} remembered" if self.memory else ""
        return f"{self.batch:,} windows, {self.steps:,} steps{remembers}"


SHAPES = ((16, 8), (32, 16), (32, 64))
ARMS = (
    *(Arm(*shape, memory=memory) for memory in (0, MEMORY) for shape in SHAPES),
    Arm(16, 8, steps=4 * STEPS),
)
"""The last sees as many windows as batches of 1,024 do."""


def fit(arm: Arm, seed: int, fold: int, source: Path, device: torch.device) -> np.ndarray:
    """What a probe on the fitted encoder says of the windows of a fold."""
    windows, division = divided(source, fold)
    train = windows.select(np.sort(np.concatenate([division.train, division.validation])))
    seeds = Seeds.of(seed)
    encoder = relative_encoder(seeds.of_weights())
    features = encoder.config["projected_features"]
    memory = CrossBatchMemory(arm.memory, features) if arm.memory else None
    objective = SubjectContrastiveLoss(without_positives="skip", memory=memory)
    sampler = PatientSampler.of(
        train,
        generator=np.random.default_rng(seeds.batches),
        patients_per_batch=arm.patients,
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
        breath=AUGMENTATION.breath,
        faults=AUGMENTATION.faults,
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
def opened(source: Path) -> WindowSet:
    """Read once."""
    return WindowSet.open(source)


def path_of(target: Path, arm: Arm, seed: int, fold: int) -> Path:
    """Of what a fit said."""
    name = f"b{arm.batch}-s{arm.steps}-m{arm.memory}"
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
    """What is not there yet, seed by seed, large batches first."""
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
    """A row an arm: AUROC of windows that one model judged, and less that of the first arm."""
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

    print("| batch | seeds | AUROC | less the first | within patients | less the first |")
    print("|---|--:|--:|---|--:|---|")
    scores = {(arm, seed): judged(arm, seed) for arm in ARMS for seed in SEEDS}
    for arm in ARMS:
        seeds = [seed for seed in SEEDS if scores[arm, seed] is not None]
        if not seeds:
            continue
        mine, first = (np.stack([scores[of, s] for s in seeds]) for of in (arm, ARMS[0]))
        pairs, other = (
            [count_pairs(labels, one, patients, models=models) for one in each]
            for each in (mine, first)
        )
        both = pairs[0].both
        own, theirs = (np.stack([one.own[both] for one in each]) for each in (pairs, other))
        less = within = ""
        if arm != ARMS[0]:
            how = (labels, mine, first, patients, np.random.default_rng(0))
            less = text(compare_auroc(*how, models=(models, models)))
            within = text(compare_patients(own, theirs, np.random.default_rng(0)))
        aurocs = [one.auroc for one in pairs]
        print(
            f"| {arm.name} | {len(seeds)} | {np.mean(aurocs):.4f} ± {np.std(aurocs, ddof=1):.4f} "
            f"| {less} | {own.mean():.4f} ± {own.mean(axis=1).std(ddof=1):.4f} | {within} |"
        )


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
