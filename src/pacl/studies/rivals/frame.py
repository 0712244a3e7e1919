"""From what every fit said to one frame: dataset x study x condition x method x seed x patient."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pacl.axes import Array, Float64
from pacl.evaluation import NoIntervalError, auroc_interval, measure_auroc
from pacl.studies.rivals.compare import differences, inflation
from pacl.studies.rivals.job import JobResult, RivalJob
from pacl.studies.rivals.protocol import LEAK, patients_text
from pacl.studies.rivals.told import Cell, Part, Told
from pacl.windows import WindowSet

ALL = "all patients"
GEOMETRY = (
    "sr_cohesion",
    "af_cohesion",
    "centroid_distance",
    "centroid_similarity",
    "compactness",
    "patient_compactness",
)


def write_frames(
    target: Path,
    jobs: Iterable[RivalJob],
    windows: Mapping[str, Path],
    few_seeds: tuple[int, ...],
) -> None:
    """Write `results`, `pooled`, `differences` and `inflation` as parquet.

    Few labelled patients are those of `few_seeds`: of other seeds some systems alone know.
    """
    sets = {name: WindowSet.open(path) for name, path in windows.items()}
    parts = sorted(_parts(target, dict.fromkeys(jobs), few_seeds), key=lambda part: part.cell)
    told = [
        Told.of(same, sets[cell.dataset])
        for cell, same in groupby(parts, key=lambda part: part.cell)
    ]
    results = [row for part in parts for row in _patients(part, sets[part.cell.dataset])]
    groups: dict[tuple[str, str, str], dict[str, list[Told]]] = {}
    for one in told:
        key = (one.cell.study, one.cell.condition, one.cell.dataset)
        groups.setdefault(key, {}).setdefault(one.cell.method, []).append(one)
    pooled = [
        row for methods in groups.values() for seeds in methods.values() for row in _pooled(seeds)
    ]
    less = [
        {"study": study, "condition": condition, "dataset": dataset, **row}
        for (study, condition, dataset), methods in groups.items()
        if study != "leak" and condition != ALL  # the latter are those of the main study again
        for row in differences(methods)
    ]
    more = [
        {"dataset": name, **row}
        for name in sets
        for row in inflation({split: groups.get(("leak", split, name), {}) for split in LEAK})
    ]
    for name, rows in (
        ("results", results),
        ("pooled", pooled),
        ("differences", less),
        ("inflation", more),
    ):
        pq.write_table(pa.Table.from_pylist(rows), target / f"{name}.parquet")


def _parts(target: Path, jobs: Iterable[RivalJob], few_seeds: tuple[int, ...]) -> Iterator[Part]:
    """Each fit under every heading that it belongs to."""
    for job in jobs:
        result = JobResult.read(target / job.path)
        cells = [(Cell(job.study, job.condition, job.judged, job.method, job.seed), result.logit)]
        if job.study == "main":
            cells.append((Cell("leak", LEAK[0], job.judged, job.method, job.seed), result.logit))
        if job.study == "main" and job.seed in few_seeds:
            cells.append((Cell("labels", ALL, job.judged, job.method, job.seed), result.logit))
            cells += [
                (Cell("labels", patients_text(k), job.judged, job.method, job.seed), logit)
                for k, logit in result.few.items()
            ]
        for cell, logit in cells:
            yield Part(
                cell,
                job.fold,
                result.rows,
                logit.astype(np.float64),
                result.seconds,
                result.geometry,
                result.device,
            )


def _patients(part: Part, windows: WindowSet) -> Iterator[dict[str, object]]:
    """A row a patient."""
    table = windows.table
    labels, codes = table.rhythm[part.rows].astype(np.int64), table.patient.codes[part.rows]
    for code in np.unique(codes):
        own = codes == code
        af, called = labels[own] == 1, part.logit[own] >= 0
        both = bool(af.any() and not af.all())
        yield {
            "dataset": part.cell.dataset,
            "study": part.cell.study,
            "condition": part.cell.condition,
            "method": part.cell.method,
            "seed": part.cell.seed,
            "fold": part.fold,
            "patient": table.patient.names[code],
            "windows": int(own.sum()),
            "af": int(af.sum()),
            "auroc": measure_auroc(labels[own], part.logit[own]) if both else np.nan,
            "sensitivity": float(called[af].mean()) if af.any() else np.nan,
            "specificity": float((~called[~af]).mean()) if not af.all() else np.nan,
            "logit_mean": float(part.logit[own].mean()),
        }


def _pooled(seeds: list[Told]) -> Iterator[dict[str, object]]:
    """A row a seed; the interval is of their mean."""
    try:
        interval = auroc_interval([one.pairs for one in seeds])
        low, high = interval.low, interval.high
    except NoIntervalError:
        low = high = float("nan")
    for one in seeds:
        af, called = one.labels == 1, one.logit >= 0
        yield {
            "dataset": one.cell.dataset,
            "study": one.cell.study,
            "condition": one.cell.condition,
            "method": one.cell.method,
            "seed": one.cell.seed,
            "auroc": one.pairs.auroc,
            "auroc_low": low,
            "auroc_high": high,
            "auroc_across_models": measure_auroc(one.labels, one.logit),
            "auroc_patient_mean": float(np.mean(own)) if (own := _known(one)).size else np.nan,
            "sensitivity": float(called[af].mean()),
            "specificity": float((~called[~af]).mean()),
            "patients": int(np.unique(one.patients).size),
            "windows": int(one.labels.size),
            "seconds": float(sum(part.seconds for part in one.parts)),
            "device": " and ".join(sorted({part.device for part in one.parts})),
            **{name: _mean(one.parts, name) for name in GEOMETRY},
        }


def _known(told: Told) -> Float64[Array, "patient"]:
    """AUROC of each patient who has one."""
    return told.pairs.own[np.isfinite(told.pairs.own)]


def _mean(parts: tuple[Part, ...], name: str) -> float:
    """The mean over folds of a number of the geometry; no number where a fold has none."""
    found = [part.geometry.get(name) for part in parts]
    return float(np.mean([np.nan if one is None else one for one in found]))
