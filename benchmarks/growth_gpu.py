"""Growth on the GPU: validation by windows, a captured step by its batch, an epoch by its runs."""

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from growth_cpu import BATCHES, ENOUGH_S, PASSES, WINDOWS, rows_of
from growth_lines import Line, Point

from pacl.evaluation import ProbeScore, StackedProbeScore
from pacl.models import stack_weights
from pacl.rr import RRWindowSet, RRWindowTensors
from pacl.studies import Plan, SamplerSettings, TrainSettings
from pacl.studies.run import LearningWindows, build_model, build_trainer
from pacl.training import Fleet, LabelledWindows, Seeds, SubjectSampler, Trainer

RUNS = (1, 2, 4, 8, 15, 30, 45, 60, 90)
TABLE = 15
"""Runs of the paper's table: three losses, five seeds."""

LOSSES = ("patient-aware", "supcon", "bce")
PLAN = Plan(train=TrainSettings(patience=1000))
PATIENTS, TURNS = 16, 2
"""Who make the batches of a step: no set has patients with enough windows for the largest."""

STEPS = 16
DEVICE = torch.device("cuda")


def windows(path: Path, most: int | None = None) -> list[Line]:
    """Validation of 15 runs: embedding, probes, AUROC; a fifth as many windows to validate on."""
    found = RRWindowSet.open(path)
    encoders = [build_model(plan)[0] for plan in _plans(TABLE)]
    weights = {name: value.to(DEVICE) for name, value in stack_weights(encoders).items()}
    points = []
    for size in WINDOWS[:most]:
        _forget()
        parts = [
            _repeated(found.part(part), count)
            for part, count in (("train", size), ("validation", size // 5))
        ]
        score = StackedProbeScore([ProbeScore(*parts)] * TABLE)
        call = _Judged(score, encoders[0].config, weights)
        points.append(_point(size, call))
    return [Line(f"validate {TABLE} runs", "GPU", tuple(points))]


def batch(path: Path, most: int | None = None) -> list[Line]:
    """A captured step of 15 runs, on windows of the set given to made-up patients."""
    found = RRWindowSet.open(path).part("train")
    points = []
    for size in BATCHES[:most]:
        _forget()
        replay = _Steps(found, size // 16)
        point = _point(size, replay)
        points.append(replace(point, seconds=point.seconds / replay.steps))
        del replay
    return [Line(f"train a step of {TABLE} runs", "GPU", tuple(points))]


def runs(path: Path, most: int | None = None) -> list[Line]:
    """An epoch of a fleet, steps and validation apart; both end when the host has their numbers."""
    found = RRWindowSet.open(path)
    learning = LearningWindows.of(found.part("train"), found.part("validation"), DEVICE)
    steps, validations = [], []
    for count in RUNS[:most]:
        _forget()
        trainers = [build_trainer(plan, learning) for plan in _plans(count)]
        watched = _Watched(StackedProbeScore([trainer.score for trainer in trainers]))
        fleet = Fleet(trainers, watched)
        fleet.run_epoch()
        logs = [list(fleet.run_epoch().values()) for _ in range(3)]
        for points, name, peak in (
            (steps, "seconds", watched.before),
            (validations, "score_seconds", watched.within),
        ):
            times = [sum(getattr(log, name) for log in told) for told in logs]
            points.append(Point(count, min(times), len(times), peak))
        del fleet, trainers, watched
    return [
        Line("steps of an epoch", "GPU", tuple(steps)),
        Line("validation after it", "GPU", tuple(validations)),
    ]


class _Judged:
    """Judges the same encoders again and again."""

    def __init__(
        self, score: StackedProbeScore, config: Mapping[str, Any], weights: Mapping[str, Any]
    ) -> None:
        self.score, self.config, self.weights = score, config, weights

    def __call__(self) -> None:
        self.score(self.config, self.weights, range(TABLE))


class _Steps:
    """A fleet in the middle of an epoch; takes some of its steps again and again."""

    def __init__(self, found: RRWindowSet, per_class: int) -> None:
        labels = np.tile(np.repeat(np.arange(2), TURNS * per_class), PATIENTS)
        patients = np.repeat(np.arange(PATIENTS), 2 * TURNS * per_class)
        own = [np.flatnonzero(found.table.rhythm == rhythm) for rhythm in (0, 1)]
        rows = np.empty(labels.size, dtype=np.int64)
        for rhythm in (0, 1):
            of = labels == rhythm
            rows[of] = own[rhythm][rows_of(int(of.sum()), own[rhythm].size)]
        given = LabelledWindows(
            RRWindowTensors.of(found.select(rows), DEVICE),
            torch.tensor(labels, device=DEVICE),
            torch.tensor(patients, device=DEVICE),
        )
        trainers = [
            _trainer(plan, given, labels, patients, per_class) for plan in _plans(TABLE, per_class)
        ]
        self.packed = Fleet(trainers, lambda config, weights, runs: [0.5] * len(runs)).packed
        self.steps = min(STEPS, int(self.packed.set_epoch(range(TABLE)).min()))

    def __call__(self) -> None:
        self.packed.at.zero_()
        for _ in range(self.steps):
            self.packed.advance()


class _Watched:
    """A score that notes GPU memory: the peak since it was last asked, and its own."""

    def __init__(self, score: StackedProbeScore) -> None:
        self.score, self.before, self.within = score, 0.0, 0.0

    def __call__(
        self, config: Mapping[str, Any], weights: Mapping[str, Any], runs: Sequence[int]
    ) -> list[float]:
        self.before = max(self.before, _peak_mib())
        torch.cuda.reset_peak_memory_stats()
        found = self.score(config, weights, runs)
        self.within = max(self.within, _peak_mib())
        torch.cuda.reset_peak_memory_stats()
        return found


def _plans(count: int, per_class: int = 16) -> list[Plan]:
    plan = replace(PLAN, sampler=SamplerSettings(windows=per_class))
    return [replace(plan, loss=LOSSES[run % 3], seed=run // 3 + 1) for run in range(count)]


def _trainer(
    plan: Plan, given: LabelledWindows, labels: np.ndarray, patients: np.ndarray, per_class: int
) -> Trainer:
    seeds = Seeds.of(plan.seed)
    return Trainer(
        *build_model(plan),
        given,
        SubjectSampler(
            labels,
            patients,
            generator=np.random.default_rng(seeds.batches),
            windows_per_class=per_class,
        ),
        lambda encoder: 0.5,
        generator=torch.Generator(DEVICE).manual_seed(seeds.dropout),
    )


def _repeated(part: RRWindowSet, count: int) -> LabelledWindows:
    return LabelledWindows.of(part.select(rows_of(count, len(part))), DEVICE)


def _point(size: int, work: Callable[[], None]) -> Point:
    """The best of a few passes, after one that compiles and captures."""
    work()
    times: list[float] = []
    while len(times) < PASSES and sum(times) < ENOUGH_S:
        torch.cuda.synchronize()
        began = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    return Point(size, min(times), len(times), _peak_mib())


def _peak_mib() -> float:
    return torch.cuda.max_memory_allocated() / 2**20


def _forget() -> None:
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
