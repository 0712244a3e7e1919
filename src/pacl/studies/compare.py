"""Runs side by side: the paper's metrics, averaged over seeds where runs differ in nothing else.

A column is marked best where the interval of its paired difference from each other column excludes
0, as in the report of a study.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pacl.evaluation import FEWEST_SUBJECTS, EvaluationError, Interval, SeedComparison
from pacl.studies.errors import RunError
from pacl.studies.folder import RunFolder
from pacl.studies.metric import Metric, metrics_of, value_of
from pacl.studies.outcomes import Outcome
from pacl.studies.patient_statistics import compare_judged, interval_of


@dataclass(frozen=True, slots=True)
class RunScore:
    """A metric of one column.

    Parameters
    ----------
    mean, deviation
        Mean over runs, and the standard deviation where there are several. Geometry is that of the
        runs that did not collapse, of all runs where all did. None where a run has no value.
    interval
        Over patients, None where there is none.
    best
        Whether it is better than that of every other column (`_best`).
    """

    mean: float | None
    deviation: float | None
    interval: Interval | None = None
    best: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """Runs that differ in their seed alone."""

    title: str
    runs: tuple[str, ...]
    seeds: tuple[int, ...]
    scores: tuple[RunScore, ...]
    collapsed: tuple[str, ...] = ()
    """Runs whose embeddings are a point."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Columns of scores, one row per metric."""

    on: str
    metrics: tuple[Metric, ...]
    columns: tuple[Column, ...]
    patients: int

    @property
    def enough(self) -> bool:
        """Whether there are patients enough for intervals, and so for a best column."""
        return self.patients >= FEWEST_SUBJECTS


def compare_runs(runs: Sequence[RunFolder], on: str = "test") -> Comparison:
    """Put runs that were judged on the same windows side by side."""
    _check_same_windows(runs, on)
    groups: dict[str, list[RunFolder]] = {}
    for run in runs:
        groups.setdefault(_kind(run), []).append(run)
    titles = _titles([members[0] for members in groups.values()])
    each = []
    for title, members in zip(titles, groups.values(), strict=True):
        _check_seeds(title, members)
        each.append([Outcome.of_run(run, on) for run in members])
    patients = len(each[0][0].predictions.names)
    metrics = metrics_of(each[0][0].measured.class_names)
    rows = [_row(each, metric, enough=patients >= FEWEST_SUBJECTS) for metric in metrics]
    return Comparison(
        on=on,
        metrics=metrics,
        columns=tuple(
            Column(
                title,
                tuple(run.path.name for run in members),
                tuple(run.plan.seed for run in members if not run.imported),
                tuple(row[at] for row in rows),
                tuple(one.runs[0].path.name for one in each[at] if one.collapsed),
            )
            for at, (title, members) in enumerate(zip(titles, groups.values(), strict=True))
        ),
        patients=patients,
    )


def _row(each: Sequence[Sequence[Outcome]], metric: Metric, *, enough: bool) -> list[RunScore]:
    """A metric of every column."""
    scores = [score_of(runs, metric) for runs in each]
    best = _best(each, scores, metric) if enough else None
    return [replace(score, best=at == best) for at, score in enumerate(scores)]


def score_of(runs: Sequence[Outcome], metric: Metric) -> RunScore:
    """A number of runs that differ in their seed alone, with its interval over patients."""
    counting = _counting(runs, metric)
    values = [value_of(one.measured, metric.key) for one in counting or runs]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return RunScore(None, None)
    deviation = statistics.stdev(known) if len(known) > 1 else None
    return RunScore(statistics.fmean(known), deviation, _interval(counting, metric))


def _counting(runs: Sequence[Outcome], metric: Metric) -> list[Outcome]:
    """Runs whose number means something: geometry of a point does not."""
    return [one for one in runs if not (metric.geometry and one.collapsed)]


def _interval(runs: Sequence[Outcome], metric: Metric) -> Interval | None:
    """Over patients; None where there is none, or too few patients for one."""
    if not runs or not metric.over_patients:
        return None
    try:
        found = interval_of(runs, metric)
    except EvaluationError:
        return None
    return found if found.subjects >= FEWEST_SUBJECTS else None


def _best(
    each: Sequence[Sequence[Outcome]], scores: Sequence[RunScore], metric: Metric
) -> int | None:
    """The column that is better than every other, by the 95 % interval of each difference."""
    counting, better = [_counting(runs, metric) for runs in each], metric.better
    means = {
        at: score.mean * better
        for at, score in enumerate(scores)
        if score.mean is not None and counting[at]
    }
    if len(means) < 2 or not better:
        return None
    first = max(means, key=lambda at: means[at])
    others = [at for at in means if at != first]
    ahead = all(_ahead(counting[first], counting[at], metric) for at in others)
    return first if ahead else None


def _ahead(first: Sequence[Outcome], second: Sequence[Outcome], metric: Metric) -> bool:
    """Whether the interval of the difference lies on the better side of 0.

    Over patients and seeds where both columns have the same seeds, several of them. Over patients
    alone, for these very runs, where not: then every run is paired with every other.
    """
    shared = [(a, b) for a in first for b in second if a.seed == b.seed >= 0]
    pairs = shared if len(shared) > 1 else [(a, b) for a in first for b in second]
    try:
        found = compare_judged([a for a, _ in pairs], [b for _, b in pairs], metric)
    except EvaluationError:
        return False
    if isinstance(found, SeedComparison):
        return len(shared) > 1 and min(found.low * metric.better, found.high * metric.better) > 0
    over_both = found.over_both if len(shared) > 1 else None
    interval = over_both or found.over_subjects
    enough = found.subjects >= FEWEST_SUBJECTS
    return enough and min(interval.low * metric.better, interval.high * metric.better) > 0


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
