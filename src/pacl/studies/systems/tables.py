"""From the predictions of all fits to the files of a finished comparison."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from pacl.atomic_write import atomic_write
from pacl.axes import Array, Int64
from pacl.evaluation import Predictions, predicted_classes, score_confusion
from pacl.settings import SYSTEMS, ComparisonSettings
from pacl.studies.errors import RunError
from pacl.studies.provenance import as_json
from pacl.studies.systems.result import AboutFit, FitResult, SystemFit
from pacl.windows import WindowSet

PREDICTIONS, SUBJECTS, SUMMARY = "predictions", "subjects.parquet", "summary.json"
GEOMETRY = ("cohesion", "centroid_distance", "centroid_similarity", "compactness")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRow:
    """One subject, tested by one system with one seed; None is a number that has no value."""

    system: str
    seed: int
    fold: int
    subject: str
    windows: int
    balanced_accuracy: float
    auroc: float | None
    macro_f1: float
    accuracy: float
    cohesion: float | None = None
    centroid_distance: float | None = None
    centroid_similarity: float | None = None
    compactness: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSummary:
    """One system: its title, the windows of each class by what they were taken for, its cost.

    `confusion` counts each window once for each seed. `seconds` is over all folds of one seed.
    """

    name: str
    title: str
    reads: str
    confusion: tuple[tuple[int, ...], ...]
    seeds: int
    seconds: float
    epochs: float
    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A finished comparison, besides the scores of its subjects."""

    class_names: tuple[str, ...]
    subjects: int
    windows: int
    channels: int
    length: int
    sampling_hz: float | None
    systems: tuple[SystemSummary, ...]
    turns: dict[str, int]
    """Of the fit with the first seed that tested each subject."""


def write_tables(
    target: Path, windows: WindowSet, settings: ComparisonSettings, fits: Sequence[SystemFit]
) -> None:
    """Write predictions of each window, scores of each subject, and the summary."""
    (target / PREDICTIONS).mkdir(exist_ok=True)
    rows: list[SubjectRow] = []
    systems: list[SystemSummary] = []
    turns: dict[str, int] = {}
    for name in settings.systems:
        results = [FitResult.read(target / fit.path) for fit in fits if fit.system == name]
        results.sort(key=lambda one: (settings.seeds.index(one.about.fit.seed), one.about.fit.fold))
        check_complete(target, name, windows, results)
        found = [_predictions(windows, result) for result in results]
        _write_predictions(target / PREDICTIONS / f"{name}.parquet", windows, results, found)
        for result, one in zip(results, found, strict=True):
            rows += _subject_rows(result.about, one)
            if result.about.fit.seed == settings.seeds[0]:
                turns |= {who: result.about.turns[who] for who in tested(one) if result.about.turns}
        systems.append(_summary(name, windows, results, found))
    _write_rows(target / SUBJECTS, rows)
    summary = Summary(
        class_names=windows.class_names,
        subjects=len(windows.table.subject.present()),
        windows=len(windows),
        channels=windows.channels,
        length=windows.length,
        sampling_hz=windows.sampling_hz,
        systems=tuple(systems),
        turns=turns,
    )
    stated = {"summary": asdict(summary), "settings": settings.to_dict()}
    atomic_write(target / SUMMARY, as_json(stated))


def check_complete(
    target: Path, name: str, windows: WindowSet, results: Iterable[FitResult]
) -> None:
    """Refuse results that do not test each window once for each seed."""
    for seed, same in groupby(results, key=lambda one: one.about.fit.seed):
        rows = np.concatenate([one.rows for one in same])
        if not np.array_equal(np.sort(rows), np.arange(len(windows))):
            raise RunError(
                target / "fits" / name,
                f"with seed {seed}, its folds do not test each window once",
                "remove the folder and run again",
            )


def tested(found: Predictions) -> tuple[str, ...]:
    """The subjects who were tested."""
    return found.subject.present()


def _predictions(windows: WindowSet, result: FitResult) -> Predictions:
    table = windows.table[result.rows]
    probability = result.probability.astype(np.float64)
    return Predictions(
        table.labels,
        probability[:, 1] if probability.shape[1] == 2 else probability,
        table.subject,
        row=result.rows,
        class_names=windows.class_names,
    )


def _subject_rows(about: AboutFit, found: Predictions) -> list[SubjectRow]:
    rows = []
    for one in found.detected().per_subject:
        own = found.select(found.subject.is_(one.subject))
        geometry = about.geometry.get(one.subject, {})
        rows.append(
            SubjectRow(
                system=about.fit.system,
                seed=about.fit.seed,
                fold=about.fit.fold,
                subject=one.subject,
                windows=sum(one.windows),
                balanced_accuracy=one.balanced_accuracy,
                auroc=one.auroc,
                macro_f1=score_confusion(_confusion(own)).macro_f1,
                accuracy=one.accuracy,
                **{key: geometry.get(key) for key in GEOMETRY},
            )
        )
    return rows


def _confusion(found: Predictions) -> Int64[Array, "class predicted"]:
    cells = np.zeros((found.classes, found.classes), np.int64)
    np.add.at(cells, (found.labels, predicted_classes(found.probability)), 1)
    return cells


def _summary(
    name: str, windows: WindowSet, results: Sequence[FitResult], found: Sequence[Predictions]
) -> SystemSummary:
    system = SYSTEMS.named(name).make()
    abouts = [one.about for one in results]
    seeds = len({about.fit.seed for about in abouts})
    confusion = sum(_confusion(one) for one in found)
    return SystemSummary(
        name=name,
        title=system.title,
        reads=system.reads,
        confusion=tuple(map(tuple, np.asarray(confusion).tolist())),
        seeds=seeds,
        seconds=sum(about.seconds for about in abouts) / seeds,
        epochs=float(np.mean([about.epochs for about in abouts])),
        device=" and ".join(sorted({about.device for about in abouts})),
    )


def _write_predictions(
    path: Path, windows: WindowSet, results: Sequence[FitResult], found: Sequence[Predictions]
) -> None:
    """One row per window and seed, in the order of the window set."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = []
    for seed, same in groupby(
        zip(results, found, strict=True), key=lambda pair: pair[0].about.fit.seed
    ):
        folds = list(same)
        rows = np.concatenate([result.rows for result, _ in folds])
        order = np.argsort(rows)
        fold = np.repeat([r.about.fit.fold for r, _ in folds], [len(r.rows) for r, _ in folds])
        chosen = np.concatenate([predicted_classes(one.probability) for _, one in folds])
        probability = np.concatenate([result.probability for result, _ in folds])[order]
        table = windows.table
        columns: dict[str, Any] = {
            "subject": table.subject.to_list(),
            "record": table.record.to_list(),
            "start": table.start,
            "label": table.labels,
            "seed": np.full(len(rows), seed),
            "fold": fold[order],
            "predicted": chosen[order],
            **{f"probability_{at}": probability[:, at] for at in range(probability.shape[1])},
        }
        parts.append(pa.table(columns))
    pq.write_table(pa.concat_tables(parts), path)


def _write_rows(path: Path, rows: Sequence[SubjectRow]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist([asdict(row) for row in rows]), path)
