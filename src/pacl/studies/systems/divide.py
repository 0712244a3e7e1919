"""Folds of subjects: each subject is tested once, and some of the others are held out to choose by.

```
fold 0   test | validation | train   train   train   train        subjects
fold 1   train  train   test | validation | train   train
```
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pacl.studies.errors import RunError
from pacl.windows import CohortError, Split, WindowSet, fold_split, scaled_counts, strata

TEST, VALIDATION, TRAIN = "test", "validation", "train"


def divide_fold(
    groups: Mapping[str, str], *, folds: int, fold: int, seed: int, validation: float
) -> Split:
    """The subjects of one fold for test, a share of the others for validation.

    Parameters
    ----------
    groups
        The stratum of each subject: which classes the subject has.
    validation
        Share of the subjects that are not tested; 0 for none, otherwise at least one.
    """
    tested = fold_split(groups, folds=folds, fold=fold, seed=seed, validation=False)
    others = sorted(who for who, part in tested.part_of.items() if part != TEST)
    part_of = dict.fromkeys(groups, TEST) | dict.fromkeys(others, TRAIN)
    if validation:
        counts = scaled_counts(
            len(others), (round(1000 * (1 - validation)), max(1, round(1000 * validation)))
        )
        drawn = np.random.default_rng((seed, fold)).permutation(others)
        part_of |= dict.fromkeys(map(str, drawn[: counts[1]]), VALIDATION)
    origin = f"subject fold {fold} of {folds}, seed {seed}, validation {validation:g}"
    return Split("subject", part_of, origin)


def check_folds(
    windows: WindowSet, path: Path, *, folds: int, seed: int, validation: float, batch: int = 0
) -> None:
    """Refuse folds in which a class is missing from what is learned from, or subjects of a batch.

    `batch` is the number of subjects that a batch needs; 0 where nothing is trained in batches.
    """
    groups = strata(windows.table, windows.class_names)
    splits = [
        divide_fold(groups, folds=folds, fold=fold, seed=seed, validation=validation)
        for fold in range(folds)
    ]
    fewest = min(sum(part == TRAIN for part in split.part_of.values()) for split in splits)
    if fewest < batch:
        raise RunError(
            path,
            f"a fold has {fewest} training subjects, a batch of networks needs {batch}",
            f"lower --sampler.subjects to {fewest} or less, or use more --folds",
        )
    for fold, split in enumerate(splits):
        counts = windows.divided(split).count()
        for part in (TRAIN, VALIDATION) if validation else (TRAIN,):
            lacking = [name for name, count in counts[part].items() if not count]
            if lacking:
                raise RunError(
                    path,
                    f"the {part} subjects of fold {fold} have no windows of class "
                    f"{', '.join(lacking)}",
                    "give more subjects, another --folds or --fold-seed, or leave the class out",
                )


def check_usable(windows: WindowSet, path: Path) -> None:
    """Refuse windows on which systems cannot be compared."""
    if windows.table.per_sample:
        raise RunError(
            path,
            "its windows have a label for each sample",
            "prepare them with --arrays.mixed drop or majority",
        )
    if not windows.safe:
        raise RunError(
            path,
            f"it was written allowing {', '.join(windows.manifest['allowed'])}",
            "prepare it without --allow",
        )
    if len(windows.class_names) < 2:
        raise CohortError(f"{path}: its windows are of one class; systems need two or more")
