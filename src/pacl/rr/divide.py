"""Patients divided into parts: the rows of a new set, or of an existing set (2.1)."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pacl.atomic_write import atomic_folder
from pacl.records import Rhythm
from pacl.rr.audit import write_audited
from pacl.rr.store import ARRAYS, RRWindowSet
from pacl.rr.table import RRWindowTable
from pacl.windows import Finding, Names, Split, WindowSetError, fold_split


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was written and what the audit found in it."""

    path: Path
    windows: int
    patients: int
    records: int
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, path: Path, table: RRWindowTable, findings: tuple[Finding, ...]) -> "Prepared":
        """Count what a table holds."""
        counts = (len(table.patient.present()), len(table.record.present()))
        return cls(path, len(table), *counts, findings)


def strata(table: RRWindowTable) -> dict[str, str]:
    """The rhythms of each patient, such as `SR+AF`: the strata of a split."""
    has = {
        kind: set(table.patient[table.rhythm == kind].present()) for kind in (Rhythm.SR, Rhythm.AF)
    }
    return {
        patient: "+".join(kind.name for kind, who in has.items() if patient in who)
        for patient in table.patient.present()
    }


def divide_rows(table: RRWindowTable, split: Split) -> tuple[RRWindowTable, int]:
    """The rows of patients in the split, with their parts; and the number of rows dropped."""
    unit = table.patient if split.unit == "subject" else table.record
    names = tuple(dict.fromkeys(split.part_of.values()))
    codes = {part: code for code, part in enumerate(names)}
    code_of = np.array(
        [codes.get(split.part_of.get(name, ""), -1) for name in unit.names], dtype=np.int32
    )
    parts = code_of[unit.codes]
    kept = parts >= 0
    return replace(table[kept], split=Names(parts[kept], names)), int(np.count_nonzero(~kept))


def divide_again(
    source: Path | str, target: Path | str, split: Split, *, allow: Sequence[str] = ()
) -> Prepared:
    """Write a window set with other parts: the same beats, windows and scales.

    Beats are hard links where possible: five folds take the space of one. The result is audited,
    see `prepare`.
    """
    source, target = Path(source), Path(target)
    found = RRWindowSet.open(source)
    table, left_out = divide_rows(found.table, split)
    if left_out:
        raise WindowSetError(
            source,
            f"{left_out:,} of its windows are of patients that the split lacks ({split.origin})",
            "give a split of all its patients",
        )
    with atomic_folder(target) as folder:
        for name in ARRAYS:
            _link(source / f"{name}.npy", folder / f"{name}.npy")
        (folder / "split.json").write_text(split.to_json(), "utf-8")
        divided = replace(found, table=table, manifest={**found.manifest, "split": split.about()})
        findings = write_audited(divided, folder, allow)
    return Prepared.of(target, table, findings)


def divide_folds(
    source: Path | str, target: Path | str, *, folds: int, seed: int = 1, validation: bool = True
) -> dict[int, Path]:
    """Write a window set for each fold of patients: `target/fold-0`, `target/fold-1`, ...

    Existing folds are kept, if they are folds of the same set.
    """
    found = RRWindowSet.open(source)
    groups, written = strata(found.table), {}
    for fold in range(folds):
        split = fold_split(groups, folds=folds, fold=fold, seed=seed, validation=validation)
        written[fold] = place = Path(target) / f"fold-{fold}"
        if not (place / "manifest.json").exists():
            divide_again(source, place, split)
            continue
        there = RRWindowSet.open(place)
        if there.manifest.get("split", {}).get("digest") != split.digest or not _same_windows(
            there, found
        ):
            raise WindowSetError(
                place, f"it is not fold {fold} of {source}", "remove it, or name another folder"
            )
    return written


def _same_windows(one: RRWindowSet, other: RRWindowSet) -> bool:
    """Whether two sets have the same windows, apart from their parts."""
    files = [
        [found.manifest["files"].get(f"{name}.npy") for name in ARRAYS] for found in (one, other)
    ]
    return files[0] == files[1] and all(
        np.array_equal(getattr(one.table, name), getattr(other.table, name))
        for name in ("start", "rhythm", "centre_ms", "scale_ms")
    )


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source.resolve(), target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)
