"""The yardstick on the windows of a study: the same patients, the same windows, the same parts.

    python benchmarks/yardstick_study.py WINDOWS [--test OTHER_WINDOWS ...] [--folds 5]

Boosting on plain statistics of windows in ms (see `yardstick.py`) is fitted on the training part
and judged on the test part and on other window sets; or out of fold, on the folds of
`pacl reproduce --folds`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits
from yardstick import CHUNK, SEED, SETTINGS, statistics_of

from pacl.axes import Array, Float32, Float64
from pacl.evaluation import auroc_interval, count_pairs, measure_detection
from pacl.rr import RRWindowSet
from pacl.windows import fold_split, strata


def main() -> None:
    """Print a row of Markdown for each set that is judged."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("windows", type=Path)
    parser.add_argument("--test", type=Path, nargs="+", default=[])
    parser.add_argument("--folds", type=int, default=0)
    chosen = parser.parse_args()
    found = RRWindowSet.open(chosen.windows)
    print("| judged on | windows | AUROC over patients | mean over patients | worst tenth |")
    print("|---|--:|---|--:|--:|")
    with threadpool_limits(1):
        if chosen.folds:
            print(_row(f"{chosen.windows.name}, out of fold", *_out_of_fold(found, chosen.folds)))
            return
        model = _fit(found.part("train"))
        others = {path.name: RRWindowSet.open(path) for path in chosen.test}
        for name, one in {f"{chosen.windows.name}, test": found.part("test"), **others}.items():
            print(_row(name, one, model.predict_proba(_statistics(one))[:, 1]), flush=True)


def _fit(windows: RRWindowSet) -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(**SETTINGS, random_state=SEED)
    return model.fit(_statistics(windows), windows.table.rhythm)


def _out_of_fold(windows: RRWindowSet, folds: int) -> tuple[RRWindowSet, Float64[Array, "window"]]:
    """Probabilities by models that have not seen the patient, nor the validation patients."""
    groups = strata(windows.table, windows.class_names)
    probability = np.empty(len(windows))
    for fold in range(folds):
        split = fold_split(groups, folds=folds, fold=fold, seed=1)
        parts = windows.divided(split).table
        model = _fit(windows.select(parts.split.is_("train")))
        held = parts.split.is_("test")
        probability[held] = model.predict_proba(_statistics(windows.select(held)))[:, 1]
    return windows, probability


def _statistics(windows: RRWindowSet) -> Float32[Array, "window statistic"]:
    rows = np.arange(len(windows))
    return np.concatenate(list(_chunks(windows, rows)))


def _chunks(windows: RRWindowSet, rows: Array) -> Iterator[Float32[Array, "window statistic"]]:
    for first in range(0, len(rows), CHUNK):
        yield statistics_of(windows.windows(rows[first : first + CHUNK], scaled=False))


def _row(name: str, windows: RRWindowSet, probability: Float64[Array, "window"]) -> str:
    table = windows.table
    labels, who = table.rhythm.astype(np.int64), table.patient
    interval = auroc_interval([count_pairs(labels, probability, who.codes, who.names)])
    found = measure_detection(labels, probability, who.codes, who.names)
    return (
        f"| {name} | {len(windows):,} | {interval.describe(4)} | {found.auroc_subject_mean:.4f} "
        f"| {found.auroc_worst_tenth:.4f} |"
    )


if __name__ == "__main__":
    main()
