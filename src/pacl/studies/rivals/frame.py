"""From what every fit said to one frame: dataset x study x condition x method x seed x patient."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pacl.axes import Array, Float64, Int64
from pacl.evaluation import (
    NoIntervalError,
    PatientComparison,
    auroc_interval,
    compare_auroc,
    compare_patients,
    count_pairs,
    measure_auroc,
)
from pacl.studies.rivals.job import JobResult, RivalJob
from pacl.studies.rivals.protocol import LEAK, patients_text
from pacl.windows import WindowSet

REFERENCES = ("proposed", "statistics")
"""Systems that the others are held against."""

ALL = "all patients"
GEOMETRY = (
    "sr_cohesion",
    "af_cohesion",
    "centroid_similarity",
    "compactness",
    "patient_compactness",
)


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """What a number is of."""

    study: str
    condition: str
    dataset: str
    method: str
    seed: int


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """What was said of the windows of one fold, or of all."""

    cell: Cell
    fold: int
    rows: Int64[Array, "window"]
    logit: Float64[Array, "window"]
    seconds: float
    geometry: Mapping[str, float | None]


@dataclass(frozen=True, eq=False, slots=True)
class Told:
    """All that was said under a cell, one window once, and what the windows are."""

    cell: Cell
    labels: Int64[Array, "window"]
    patients: Int64[Array, "window"]
    names: tuple[str, ...]
    logit: Float64[Array, "window"]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, parts: Iterable[Part], windows: WindowSet) -> "Told":
        """Lay parts end to end, in the order of their windows."""
        parts = tuple(sorted(parts, key=lambda part: part.fold))
        rows = np.concatenate([part.rows for part in parts])
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        return cls(
            cell=parts[0].cell,
            labels=windows.table.rhythm[rows].astype(np.int64),
            patients=windows.table.patient.codes[rows].astype(np.int64),
            names=windows.table.patient.names,
            logit=np.concatenate([part.logit for part in parts])[order],
            parts=parts,
        )


def write_frames(target: Path, jobs: Iterable[RivalJob], windows: Mapping[str, Path]) -> None:
    """Write `results`, `pooled` and `differences` as parquet."""
    sets = {name: WindowSet.open(path) for name, path in windows.items()}
    parts = sorted(_parts(target, dict.fromkeys(jobs)), key=lambda part: part.cell)
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
    differences = [
        {"study": key[0], "condition": key[1], "dataset": key[2], **row}
        for key, methods in groups.items()
        if key[0] in ("main", "elsewhere")
        for row in _differences(methods)
    ]
    for name, rows in (("results", results), ("pooled", pooled), ("differences", differences)):
        pq.write_table(pa.Table.from_pylist(rows), target / f"{name}.parquet")


def _parts(target: Path, jobs: Iterable[RivalJob]) -> Iterator[Part]:
    """Each fit under every heading that it belongs to."""
    first: dict[str, int] = {}
    for job in jobs:
        result = JobResult.read(target / job.path)
        cells = [(Cell(job.study, job.condition, job.judged, job.method, job.seed), result.logit)]
        if job.study == "main":
            tuned_with = first.setdefault(job.method, job.seed)
            cells.append((Cell("leak", LEAK[0], job.judged, job.method, job.seed), result.logit))
            if job.seed == tuned_with:
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
    pairs = [count_pairs(one.labels, one.logit, one.patients, one.names) for one in seeds]
    same = all(np.array_equal(one.labels, seeds[0].labels) for one in seeds)
    try:
        interval = auroc_interval(pairs if same else pairs[:1])
        low, high = interval.low, interval.high
    except NoIntervalError:
        low = high = float("nan")
    for one in seeds:
        own = _own(one)
        af, called = one.labels == 1, one.logit >= 0
        yield {
            "dataset": one.cell.dataset,
            "study": one.cell.study,
            "condition": one.cell.condition,
            "method": one.cell.method,
            "seed": one.cell.seed,
            "auroc": measure_auroc(one.labels, one.logit),
            "auroc_low": low,
            "auroc_high": high,
            "auroc_patient_mean": float(np.mean(own)) if own.size else float("nan"),
            "sensitivity": float(called[af].mean()),
            "specificity": float((~called[~af]).mean()),
            "patients": int(np.unique(one.patients).size),
            "windows": int(one.labels.size),
            "seconds": float(sum(part.seconds for part in one.parts)),
            **{name: _mean(one.parts, name) for name in GEOMETRY},
        }


def _mean(parts: tuple[Part, ...], name: str) -> float:
    """The mean over folds of a number of the geometry; no number where a fold has none."""
    found = [part.geometry.get(name) for part in parts]
    return float(np.mean([np.nan if one is None else one for one in found]))


def _differences(methods: Mapping[str, list[Told]]) -> Iterator[dict[str, object]]:
    """Every method less each reference: all windows together, and within patients."""
    for reference in REFERENCES:
        if reference not in methods:
            continue
        for method, seeds in methods.items():
            mine = {one.cell.seed: one for one in seeds}
            theirs = {one.cell.seed: one for one in methods[reference]}
            common = sorted(mine.keys() & theirs.keys())
            if method == reference or not common:
                continue
            pairs = [(mine[seed], theirs[seed]) for seed in common]
            first, second = (
                np.stack([one.logit for one in each]) for each in zip(*pairs, strict=True)
            )
            like, random = seeds[0], np.random.default_rng(0)
            own, other = (
                np.stack([_own(one) for one in each]) for each in zip(*pairs, strict=True)
            )
            for measure, compare in (
                (
                    "all windows",
                    partial(compare_auroc, like.labels, first, second, like.patients, random),
                ),
                ("within patients", partial(compare_patients, own, other, random)),
            ):
                yield {
                    "method": method,
                    "reference": reference,
                    "measure": measure,
                    "seeds": len(common),
                    **_difference(compare),
                }


def _difference(compare: Callable[[], PatientComparison]) -> dict[str, float | None]:
    """A comparison in numbers; nothing where all patients are the same under both systems."""
    try:
        found = compare()
    except NoIntervalError:
        names = ("estimate", "low", "high", "p", "seeds_better", "patients_better")
        return dict.fromkeys(names, float("nan"))
    return {
        "estimate": found.difference,
        "low": found.over_patients.low,
        "high": found.over_patients.high,
        "p": found.flips.p_value,
        "seeds_better": found.seeds_better,
        "patients_better": found.patients_better,
    }


def _own(told: Told) -> Float64[Array, "patient"]:
    """AUROC of each patient who has both rhythms."""
    found = []
    for code in np.unique(told.patients):
        rows = told.patients == code
        if np.unique(told.labels[rows]).size == 2:
            found.append(measure_auroc(told.labels[rows], told.logit[rows]))
    return np.array(found, dtype=np.float64)
