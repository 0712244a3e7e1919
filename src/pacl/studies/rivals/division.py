"""Which windows are for training, validation and test: divided by patient or by window.

```
patients        folds of patients: no window of a test patient is in training
windows         folds of windows: other windows of a test patient are in training
windows apart   folds of stretches: the same, but no training window shares a beat with a test one
```

In all three each window is a test window once, and two folds of windows are left out of training.
The last two show how optimistic a split by windows is.
"""

from dataclasses import dataclass, replace

import numpy as np

from pacl.axes import Array, Bool, Int64
from pacl.records import Rhythm
from pacl.rivals import LEAST_WINDOWS
from pacl.rr import RRWindowSet
from pacl.studies.errors import RunError
from pacl.windows import fold_split, strata

STRETCH = 20
"""Consecutive windows that stay together, so that few beats are lost between stretches."""

STRETCHES = 20
"""Of a fold, at least; with few windows, stretches are shorter."""


@dataclass(frozen=True, eq=False, slots=True)
class Division:
    """Rows of a window set."""

    train: Int64[Array, "learned"]
    validation: Int64[Array, "chosen_by"]
    test: Int64[Array, "judged"]

    def of_few(self, windows: RRWindowSet, count: int, seed: int, fold: int) -> Int64[Array, "row"]:
        """Training rows of `count` patients, with both rhythms.

        With the same seed and fold, the patients of a smaller count are among those of a larger
        one. The first patient has enough windows of both rhythms for training.
        """
        codes = windows.table.patient.codes[self.train]
        is_af = windows.table.rhythm[self.train] == Rhythm.AF
        known = np.unique(codes)
        counts = [np.bincount(codes[of], minlength=known[-1] + 1) for of in (is_af, ~is_af)]
        both = known[np.minimum(*counts)[known] >= LEAST_WINDOWS]
        if not both.size:
            raise RunError(
                "rivals",
                f"no training patient of fold {fold} has {LEAST_WINDOWS} windows of both rhythms",
                "give more recordings with both AF and other rhythms",
            )
        random = np.random.default_rng((seed, fold + 1))
        first = random.permutation(both)[:1]
        others = random.permutation(np.setdiff1d(np.unique(codes), first))
        chosen = np.concatenate([first, others])[:count]
        return self.train[np.isin(codes, chosen)]

    def few(self, windows: RRWindowSet, count: int, seed: int, fold: int) -> "Division":
        """The same with `count` training patients."""
        return replace(self, train=self.of_few(windows, count, seed, fold))


def by_patient(windows: RRWindowSet, folds: int, fold: int, seed: int) -> Division:
    """A fold is the test part, the next fold the validation part, the others the training part."""
    split = fold_split(
        strata(windows.table, windows.class_names), folds=folds, fold=fold, seed=seed
    )
    names, codes = windows.table.patient.names, windows.table.patient.codes
    part = np.array([split.part_of.get(name, "") for name in names])[codes]
    return Division(*(np.flatnonzero(part == name) for name in ("train", "validation", "test")))


def fewest_learned_from(windows: RRWindowSet, folds: int, seed: int) -> int:
    """The number of training patients in the fold that has the fewest."""
    codes = windows.table.patient.codes
    return min(
        np.unique(codes[by_patient(windows, folds, fold, seed).train]).size for fold in range(folds)
    )


def across_cohorts(learned: RRWindowSet, judged: RRWindowSet) -> Division:
    """One cohort is the training part, another the test part."""
    return Division(np.arange(len(learned)), np.empty(0, np.int64), np.arange(len(judged)))


def by_window(windows: RRWindowSet, folds: int, fold: int, seed: int, *, apart: bool) -> Division:
    """A fold of windows is the test part, the next is left out, the others are for training."""
    random = np.random.default_rng(seed)
    many = len(windows)
    if apart:
        order = np.argsort(windows.table.start, kind="stable")
        stretch = np.empty(many, np.int64)
        length = max(1, min(STRETCH, many // (STRETCHES * folds)))
        stretch[order] = np.arange(many) // length
        part = random.integers(folds, size=-(-many // length))[stretch]
    else:
        part = random.integers(folds, size=many)
    held = part == fold
    learned = ~held & (part != (fold + 1) % folds)
    if apart:
        learned &= ~_touching(windows, held)
    if np.unique(windows.table.rhythm[learned]).size < 2:
        raise RunError(
            "rivals",
            f"fold {fold} of {many} windows leaves none of a rhythm to learn from",
            "give more recordings",
        )
    return Division(np.flatnonzero(learned), np.empty(0, np.int64), np.flatnonzero(held))


def _touching(windows: RRWindowSet, held: Bool[Array, "window"]) -> Bool[Array, "window"]:
    """Which windows share a beat with one that is held out."""
    start, beats = windows.table.start, windows.window_beats
    taken = np.zeros(int(start.max()) + beats + 1, np.int64)
    np.add.at(taken, start[held], 1)
    np.add.at(taken, start[held] + beats, -1)
    covered = np.append(0, np.cumsum(np.cumsum(taken) > 0))
    found: Bool[Array, "window"] = covered[start + beats] > covered[start]
    return found
