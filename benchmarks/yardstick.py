"""The baseline: gradient boosting on ten simple statistics of each window of one rhythm.

    python benchmarks/yardstick.py ltafdb sim:0:80 path/to/records ...

A source is a folder under PACL_DATA, simulated patients as `sim:SEED:PATIENTS`, or any folder of
records. Windows are 200 kept beats every 50, all SR or all AF, in ms and not scaled, so patients
without SR are included. Scores are out of fold, five folds by patient.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold
from threadpoolctl import threadpool_limits

from pacl.axes import Array, Bool, Float32, Float64, Int64
from pacl.cohort import Excerpt, Selection, Share
from pacl.features import statistics_of
from pacl.records import Record, Rhythm, open_records
from pacl.records.simulate import simulate_cohort
from pacl.rr import RRWindowSet, Scale, cut_windows, gather

DATA = Path(os.environ.get("PACL_DATA", Path(__file__).parents[2] / "shared" / "data"))

SETTINGS = {"max_iter": 200, "learning_rate": 0.1, "max_leaf_nodes": 31, "early_stopping": False}
FOLDS = 5
SEED = 0
WINDOW_BEATS, STRIDE = 200, 50
LEAST_WINDOWS = 10
"""Windows of each rhythm that a patient needs for an AUROC."""

CHUNK = 4096


@dataclass(frozen=True)
class Windows:
    """One row per window: statistics, label and patient."""

    statistics: Float32[Array, "window statistic"]
    is_af: Bool[Array, "window"]
    patient: Int64[Array, "window"]


@dataclass(frozen=True)
class Figures:
    """AUROC of the yardstick in a cohort."""

    pooled: float
    """Over all windows."""
    mean: float
    """Mean over patients of the AUROC within a patient."""
    worst: float
    """Mean over the worst tenth of those patients."""
    per_patient: Float64[Array, "patient"]
    """All of them, lowest first."""


def collect(records: Iterable[Record]) -> Windows:
    """The statistics of all pure windows of some records."""
    patients: dict[str, int] = {}
    tables, labels, owners = [], [], []
    for record in records:
        cut = cut_windows(
            record,
            Selection((Share((), pure_excerpts(record)),), {}),
            window_beats=WINDOW_BEATS,
            stride=STRIDE,
            scale=Scale(0.0, 1.0),
        )
        for first in range(0, cut.start.size, CHUNK):
            start = cut.start[first : first + CHUNK]
            tables.append(statistics_of(gather(cut.rr_ms, start, WINDOW_BEATS)))
        labels.append(cut.rhythm == Rhythm.AF)
        number = patients.setdefault(record.patient_id, len(patients))
        owners.append(np.full(cut.start.size, number, dtype=np.int64))
    return Windows(np.concatenate(tables), np.concatenate(labels), np.concatenate(owners))


def pure_excerpts(record: Record) -> tuple[Excerpt, ...]:
    """Every run of SR and of AF, without the calibration signal."""
    lead_in = int(np.searchsorted(record.onset_s(), record.lead_in_s))
    return tuple(
        Excerpt(max(run.start, lead_in), run.stop, run.rhythm)
        for run in record.rhythm_runs()
        if run.rhythm in (Rhythm.SR, Rhythm.AF) and run.stop > lead_in
    )


def boosting() -> HistGradientBoostingClassifier:
    """The model of the yardstick."""
    return HistGradientBoostingClassifier(**SETTINGS, random_state=SEED)


def statistics(windows: RRWindowSet) -> Float32[Array, "window statistic"]:
    """The statistics of all windows of a set."""
    rows = np.arange(len(windows))
    return np.concatenate(
        [statistics_of(windows.windows(rows[at : at + CHUNK])) for at in range(0, len(rows), CHUNK)]
    )


def out_of_fold(windows: Windows) -> Float64[Array, "window"]:
    """The score of each window by a model that has not seen its patient.

    On one thread: the trees are small, and threads that wait for a busy core cost a factor of ten.
    """
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=SEED)
    scores = np.empty(windows.is_af.size)
    with threadpool_limits(1):
        for fit, held in folds.split(windows.statistics, windows.is_af, windows.patient):
            model = boosting().fit(windows.statistics[fit], windows.is_af[fit])
            scores[held] = model.decision_function(windows.statistics[held])
    return scores


def figures(windows: Windows, scores: Float64[Array, "window"]) -> Figures:
    """The three figures of a cohort from the scores of its windows."""
    own = []
    for patient in np.unique(windows.patient):
        of = windows.patient == patient
        af = int(windows.is_af[of].sum())
        if min(af, int(of.sum()) - af) >= LEAST_WINDOWS:
            own.append(roc_auc_score(windows.is_af[of], scores[of]))
    per_patient = np.sort(own)
    tenth = max(1, round(per_patient.size / 10))
    return Figures(
        float(roc_auc_score(windows.is_af, scores)),
        float(per_patient.mean()),
        float(per_patient[:tenth].mean()),
        per_patient,
    )


def records_of(source: str) -> Iterator[Record]:
    """The records a source stands for."""
    if source.startswith("sim:"):
        seed, patients = map(int, source.split(":")[1:])
        yield from (made.record for made in simulate_cohort(patients, seed))
        return
    reader = open_records(DATA / source if (DATA / source).is_dir() else Path(source))
    yield from (reader.read(record_id) for record_id in reader.record_ids)


def main() -> None:
    """Print a row of Markdown for each source on the command line."""
    print(
        "| source | patients (both rhythms) | SR windows | AF windows "
        "| pooled | per-patient mean | worst tenth | seconds |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    )
    for source in sys.argv[1:] or ["ltafdb", "sim:0:80"]:
        began = perf_counter()
        windows = collect(records_of(source))
        found = figures(windows, out_of_fold(windows))
        patients, af = np.unique(windows.patient).size, int(windows.is_af.sum())
        print(
            f"| {source} | {patients} ({found.per_patient.size}) "
            f"| {windows.is_af.size - af:,} | {af:,} | {found.pooled:.4f} | {found.mean:.4f} "
            f"| {found.worst:.4f} | {perf_counter() - began:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
