"""Batches of patients: building a sampler and one epoch, beside lists of rows for each patient."""

from collections.abc import Iterator
from functools import cache

import numpy as np
from measure import Row, cost

PATIENTS, WINDOWS, PATIENTS_PER_BATCH, WINDOWS_PER_CLASS = 10_000, 200, 8, 16


@cache
def _made() -> tuple[np.ndarray, np.ndarray]:
    """Labels and patients of two million windows, half of each class, in the order of a set."""
    labels = np.tile(np.repeat(np.arange(2, dtype=np.int8), WINDOWS // 2), PATIENTS)
    return labels, np.repeat(np.arange(PATIENTS, dtype=np.int32), WINDOWS)


def ours(kind: type) -> None:
    """Build it, and take every batch of an epoch."""
    sampler = kind(
        *_made(),
        generator=np.random.default_rng(0),
        subjects_per_batch=PATIENTS_PER_BATCH,
        windows_per_class=WINDOWS_PER_CLASS,
    )
    for _ in sampler:
        pass


def _listed() -> Iterator[list[int]]:
    """The same rule with a list of unused rows for each patient and class."""
    generator = np.random.default_rng(0)
    labels, patients = _made()
    pools: dict[int, dict[int, list[int]]] = {}
    for row, (patient, label) in enumerate(zip(patients.tolist(), labels.tolist(), strict=True)):
        pools.setdefault(patient, {}).setdefault(label, []).append(row)
    for of_class in pools.values():
        for rows in of_class.values():
            generator.shuffle(rows)
    able = [
        patient
        for patient, of_class in pools.items()
        if all(len(rows) >= WINDOWS_PER_CLASS for rows in of_class.values())
    ]
    while len(able) >= PATIENTS_PER_BATCH:
        batch: list[int] = []
        # Places from the back, so that taking one out moves none that is still to come.
        drawn = generator.choice(len(able), PATIENTS_PER_BATCH, replace=False)
        for place in sorted(drawn.tolist(), reverse=True):
            pool = pools[able[place]].values()
            for rows in pool:
                batch += rows[-WINDOWS_PER_CLASS:]
                del rows[-WINDOWS_PER_CLASS:]
            if any(len(rows) < WINDOWS_PER_CLASS for rows in pool):
                able[place] = able[-1]
                able.pop()
        yield batch


def listed() -> None:
    """The peer: build its lists, and take every batch of an epoch."""
    for _ in _listed():
        pass


def permuted() -> None:
    """The floor: one random order of all windows, whosoever they are."""
    np.random.default_rng(0).permutation(PATIENTS * WINDOWS)


def rows() -> list[Row]:
    """Construction and one epoch together, as every training needs both."""
    from pacl.training import SubjectSampler

    return [
        Row(
            "sample an epoch",
            f"{PATIENTS:,} patients of {WINDOWS} windows",
            # As an argument it is imported before measuring begins: torch comes along with it.
            cost(ours, SubjectSampler),
            "lists of rows",
            cost(listed),
            "one permutation",
            cost(permuted),
        )
    ]


if __name__ == "__main__":
    from measure import markdown

    print(markdown(rows()))
