"""The evidence behind the bundled weights: each choice, evaluated out of fold on one cohort.

    python benchmarks/weights_study.py WINDOWS OUT [--only GROUP ...] [--device cuda]

WINDOWS is a set of `pacl prepare --protocol all-beats --split.counts 1 0 0`. Each variant of the
recipe is trained on four fifths of the patients and evaluated on the others, five times, for each
seed; one fleet per group. OUT gets `GROUP.npz` with a logit for each window, by
`variant|seed|minutes`, and for the rivals also weights trained on all patients.
`weights_tables.py` reads them.
"""

import argparse
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
from breathing import breathing_hearts
from weights_variants import GROUPS, Variant

from pacl.axes import Array, Float32
from pacl.evaluation import Platt, Probe
from pacl.evaluation.stacked_probe import fit_probes
from pacl.export import Weights
from pacl.models import full_precision, pool_stacked, stack_weights
from pacl.objectives import SubjectContrastiveLoss
from pacl.records import Rhythm
from pacl.rr import RRWindowSet, RRWindowTensors, refer
from pacl.studies.run import LearningWindows, build_trainer
from pacl.studies.weights.recipe import FOLD_SEED, FOLDS
from pacl.training import Fleet, LabelledWindows, Trainer
from pacl.windows import fold_split, strata

MINUTES = (5.0, 15.0, 30.0, 60.0)
BATCH = 4096
TOGETHER = 8
"""Runs whose embeddings of a cohort are in memory at once."""


def main() -> None:
    """Train and evaluate one group after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("windows", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--epochs", type=int, default=0)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    study = StudyOfWeights(RRWindowSet.open(chosen.windows), torch.device(chosen.device))
    for group in chosen.only:
        began = time.perf_counter()
        variants = GROUPS[group]
        if chosen.epochs:
            variants = tuple(
                replace(v, plan=replace(v.plan, train=replace(v.plan.train, epochs=chosen.epochs)))
                for v in variants
            )
        found, all_patients = study.run(variants)
        np.savez_compressed(chosen.out / f"{group}.npz", **found)
        for name, weights in all_patients.items():
            weights.write(chosen.out / f"{name}.safetensors")
        print(f"{group}: {time.perf_counter() - began:.1f} s", flush=True)


@dataclass(frozen=True)
class Run:
    """A variant, a seed, and the fold that is held out; -1 for none."""

    variant: Variant
    seed: int
    fold: int


class StudyOfWeights:
    """Windows of a cohort on a device, under any reference, and the folds of its patients."""

    def __init__(self, windows: RRWindowSet, device: torch.device) -> None:
        self.windows, self.device = windows, device
        self.fold = np.empty(len(windows), np.int64)
        for fold in range(FOLDS):
            split = fold_split(
                strata(windows.table, windows.class_names),
                folds=FOLDS,
                fold=fold,
                seed=FOLD_SEED,
                validation=False,
            )
            tested = [who for who, part in split.part_of.items() if part == "test"]
            at = [windows.table.patient.names.index(who) for who in tested]
            self.fold[np.isin(windows.table.patient.codes, at)] = fold
        others = np.append(0, np.cumsum(windows.beat_rhythm == Rhythm.OTHER))
        start = windows.table.start
        self.pure = others[start + windows.window_beats] == others[start]
        self._scaled: dict[tuple[str, float], RRWindowSet] = {}
        self.breathing = torch.from_numpy(breathing_hearts().rr_ms).to(device)

    def run(
        self, variants: Sequence[Variant]
    ) -> tuple[dict[str, Float32[Array, "window"]], dict[str, Weights]]:
        """Train all variants as one fleet; logits out of fold, and weights of all patients."""
        runs = [
            Run(variant, seed, fold)
            for variant in variants
            for seed in variant.seeds
            for fold in range(-1 if variant.all_patients else 0, FOLDS)
        ]
        learning: dict[object, LearningWindows] = {}
        trainers = [self._trainer(run, learning) for run in runs]
        began = time.perf_counter()
        fleet = Fleet(trainers, None)
        for _ in fleet:
            pass
        print(f"  {len(runs)} runs trained: {time.perf_counter() - began:.1f} s", flush=True)
        for trainer in trainers:
            trainer.restore_best()
            trainer.encoder.eval()
        return self._evaluate(runs, trainers)

    def _trainer(self, run: Run, learning: dict[object, LearningWindows]) -> Trainer:
        key = (run.variant.reference, run.variant.others, run.fold)
        if key not in learning:
            rows = self._learned(run)
            train = self._under(run.variant.reference, MINUTES[-1]).select(rows)
            on_device = LabelledWindows.of(train, self.device)
            learning[key] = LearningWindows(train, on_device, None, np.empty(0, np.uint64))
        trainer = build_trainer(replace(run.variant.plan, seed=run.seed), learning[key])
        if run.variant.policy is not None:
            assert isinstance(trainer.objective, SubjectContrastiveLoss)
            trainer.objective.policy = run.variant.policy
        return trainer

    def _learned(self, run: Run) -> Array:
        """Which windows a run learns from."""
        rows = self.fold != run.fold
        if not run.variant.others:
            rows &= self.pure
        if run.variant.reference == "hour":
            rows &= self.after_hour()
        return np.flatnonzero(rows)

    def _under(self, reference: str | None, minutes: float) -> RRWindowSet:
        """The windows under a reference, after some minutes of wearing."""
        if reference is None:
            return self.windows
        key = (reference, minutes)
        if key not in self._scaled:
            self._scaled[key] = (
                self._by_hour()
                if reference == "hour"
                else refer(self.windows, reference, minutes=minutes)
            )
        return self._scaled[key]

    def _hours(self) -> dict[str, tuple[float, float, int]]:
        """Median and IQR of each record's first hour of SR, and the beat of the set it ends at."""
        found, table = {}, self.windows.table
        for code, name in enumerate(table.record.names):
            rows = np.flatnonzero(table.record.codes == code)
            if not rows.size:
                continue
            first, last = table.start[rows].min(), table.start[rows].max()
            stop = last + self.windows.window_beats
            sr = first + np.flatnonzero(self.windows.beat_rhythm[first:stop] == Rhythm.SR)
            passed_s = np.cumsum(self.windows.rr_ms[sr], dtype=np.float64) / 1000
            if passed_s.size and passed_s[-1] >= 3600:
                beats = sr[: int(np.searchsorted(passed_s, 3600)) + 1]
                low, middle, high = np.percentile(self.windows.rr_ms[beats], [25, 50, 75])
                found[name] = (float(middle), float(max(high - low, 1)), int(beats[-1]) + 1)
        return found

    def _by_hour(self) -> RRWindowSet:
        table, hours = self.windows.table, self._hours()
        without = (0.0, 1.0, 0)
        scales = np.array([hours.get(name, without) for name in table.record.names])
        chosen = scales[table.record.codes].astype(np.float32)
        table = replace(table, centre_ms=chosen[:, 0], scale_ms=chosen[:, 1])
        return replace(self.windows, table=table)

    def after_hour(self) -> Array:
        """Windows of patients who have an hour of SR, and that hold none of its beats."""
        table, hours = self.windows.table, self._hours()
        end = np.array([hours.get(name, (0, 0, math.inf))[2] for name in table.record.names])
        has = np.isfinite(end)[table.record.codes]
        return has & ((table.start >= end[table.record.codes]) | (table.rhythm == Rhythm.AF))

    @full_precision()
    def _evaluate(
        self, runs: Sequence[Run], trainers: Sequence[Trainer]
    ) -> tuple[dict[str, Float32[Array, "window"]], dict[str, Weights]]:
        found: dict[str, Float32[Array, "window"]] = {}
        all_patients: dict[str, Weights] = {}
        order = sorted(range(len(runs)), key=lambda at: self._alike(runs[at]))
        for _, same in groupby(order, key=lambda at: self._alike(runs[at])):
            alike = list(same)
            for first in range(0, len(alike), TOGETHER):
                some = alike[first : first + TOGETHER]
                self._evaluate_some(
                    [runs[at] for at in some], [trainers[at] for at in some], found, all_patients
                )
        return found, all_patients

    def _alike(self, run: Run) -> tuple[object, ...]:
        return (run.variant.reference or "", run.variant.others, run.fold)

    def _evaluate_some(
        self,
        runs: Sequence[Run],
        trainers: Sequence[Trainer],
        found: dict[str, Float32[Array, "window"]],
        all_patients: dict[str, Weights],
    ) -> None:
        """Fit probes of runs with the same training windows, and evaluate the held-out ones."""
        run = runs[0]
        config = trainers[0].encoder.config
        weights = stack_weights([trainer.encoder for trainer in trainers])
        rows = self._learned(run)
        known = self._embed(config, weights, run, rows, MINUTES[-1])
        labels = torch.tensor(self.windows.table.rhythm[rows], dtype=torch.int64)
        probes = fit_probes(known, labels.to(self.device))
        del known
        if run.fold < 0:
            for at, one in enumerate(runs):
                probe = Probe(probes.weight[at].cpu().numpy(), float(probes.bias[at]))
                name = f"{one.variant.name}-{one.seed}"
                encoder = trainers[at].encoder.cpu()
                all_patients[name] = Weights(name, encoder, probe, Platt(), 200, {})
            return
        if run.variant.reference is None:
            logit = probes.logit(pool_stacked(config, weights, self.breathing))
            for at, one in enumerate(runs):
                key = f"{one.variant.name}|{one.seed}|breathing|{run.fold}"
                found[key] = logit[at].float().cpu().numpy()
        held = np.flatnonzero(self.fold == run.fold)
        causal = run.variant.reference in ("regular", "shrunk")
        for minutes in MINUTES if causal else MINUTES[-1:]:
            unseen = self._embed(config, weights, run, held, minutes)
            logit = probes.logit(unseen).float().cpu().numpy()
            for at, one in enumerate(runs):
                key = f"{one.variant.name}|{one.seed}|{minutes:g}"
                row = found.setdefault(key, np.full(len(self.windows), np.nan, np.float32))
                row[held] = logit[at]

    @torch.no_grad()
    def _embed(
        self,
        config: Mapping[str, object],
        weights: Mapping[str, torch.Tensor],
        run: Run,
        rows: Array,
        minutes: float,
    ) -> torch.Tensor:
        tensors = RRWindowTensors.of(
            self._under(run.variant.reference, minutes).select(rows), self.device
        )
        every = torch.arange(len(tensors), device=self.device)
        parts = [
            pool_stacked(config, weights, tensors.take(some)) for some in torch.split(every, BATCH)
        ]
        return torch.cat(parts, dim=1)


if __name__ == "__main__":
    main()
