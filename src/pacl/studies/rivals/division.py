"""Which windows are learned from, chosen by and judged: by patient, or, to see what it hides, not.

```
patients        no window of a test patient is learned from
windows         a fifth of all windows at random: their patients, and most of their beats, are known
windows apart   the same, but no learned window shares a beat with a judged one: patients are known
```
"""

from dataclasses import dataclass, replace

import numpy as np

from pacl.axes import Array, Bool, Int64
from pacl.cohort import fold_split
from pacl.studies.errors import RunError
from pacl.windows import WindowSet
from pacl.windows.divide import strata

HELD_OUT = 0.2
"""Of the windows, where they are divided without regard to patients."""

STRETCH = 20
"""Windows in a row that are held out together, so that few beats are lost between them."""


@dataclass(frozen=True, eq=False, slots=True)
class Division:
    """Rows of a window set."""

    train: Int64[Array, "learned"]
    validation: Int64[Array, "chosen_by"]
    test: Int64[Array, "judged"]

    def of_few(self, windows: WindowSet, count: int, seed: int, fold: int) -> Int64[Array, "row"]:
        """Training rows of so many patients, both rhythms among them.

        From one seed and fold, whoever asks, the patients of a smaller number are among those of
        a larger one. The first has both rhythms, so that one patient is enough to learn from.
        """
        table = windows.table
        codes = table.patient.codes[self.train]
        both = [
            code
            for code in np.unique(codes)
            if np.unique(table.rhythm[self.train][codes == code]).size == 2
        ]
        if not both:
            raise RunError(
                "rivals", "no training patient has both rhythms", "give recordings with AF and SR"
            )
        random = np.random.default_rng((seed, fold + 1))
        first = random.permutation(both)[:1]
        others = random.permutation(np.setdiff1d(np.unique(codes), first))
        chosen = np.concatenate([first, others])[:count]
        return self.train[np.isin(codes, chosen)]

    def few(self, windows: WindowSet, count: int, seed: int, fold: int) -> "Division":
        """The same, learned from so many patients alone."""
        return replace(self, train=self.of_few(windows, count, seed, fold))


def by_patient(windows: WindowSet, folds: int, fold: int, seed: int) -> Division:
    """A fold: its patients are judged, the next fold's are chosen by, the others learned from."""
    split = fold_split(strata(windows.table), folds=folds, fold=fold, seed=seed)
    names, codes = windows.table.patient.names, windows.table.patient.codes
    part = np.array([split.part_of.get(name, "") for name in names])[codes]
    return Division(*(np.flatnonzero(part == name) for name in ("train", "validation", "test")))


def everybody(learned: WindowSet, judged: WindowSet) -> Division:
    """All of one cohort is learned from, all of another judged."""
    nobody = np.empty(0, np.int64)
    return Division(np.arange(len(learned)), nobody, np.arange(len(judged)))


def by_window(windows: WindowSet, seed: int, *, apart: bool) -> Division:
    """A fifth of the windows of everybody is judged, in stretches where they are to be apart."""
    random = np.random.default_rng(seed)
    rows = np.arange(len(windows))
    nobody = np.empty(0, np.int64)
    if not apart:
        held = random.random(len(windows)) < HELD_OUT
        return Division(rows[~held], nobody, rows[held])
    order = np.argsort(windows.table.start, kind="stable")
    stretch = np.empty(len(windows), np.int64)
    stretch[order] = np.arange(len(windows)) // STRETCH
    held = random.random(stretch.max() + 1)[stretch] < HELD_OUT
    return Division(rows[~held & ~_touching(windows, held)], nobody, rows[held])


def _touching(windows: WindowSet, held: Bool[Array, "window"]) -> Bool[Array, "window"]:
    """Which windows share a beat with one that is held out."""
    start, beats = windows.table.start, windows.window_beats
    taken = np.zeros(int(start.max()) + beats + 1, np.int64)
    np.add.at(taken, start[held], 1)
    np.add.at(taken, start[held] + beats, -1)
    covered = np.append(0, np.cumsum(np.cumsum(taken) > 0))
    found: Bool[Array, "window"] = covered[start + beats] > covered[start]
    return found
