"""Geometry of the embeddings of systems, their cost, and how they were tuned."""

import math
from collections import Counter
from collections.abc import Mapping

from pacl.report.rivals.main_tables import number
from pacl.report.table import Cell, Head, Table, best_of
from pacl.report.wording import listed
from pacl.studies.rivals import RivalsComparison, scores_of, where

GEOMETRY: Mapping[str, tuple[str, int]] = {
    "sr_cohesion": ("cohesion SR ↑", 1),
    "af_cohesion": ("cohesion AF ↑", 1),
    "centroid_distance": ("centroid distance ↑", 1),
    "centroid_similarity": ("centroid similarity ↓", -1),
    "compactness": ("compactness ↑", 1),
    "subject_compactness": ("compactness within patients ↑", 1),
}
"""Columns that are shown where they are known, and which way is better."""


def geometry_table(report: RivalsComparison, dataset: str) -> Table | None:
    """Geometry of the embeddings of unseen patients; None if no system has embeddings."""
    scores = [
        score
        for score in scores_of(report, "main", dataset)
        if any(not math.isnan(score.of(column).mean) for column in GEOMETRY)
    ]
    if not scores:
        return None
    shown = {
        column: [score.of(column) for score in scores]
        for column in GEOMETRY
        if any(not math.isnan(score.of(column).mean) for score in scores)
    }
    best = {
        column: best_of([found.mean for found in values], GEOMETRY[column][1])
        for column, values in shown.items()
    }
    return Table(
        f"Geometry of embeddings on {dataset}",
        "Mean ± standard deviation over seeds, on unseen patients.",
        (Head(""), Head("kind"), *(Head(GEOMETRY[column][0]) for column in shown)),
        tuple(
            (
                Cell(report.title(score.method)),
                Cell(report.methods[score.method].kind),
                *(
                    number(values[at], 3, best=at in best[column])
                    for column, values in shown.items()
                ),
            )
            for at, score in enumerate(scores)
        ),
    )


def cost_table(report: RivalsComparison, dataset: str) -> Table:
    """Training time of the systems, and how they were tuned."""
    scores = sorted(scores_of(report, "main", dataset), key=lambda score: score.of("seconds").mean)
    return Table(
        f"Cost on {dataset}",
        "Seconds of training over all folds, mean over seeds, and the device; without tuning. Fits "
        "ran in parallel, so seconds are approximate, and those of different devices cannot be "
        "compared. Features of a window are computed once and shared, so most seconds of systems "
        "with features do not include them.",
        tuple(map(Head, ("", "on", "seconds ↓", "settings tried", "mostly chosen"))),
        tuple(
            (
                Cell(report.title(score.method)),
                Cell(_device(report, score.method, dataset)),
                number(score.of("seconds"), 1),
                Cell(mean=float(len(report.methods[score.method].trials)), digits=0),
                Cell(_mostly(report, score.method, dataset)),
            )
            for score in scores
        ),
    )


def _device(report: RivalsComparison, name: str, dataset: str) -> str:
    """The device on which a system was trained."""
    rows = where(report.pooled, study="main", dataset=dataset, method=name)
    return listed(sorted({row.device for row in rows}))


def _mostly(report: RivalsComparison, name: str, dataset: str) -> str:
    """The setting that most folds chose."""
    method = report.methods[name]
    chosen = method.chosen.get(dataset, ())
    if not chosen:
        return ""
    place, folds = Counter(chosen).most_common(1)[0]
    setting = method.trials[place] if place < len(method.trials) else str(place)
    return (
        setting if len(chosen) == 1 else f"{setting or 'as it is'} ({folds} of {len(chosen)} folds)"
    )
