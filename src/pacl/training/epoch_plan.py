"""The batches of an epoch: pools of windows, and the subjects of each batch (2.2)."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Int, Int64


@dataclass(frozen=True, eq=False, slots=True)
class Pools:
    """The windows of each subject and class: concatenated `rows`, and their `counts`."""

    rows: Int64[Array, "window"]
    counts: Int64[Array, "subject class"]
    subjects: Int64[Array, "subject"]
    classes: Int64[Array, "class"]

    def of(self, chosen: Bool[Array, "subject"]) -> "Pools":
        """The pools of some subjects."""
        kept = np.repeat(chosen, self.counts.sum(axis=1))
        return Pools(self.rows[kept], self.counts[chosen], self.subjects[chosen], self.classes)


def pool(labels: Int[Array, "window"], subjects: Int[Array, "window"]) -> Pools:
    """Sort windows, given in any order, into the pools of subjects and classes."""
    rows = np.lexsort((labels, subjects))
    labels, subjects = labels[rows].astype(np.int64), subjects[rows].astype(np.int64)
    begins = np.ones(rows.size, dtype=bool)
    begins[1:] = (subjects[1:] != subjects[:-1]) | (labels[1:] != labels[:-1])
    who, subject = np.unique(subjects[begins], return_inverse=True)
    classes, label = np.unique(labels[begins], return_inverse=True)
    counts = np.zeros((who.size, classes.size), dtype=np.int64)
    counts[subject, label] = np.diff(np.flatnonzero(begins), append=rows.size)
    return Pools(rows, counts, who, classes)


def meet(
    turns: Int64[Array, "subject"], subjects_per_batch: int, generator: np.random.Generator
) -> tuple[Int64[Array, "step place"], Int64[Array, "step place"]]:
    """The subjects of each batch of an epoch, and which of their turns each batch uses.

    Each step draws distinct subjects with equal probability from those with turns left; the epoch
    ends when too few are left for a batch.
    """
    left: list[int] = turns.tolist()
    able = [subject for subject, count in enumerate(left) if count]
    met: list[list[int]] = []
    spent: list[list[int]] = []
    # This many steps are the maximum; drawing all numbers at once is cheaper.
    for chances in generator.random((sum(left) // subjects_per_batch, subjects_per_batch)).tolist():
        if len(able) < subjects_per_batch:
            break
        for place, chance in enumerate(chances):
            other = place + int(chance * (len(able) - place))
            able[place], able[other] = able[other], able[place]
        chosen = able[:subjects_per_batch]
        for subject in chosen:
            left[subject] -= 1
        met.append(chosen)
        spent.append([left[subject] for subject in chosen])
        # From the back: the subject who moves into an empty place was already checked.
        for place in range(subjects_per_batch - 1, -1, -1):
            if not left[able[place]]:
                able[place] = able[-1]
                able.pop()
    shape = (len(met), subjects_per_batch)
    return np.array(met, np.int64).reshape(shape), np.array(spent, np.int64).reshape(shape)


def shuffle(pools: Pools, generator: np.random.Generator) -> Int64[Array, "window"]:
    """The rows of the pools, each pool in a random order."""
    pool_of = np.repeat(np.arange(pools.counts.size), pools.counts.ravel())
    # One sort for all pools. As integers, pool and random number cannot overlap; a stable sort
    # orders rare ties equally on all machines.
    keys = (pool_of << 32) | generator.integers(2**32, size=pool_of.size)
    shuffled: Int64[Array, "window"] = pools.rows[np.argsort(keys, kind="stable")]
    return shuffled


def plan(
    pools: Pools,
    subjects_per_batch: int,
    windows_per_class: int,
    generator: np.random.Generator,
    most_turns: int | None = None,
) -> Int64[Array, "step batch"]:
    """All batches of one epoch: a turn of a subject is the next n of each shuffled pool.

    Subjects with fewer than n windows of a class give as many windows, all of their largest pool.
    """
    turns = turns_of(pools, windows_per_class)
    if most_turns is not None:
        turns = np.minimum(turns, most_turns)
    met, turn = meet(turns, subjects_per_batch, generator)
    begins = (np.cumsum(pools.counts) - pools.counts.ravel()).reshape(pools.counts.shape)
    together = windows_per_class * pools.classes.size
    first = (begins[..., None] + np.arange(windows_per_class)).reshape(len(begins), together)
    further = np.full(len(begins), windows_per_class)
    alone = has_one_class(pools, windows_per_class)
    largest = pools.counts[alone].argmax(axis=1)
    first[alone] = begins[alone, largest][:, None] + np.arange(together)
    further[alone] = together
    taken = first[met] + (turn * further[met])[..., None]
    rows: Int64[Array, "step batch"] = shuffle(pools, generator)[taken.reshape(len(met), -1)]
    return rows


def has_one_class(pools: Pools, windows_per_class: int) -> Bool[Array, "subject"]:
    """Which subjects have fewer than n windows of some class."""
    found: Bool[Array, "subject"] = pools.counts.min(axis=1) < windows_per_class
    return found


def turns_of(pools: Pools, windows_per_class: int) -> Int64[Array, "subject"]:
    """How often each subject can be in a batch without repeating a window."""
    alone = pools.counts.max(axis=1) // (windows_per_class * pools.classes.size)
    both = pools.counts.min(axis=1) // windows_per_class
    found: Int64[Array, "subject"] = np.where(has_one_class(pools, windows_per_class), alone, both)
    return found
