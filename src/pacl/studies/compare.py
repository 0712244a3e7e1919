"""Runs side by side: the paper's metrics, averaged over seeds where runs differ in nothing else."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pacl.evaluation import EvaluationError, read_evaluation
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of an evaluation, and which way is better: 1 up, -1 down, 0 neither."""

    name: str
    key: str
    better: int = 1


METRICS = (
    Metric("AUROC", "detection.auroc"),
    Metric("AUROC, mean over patients", "detection.auroc_patient_mean"),
    Metric("AUROC, worst tenth of patients", "detection.auroc_worst_tenth"),
    Metric("AF precision", "detection.af.precision"),
    Metric("AF recall (sensitivity)", "detection.af.recall"),
    Metric("AF F1", "detection.af.f1"),
    Metric("SR precision", "detection.sr.precision"),
    Metric("SR recall (specificity)", "detection.sr.recall"),
    Metric("SR F1", "detection.sr.f1"),
    Metric("Accuracy", "detection.accuracy"),
    Metric("Brier score", "detection.calibration.brier", -1),
    Metric("Calibration error", "detection.calibration.expected_error", -1),
    Metric("SR cohesion", "pooled.sr.cohesion"),
    Metric("AF cohesion", "pooled.af.cohesion"),
    Metric("SR cohesion, global", "pooled.sr.global_cohesion", 0),
    Metric("AF cohesion, global", "pooled.af.global_cohesion", 0),
    Metric("Centroid similarity", "pooled.centroid_similarity", -1),
    Metric("Centroid distance", "pooled.centroid_distance"),
    Metric("Compactness, global", "pooled.compactness"),
    Metric("Compactness per patient", "pooled.patient_compactness"),
    Metric("SR patients' spread ratio", "pooled_spread.sr.spread_ratio", 0),
    Metric("AF patients' spread ratio", "pooled_spread.af.spread_ratio", 0),
)
"""What is shown of an evaluation, in this order; geometry is that of pooled embeddings."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A metric of one column: mean over runs, and the standard deviation where there are several.

    A run in which the metric has no value makes the cell None.
    """

    mean: float | None
    deviation: float | None


@dataclass(frozen=True, slots=True)
class Column:
    """Runs that differ in their seed alone."""

    title: str
    runs: tuple[str, ...]
    seeds: tuple[int, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Columns of cells, a row a metric."""

    on: str
    metrics: tuple[Metric, ...]
    columns: tuple[Column, ...]

    def best(self, row: int) -> set[int]:
        """Columns that are best in a row; none where there is nothing to be better than."""
        better = self.metrics[row].better
        means = [column.cells[row].mean for column in self.columns]
        values = {at: mean * better for at, mean in enumerate(means) if mean is not None}
        if len(values) < 2 or not better:
            return set()
        return {at for at, value in values.items() if value == max(values.values())}


def compare_runs(runs: Sequence[RunFolder], on: str = "test") -> Comparison:
    """Put runs that were judged on the same windows side by side."""
    _check_same_windows(runs, on)
    groups: dict[str, list[RunFolder]] = {}
    for run in runs:
        groups.setdefault(_kind(run), []).append(run)
    titles = _titles([members[0] for members in groups.values()])
    return Comparison(
        on=on,
        metrics=METRICS,
        columns=tuple(
            _column(title, members, on)
            for title, members in zip(titles, groups.values(), strict=True)
        ),
    )


def _kind(run: RunFolder) -> str:
    """Equal for runs that differ in their seed alone."""
    if run.imported:
        return repr(run.config["imported"])
    origin = run.origin
    return repr((replace(run.plan, seed=0), origin and origin.digest))


def _titles(firsts: Sequence[RunFolder]) -> list[str]:
    """The loss of each column, and where that is not enough, what sets it apart."""
    titles = []
    for run in firsts:
        alike = [
            other
            for other in firsts
            if other.title == run.title and other is not run and not run.imported
        ]
        differ = [
            text.split(" / ")[0]
            for other in alike
            for text in run.plan.differences(other.plan)
            if not text.startswith("seed ")
        ]
        if run.origin and any(o.origin and o.origin.digest != run.origin.digest for o in alike):
            differ.append(f"trained on {Path(run.origin.path).name}")
        titles.append(", ".join([run.title, *dict.fromkeys(differ)]))
    return titles


def _check_seeds(title: str, runs: Sequence[RunFolder]) -> None:
    """Refuse to average a run with itself."""
    seeds = [run.plan.seed for run in runs if not run.imported]
    if len(seeds) < len(runs) > 1:
        raise RunError(runs[1].path, f"{title} is named {len(runs)} times", "name it once")
    for run in runs[: len(seeds)]:
        if seeds.count(run.plan.seed) > 1:
            raise RunError(
                run.path,
                f"{seeds.count(run.plan.seed)} runs of {title} have seed {run.plan.seed}",
                "name each run once, and give runs seeds of their own",
            )


def _column(title: str, runs: Sequence[RunFolder], on: str) -> Column:
    _check_seeds(title, runs)
    measured = [read_evaluation(run.evaluated_where(on)) for run in runs]
    cells = []
    for metric in METRICS:
        values = [value_of(one, metric.key) for one in measured]
        known = [value for value in values if value is not None]
        whole = len(known) == len(values)
        cells.append(
            Cell(
                mean=statistics.fmean(known) if whole else None,
                deviation=statistics.stdev(known) if whole and len(known) > 1 else None,
            )
        )
    return Column(
        title,
        tuple(run.path.name for run in runs),
        tuple(run.plan.seed for run in runs if not run.imported),
        tuple(cells),
    )


def value_of(measured: Mapping[str, Any], key: str) -> float | None:
    """A number of an evaluation, by its dotted key."""
    value: Any = measured
    try:
        for part in key.split("."):
            value = value[part]
        return None if value is None else float(value)
    except (KeyError, TypeError, ValueError) as error:
        raise EvaluationError(f"evaluation.json lacks {key}; evaluate the run again") from error


def _check_same_windows(runs: Sequence[RunFolder], on: str) -> None:
    digests: dict[str, str] = {}
    for run in runs:
        run.evaluated_where(on)
        origin = run.origin_of(on)
        digests[str(run.path)] = origin.digest if origin else ""
    if len(set(digests.values())) > 1:
        first, *others = digests
        other = next(name for name in others if digests[name] != digests[first])
        raise RunError(
            other,
            f"its {on!r} windows are not those of {first}",
            "compare runs that were judged on the same window set",
        )
