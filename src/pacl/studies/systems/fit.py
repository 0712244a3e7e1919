"""Fitting one system in a study: its windows, its fold, its result."""

import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch.backends import cudnn

from pacl.axes import Array, Float32, Int64
from pacl.errors import PaclError
from pacl.evaluation import measure_geometry
from pacl.one_thread import one_thread
from pacl.settings import SYSTEMS, ComparisonSettings
from pacl.studies.errors import RunError
from pacl.studies.systems.divide import TEST, TRAIN, VALIDATION, divide_fold
from pacl.studies.systems.result import AboutFit, FitResult, SystemFit
from pacl.systems import Learn, System, as_read, placed
from pacl.training import EpochLog
from pacl.windows import WindowSet, strata
from pacl.work import Say

SHOWN = 40
"""Windows of each subject and class in the picture of embeddings."""


@dataclass(frozen=True, slots=True)
class FitPlace:
    """Where the windows of a study are and its results go."""

    target: Path
    windows: Path
    settings: ComparisonSettings
    device: str


def fit_system(place: FitPlace, fit: SystemFit, say: Say) -> None:
    """Fit a system on one core and keep the result; sends the log of each epoch."""
    try:
        # cuDNN measures its algorithms: its own choice for long convolutions is much slower.
        with one_thread(), cudnn.flags(enabled=True, benchmark=True):
            result = run_fit(
                fit, _opened(place.windows), place.settings, torch.device(place.device), say
            )
        result.write(place.target / fit.path)
    except (PaclError, OSError):
        raise
    except (RuntimeError, ValueError) as error:
        raise RunError(
            fit.name, f"{type(error).__name__}: {error}", "see --systems, to leave it out"
        ) from error


@lru_cache(maxsize=1)
def _opened(path: Path) -> WindowSet:
    return WindowSet.open(path)


def run_fit(
    fit: SystemFit,
    windows: WindowSet,
    settings: ComparisonSettings,
    device: torch.device,
    say: Say = lambda message: None,
) -> FitResult:
    """Fit a system on the training subjects of a fold, and judge the windows of the others."""
    system: System = SYSTEMS.named(fit.system).make()
    held_out = settings.validation if system.holds_out(settings) else 0.0
    split = divide_fold(
        strata(windows.table, windows.class_names),
        folds=settings.folds,
        fold=fit.fold,
        seed=settings.fold_seed,
        validation=held_out,
    )
    divided, turns = windows.divided(split), dict[str, int]()
    part = divided.table.split
    if settings.input.ring:
        divided, turns = placed(divided, part.is_(TRAIN))
    read = as_read(divided, system.reads, settings.input)
    train, epochs = read.part(TRAIN), 0

    def on_epoch(log: EpochLog) -> None:
        nonlocal epochs
        epochs = log.epoch
        say(log)

    began = time.perf_counter()
    fitted = system.fit(
        Learn(
            train,
            read.part(VALIDATION) if held_out else None,
            settings,
            fit.seed,
            device,
            on_epoch,
        )
    )
    seconds = time.perf_counter() - began
    unseen = read.part(TEST)
    embedded = fitted.embed(unseen)
    shown, points = np.empty(0, np.int64), None
    if embedded is not None and (fit.seed, fit.fold) == (settings.seeds[0], 0):
        shown = _some_of_each(read)
        points = fitted.embed(read.select(shown))
    about = AboutFit(
        fit=fit,
        seconds=seconds,
        epochs=epochs,
        device=device.type if system.reads == "signal" else "cpu",
        subjects=len(train.table.subject.present()),
        turns=turns,
        geometry={} if embedded is None else _geometry(embedded, unseen),
    )
    return FitResult(
        about=about,
        rows=np.flatnonzero(part.is_(TEST)),
        probability=fitted.probability(unseen).astype(np.float32),
        shown=shown,
        embedded=np.empty((0, 0), np.float32) if points is None else points,
    )


def _some_of_each(windows: WindowSet) -> Int64[Array, "shown"]:
    """At most so many windows of each subject and class, spread over time."""
    table, rows = windows.table, []
    both = table.subject.codes.astype(np.int64) * len(windows.class_names) + table.labels
    for group in np.unique(both):
        found = np.flatnonzero(both == group)
        rows.append(found[np.linspace(0, found.size - 1, min(SHOWN, found.size)).astype(int)])
    return np.sort(np.concatenate(rows))


def _geometry(
    embedded: Float32[Array, "window feature"], windows: WindowSet
) -> dict[str, dict[str, float | None]]:
    """How the classes of each subject lie on the sphere (Eqs. 6-10, within a subject)."""
    table = windows.table
    names = table.subject.present()
    found = measure_geometry(
        embedded,
        table.labels,
        table.subject.codes,
        table.subject.names,
        class_names=windows.class_names,
    )
    return {
        one.subject: {
            "cohesion": _mean([value for value in one.cohesion if value is not None]),
            "centroid_distance": one.centroid_distance,
            "centroid_similarity": one.centroid_similarity,
            "compactness": one.compactness,
        }
        for one in found.per_subject
        if one.subject in names
    }


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
