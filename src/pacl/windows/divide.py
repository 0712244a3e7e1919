"""Subjects divided into parts: of a set in memory, or of a set on disk (2.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pacl.atomic_write import atomic_folder
from pacl.windows.errors import WindowSetError
from pacl.windows.findings import Finding
from pacl.windows.folder import MANIFEST, link_file
from pacl.windows.protocol import Rows
from pacl.windows.split import PAPER_COUNTS, Split, fold_split, split_units
from pacl.windows.stored_format import StoredFormat, StoredWindows

W = TypeVar("W", bound=StoredWindows)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was written and what the audit found in it."""

    path: Path
    windows: int
    subjects: int
    records: int
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, path: Path, table: Rows, findings: tuple[Finding, ...]) -> "Prepared":
        """Count what a table holds."""
        counts = (len(table.subject.present()), len(table.record.present()))
        return cls(path, len(table), *counts, findings)


def strata(table: Rows, class_names: Sequence[str]) -> dict[str, str]:
    """The classes that each subject has, such as `rest+walk`: the strata of a split."""
    labels = table.labels.reshape(len(table), -1)
    has = {
        name: set(table.subject[(labels == number).any(axis=1)].present())
        for number, name in enumerate(class_names)
    }
    return {
        subject: "+".join(name for name, who in has.items() if subject in who)
        for subject in table.subject.present()
    }


def split_windows(windows: W, *, seed: int = 1, counts: Sequence[int] = PAPER_COUNTS) -> W:
    """Divide the subjects of a set at random into train, validation and test.

    The parts have the proportion of `counts`, and subjects of all kinds: a kind is which classes a
    subject has.

    Examples
    --------
    >>> from pacl.windows import WindowSet
    >>> x = np.zeros((8, 3, 50))
    >>> windows = WindowSet.from_arrays(
    ...     x, labels=["rest", "walk"] * 4, subjects=["ann", "ann", "bob", "bob"] * 2
    ... )
    >>> split_windows(windows, counts=(1, 0, 1)).count()
    {'test': {'rest': 2, 'walk': 2}, 'train': {'rest': 2, 'walk': 2}}
    """
    groups = strata(windows.table, windows.class_names)
    divided: W = windows.divided(split_units(groups, seed=seed, counts=counts))
    return divided


def fold_windows(windows: W, *, folds: int, fold: int, seed: int = 1, validation: bool = True) -> W:
    """Divide the subjects of a set for one of `folds` folds, see `fold_split`."""
    groups = strata(windows.table, windows.class_names)
    split = fold_split(groups, folds=folds, fold=fold, seed=seed, validation=validation)
    divided: W = windows.divided(split)
    return divided


def divide_again(
    of: StoredFormat[Any],
    source: Path | str,
    target: Path | str,
    split: Split,
    *,
    allow: Sequence[str] = (),
) -> Prepared:
    """Write a window set of a format with other parts: the same signal, windows and labels.

    The signal is hard-linked where possible: five folds take the space of one. The result is
    audited before it is written.
    """
    source, target = Path(source), Path(target)
    found = of.open(source)
    divided = found.divided(split)
    if left_out := len(found) - len(divided):
        raise WindowSetError(
            source,
            f"{left_out:,} of its windows are of subjects that the split lacks ({split.origin})",
            "give a split of all its subjects",
        )
    with atomic_folder(target) as folder:
        for name in of.signal:
            if name in found.manifest["files"]:
                link_file(source / name, folder / name)
        (folder / "split.json").write_text(split.to_json(), "utf-8")
        findings = of.write_audited(divided, folder, allow)
    return Prepared.of(target, divided.table, findings)


def divide_folds(
    of: StoredFormat[Any],
    source: Path | str,
    target: Path | str,
    *,
    folds: int,
    seed: int = 1,
    validation: bool = True,
) -> dict[int, Path]:
    """Write a window set for each fold of subjects: `target/fold-0`, `target/fold-1`, ...

    Existing folds are kept, if they are folds of the same set.
    """
    found = of.open(Path(source))
    groups, written = strata(found.table, found.class_names), {}
    for fold in range(folds):
        split = fold_split(groups, folds=folds, fold=fold, seed=seed, validation=validation)
        written[fold] = place = Path(target) / f"fold-{fold}"
        if not (place / MANIFEST).exists():
            divide_again(of, source, place, split)
            continue
        there = of.open(place)
        stated = there.manifest.get("split", {}).get("digest")
        if stated != split.digest or not _same_windows(there, found, of):
            raise WindowSetError(
                place, f"it is not fold {fold} of {source}", "remove it, or name another folder"
            )
    return written


def _same_windows(one: StoredWindows, other: StoredWindows, of: StoredFormat[Any]) -> bool:
    """Whether two sets have the same windows, apart from their parts."""
    files = [[found.manifest["files"].get(name) for name in of.signal] for found in (one, other)]
    return files[0] == files[1] and all(
        np.array_equal(getattr(one.table, name), getattr(other.table, name)) for name in of.columns
    )
