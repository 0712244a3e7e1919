"""Fitting one system in a study: its windows, its division, its result."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.backends import cudnn

from pacl.axes import Array, Float32
from pacl.errors import PaclError
from pacl.evaluation import measure_auroc, measure_geometry
from pacl.one_thread import one_thread
from pacl.records import Rhythm
from pacl.rivals import Fitted, Learn, system_named
from pacl.rr import RRWindowSet
from pacl.studies.errors import RunError
from pacl.studies.rivals.division import Division, across_cohorts, by_patient, by_window
from pacl.studies.rivals.job import JobResult, RivalJob
from pacl.work import Say


@dataclass(frozen=True, slots=True)
class Place:
    """Where the windows of a study are and its results go.

    Parameters
    ----------
    target
        Folder of the study.
    windows
        Window sets by the name of their cohort; the first is the cohort of the main study.
    folds
        Of each cohort.
    fold_seed
        Decides who is in which fold.
    few
        Numbers of patients that probes of self-supervised systems are fitted on.
    device
        `cpu` or `cuda`.
    """

    target: Path
    windows: Mapping[str, Path]
    folds: Mapping[str, int]
    fold_seed: int
    few: tuple[int, ...]
    device: str


def fit_job(place: Place, job: RivalJob, say: Say) -> None:
    """Fit a system on one core and keep the result; a fit has no messages."""
    learned, judged = _opened(place.windows[job.learned]), _opened(place.windows[job.judged])
    main = job.study == "main" and job.learned == next(iter(place.windows))
    try:
        # cuDNN measures its algorithms: its own choice for long convolutions is much slower.
        with one_thread(), cudnn.flags(enabled=True, benchmark=True):
            result = run_job(
                job,
                learned,
                judged,
                division_of(job, place, learned, judged),
                few=place.few if main else (),
                device=torch.device(place.device),
            )
        result.write(place.target / job.path, job)
    except (PaclError, OSError):
        raise
    except (RuntimeError, ValueError) as error:
        raise RunError(job.path, f"{type(error).__name__}: {error}", "see --only") from error


def division_of(job: RivalJob, place: Place, learned: RRWindowSet, judged: RRWindowSet) -> Division:
    """The rows of a fit."""
    if job.study == "elsewhere":
        return across_cohorts(learned, judged)
    folds = place.folds[job.learned]
    if job.study == "leak":
        apart = job.condition == "windows apart"
        return by_window(learned, folds, job.fold, place.fold_seed, apart=apart)
    found = by_patient(learned, folds, job.fold, place.fold_seed)
    return found.few(learned, job.patients, job.seed, job.fold) if job.patients else found


@lru_cache(maxsize=4)
def _opened(path: Path) -> RRWindowSet:
    return RRWindowSet.open(path)


def run_job(
    job: RivalJob,
    learned: RRWindowSet,
    judged: RRWindowSet,
    division: Division,
    *,
    few: tuple[int, ...] = (),
    device: torch.device,
) -> JobResult:
    """Fit a system and compute the logits of its test windows.

    Parameters
    ----------
    learned, judged
        Window sets of the training and the test cohort.
    division
        Rows for training, validation and test.
    few
        For self-supervised systems: numbers of patients whose labels a probe is fitted on.
    """
    system = system_named(job.method)
    train = learned.select(division.train)
    began = time.perf_counter()
    fitted = system.fit(
        Learn(train, seed=job.seed, steps=job.steps, device=device), system.trials[job.trial]
    )
    seconds = time.perf_counter() - began
    held = judged.select(division.test)
    logit = fitted.logit(held).astype(np.float32)
    probes: dict[int, Float32[Array, "window"]] = {}
    if system.kind == "self-supervised":
        for count in few:
            rows = division.of_few(learned, count, job.seed, job.fold)
            again = fitted.probed(learned.select(rows))
            if again is not None:
                probes[count] = again.logit(held).astype(np.float32)
    return JobResult(
        rows=division.test,
        logit=logit,
        few=probes,
        validation=_validation(fitted, learned, division),
        seconds=seconds,
        geometry=_geometry(fitted, held),
        device="cpu" if system.kind == "features" else device.type,
    )


def _validation(fitted: Fitted, windows: RRWindowSet, division: Division) -> float | None:
    if not division.validation.size:
        return None
    held = windows.select(division.validation)
    return measure_auroc(held.table.rhythm.astype(np.int64), fitted.logit(held))


def _geometry(fitted: Fitted, held: RRWindowSet) -> dict[str, Any]:
    pooled = fitted.embed(held)
    if pooled is None:
        return {}
    table = held.table
    found = measure_geometry(
        pooled, table.rhythm.astype(np.int64), table.patient.codes, table.patient.names
    )
    return {
        "sr_cohesion": found.classes[Rhythm.SR].cohesion,
        "af_cohesion": found.classes[Rhythm.AF].cohesion,
        "centroid_distance": found.centroid_distance,
        "centroid_similarity": found.centroid_similarity,
        "compactness": found.compactness,
        "subject_compactness": found.subject_compactness,
    }
