"""From the predictions of all fits to the four tables of a comparison."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np

from pacl.evaluation import NoIntervalError, auroc_interval, measure_auroc
from pacl.rr import RRWindowSet
from pacl.studies.rivals.compare import differences, inflation
from pacl.studies.rivals.job import JobResult, RivalJob
from pacl.studies.rivals.predictions import (
    FitKey,
    FitPredictions,
    MethodPredictions,
    fold_predictions,
)
from pacl.studies.rivals.protocol import LEAK, patients_text
from pacl.studies.rivals.rows import NAN, PatientRow, PooledRow, write_rows

ALL = "all patients"
GEOMETRY = (
    "sr_cohesion",
    "af_cohesion",
    "centroid_distance",
    "centroid_similarity",
    "compactness",
    "subject_compactness",
)


def write_frames(
    target: Path,
    jobs: Iterable[RivalJob],
    windows: Mapping[str, Path],
    few_seeds: tuple[int, ...],
) -> None:
    """Write `results`, `pooled`, `differences` and `inflation` as parquet.

    Few labelled patients are those of `few_seeds`: not all systems were tried with other seeds.
    """
    sets = {name: RRWindowSet.open(path) for name, path in windows.items()}
    fits = sorted(_fits(target, dict.fromkeys(jobs), sets, few_seeds), key=lambda fit: fit.key)
    groups: dict[tuple[str, str, str], dict[str, list[MethodPredictions]]] = {}
    for key, same in groupby(fits, key=lambda fit: fit.key):
        methods = groups.setdefault((key.study, key.condition, key.dataset), {})
        methods.setdefault(key.method, []).append(MethodPredictions.of(same))
    write_rows(target / "results.parquet", [row for fit in fits for row in _patients(fit)])
    write_rows(
        target / "pooled.parquet",
        [
            row
            for methods in groups.values()
            for seeds in methods.values()
            for row in _pooled(seeds)
        ],
    )
    write_rows(
        target / "differences.parquet",
        [
            row
            for (study, condition, dataset), methods in groups.items()
            if study != "leak" and condition != ALL  # the latter are those of the main study again
            for row in differences(methods, study=study, condition=condition, dataset=dataset)
        ],
    )
    write_rows(
        target / "inflation.parquet",
        [
            row
            for name in sets
            for row in inflation(
                {split: groups.get(("leak", split, name), {}) for split in LEAK}, dataset=name
            )
        ],
    )


def _fits(
    target: Path,
    jobs: Iterable[RivalJob],
    sets: Mapping[str, RRWindowSet],
    few_seeds: tuple[int, ...],
) -> Iterator[FitPredictions]:
    """Each fit under all keys that it belongs to."""
    for job in jobs:
        result = JobResult.read(target / job.path)
        of_job = (job.judged, job.method, job.seed)
        full = result.logit.astype(np.float64)
        found = fold_predictions(sets[job.judged], result.rows, full, job.fold)
        keys = [(FitKey(job.study, job.condition, *of_job), found)]
        if job.study == "main":
            keys.append((FitKey("leak", LEAK[0], *of_job), found))
        if job.study == "main" and job.seed in few_seeds:
            keys.append((FitKey("labels", ALL, *of_job), found))
            keys += [
                (
                    FitKey("labels", patients_text(count), *of_job),
                    replace(found, score=logit.astype(np.float64)),
                )
                for count, logit in result.few.items()
            ]
        about = (result.seconds, result.geometry, result.device)
        yield from (FitPredictions(key, job.fold, one, *about) for key, one in keys)


def _patients(fit: FitPredictions) -> Iterator[PatientRow]:
    """One row per patient."""
    found = fit.predictions
    for code in np.unique(found.subjects):
        own = found.select(found.subjects == code)
        af, called = own.labels == 1, own.logit >= 0
        yield PatientRow(
            dataset=fit.key.dataset,
            study=fit.key.study,
            condition=fit.key.condition,
            method=fit.key.method,
            seed=fit.key.seed,
            fold=fit.fold,
            patient=found.names[code],
            windows=len(own),
            af=int(af.sum()),
            auroc=measure_auroc(own.labels, own.logit) if af.any() and not af.all() else NAN,
            sensitivity=float(called[af].mean()) if af.any() else NAN,
            specificity=float((~called[~af]).mean()) if not af.all() else NAN,
            logit_mean=float(own.logit.mean()),
        )


def _pooled(seeds: list[MethodPredictions]) -> Iterator[PooledRow]:
    """One row per seed; the interval is of their mean."""
    try:
        interval = auroc_interval([one.pairs for one in seeds])
        low, high = interval.low, interval.high
    except NoIntervalError:
        low = high = NAN
    for one in seeds:
        found = one.predictions
        af, called = found.labels == 1, found.logit >= 0
        own = one.pairs.own[np.isfinite(one.pairs.own)]
        yield PooledRow(
            dataset=one.key.dataset,
            study=one.key.study,
            condition=one.key.condition,
            method=one.key.method,
            seed=one.key.seed,
            auroc=one.pairs.auroc,
            auroc_low=low,
            auroc_high=high,
            auroc_across_models=measure_auroc(found.labels, found.logit),
            auroc_subject_mean=float(np.mean(own)) if own.size else NAN,
            sensitivity=float(called[af].mean()),
            specificity=float((~called[~af]).mean()),
            patients=int(np.unique(found.subjects).size),
            windows=len(found),
            seconds=float(sum(fit.seconds for fit in one.fits)),
            device=" and ".join(sorted({fit.device for fit in one.fits})),
            **{name: _mean(one.fits, name) for name in GEOMETRY},
        )


def _mean(fits: tuple[FitPredictions, ...], name: str) -> float:
    """The mean over folds of a number of the geometry; NaN where a fold has none."""
    found = [fit.geometry.get(name) for fit in fits]
    return float(np.mean([NAN if one is None else one for one in found]))
