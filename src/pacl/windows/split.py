"""Which subjects are for training, validation and test (2.1)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pacl.axes import Array, Bool
from pacl.errors import PaclError
from pacl.stored import MisfitError, fitted, read_json
from pacl.windows.names import Names

PARTS = ("train", "validation", "test")
PAPER_COUNTS = (119, 24, 24)
"""The paper's split of 167; scaled to the number of subjects there are."""

Unit = Literal["subject", "record"]

FORMER_UNIT = "patient"
"""A subject, in files that earlier versions wrote."""


class CohortError(PaclError):
    """A cohort that cannot be divided as requested; states what there is and what to change."""


class SplitError(CohortError):
    """A split file that cannot be read or does not fit the cohort."""

    def __init__(self, where: Path | str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}; {remedy}")


@dataclass(frozen=True, slots=True)
class Split:
    """The part of each subject, or of each record where records were split.

    Only subjects are safe to split: records of one subject may fall into several parts. `origin`
    states seed, counts and fold, or the file it was read from.
    """

    unit: Unit
    part_of: Mapping[str, str]
    origin: str

    @property
    def safe(self) -> bool:
        """Whether no subject can be in two parts by construction."""
        return self.unit == "subject"

    @property
    def digest(self) -> str:
        """SHA-256 over the part of each subject; the same split has the same digest."""
        unit = FORMER_UNIT if self.unit == "subject" else self.unit  # digests stay what they were
        content = json.dumps([unit, sorted(self.part_of.items())], separators=(",", ":"))
        return hashlib.sha256(content.encode()).hexdigest()

    def parts_of(self, subjects: Names, records: Names) -> tuple[Names, Bool[Array, "window"]]:
        """Which windows are of somebody in the split, and the part of each of those."""
        unit = subjects if self.unit == "subject" else records
        names = tuple(dict.fromkeys(self.part_of.values()))
        codes = {part: code for code, part in enumerate(names)}
        code_of = np.array(
            [codes.get(self.part_of.get(name, ""), -1) for name in unit.names], dtype=np.int32
        )
        parts = code_of[unit.codes]
        kept: Bool[Array, "window"] = parts >= 0
        return Names(parts[kept], names), kept

    def to_json(self) -> str:
        """As `read_split` reads it."""
        parts = {
            part: sorted(who for who, where in self.part_of.items() if where == part)
            for part in dict.fromkeys((*PARTS, *self.part_of.values()))
        }
        return json.dumps({**self.about(), "parts": parts}, indent=1) + "\n"

    def about(self) -> dict[str, Any]:
        """All but the parts themselves, for a manifest."""
        return {"unit": self.unit, "safe": self.safe, "origin": self.origin, "digest": self.digest}


def scaled_counts(total: int, counts: Sequence[int] = PAPER_COUNTS) -> tuple[int, ...]:
    """Divide `total` in the proportion of `counts`; each above 0 gets at least one."""
    parts = sum(count > 0 for count in counts)
    if not parts or min(counts) < 0:
        raise CohortError(f"counts {tuple(counts)}; give numbers from 0 up, not all of them 0")
    if total < parts:
        raise CohortError(
            f"{total} subject(s) cannot make {parts} parts; add subjects, or use fewer parts: "
            "counts of 0 0 1 put all subjects into test"
        )
    exact = np.array(counts) / sum(counts) * total
    shared = np.maximum(np.floor(exact).astype(int), np.array(counts) > 0)
    while shared.sum() != total:  # correct for rounding
        step = 1 if shared.sum() < total else -1
        lacking = step * (exact - shared)
        lacking[(shared <= 1) & (step < 0)] = -np.inf
        shared[int(np.argmax(lacking))] += step
    return tuple(shared.tolist())


def split_units(
    strata: Mapping[str, str],
    *,
    seed: int,
    unit: Unit = "subject",
    counts: Sequence[int] = PAPER_COUNTS,
) -> Split:
    """Divide subjects (or, unsafely, records) at random into train, validation and test.

    `strata` has the stratum of each `unit`; all are divided in the proportion of `counts`.
    """
    total = scaled_counts(len(strata), counts)
    # Parts are spread evenly along the order: each stratum gets its share of each part.
    due = np.concatenate([(np.arange(n) + 0.5) / n for n in total])
    parts = np.repeat(PARTS[: len(total)], total)[np.argsort(due, kind="stable")]
    part_of = dict(zip(_shuffled(strata, seed), map(str, parts), strict=True))
    origin = f"{unit} split, seed {seed}, counts {'/'.join(map(str, total))}"
    return Split(unit, part_of, origin)


def fold_split(
    strata: Mapping[str, str], *, folds: int, fold: int, seed: int, validation: bool = True
) -> Split:
    """One of `folds` divisions; over all of them each subject is tested exactly once.

    Each stratum is spread over the folds. Fold `fold` is for test, the next for validation if
    asked for, the others for training.
    """
    least, subjects = 3 if validation else 2, len(strata)
    if subjects < least:
        raise CohortError(
            f"a division into folds needs at least {least} subjects, there "
            f"{'is' if subjects == 1 else 'are'} {subjects}; add subjects"
        )
    if not least <= folds <= subjects:
        raise CohortError(f"{folds} folds of {subjects} subjects; use {least} to {subjects} folds")
    if not 0 <= fold < folds:
        raise CohortError(f"fold {fold} of {folds}; count folds from 0 to {folds - 1}")
    roles = {fold: "test"}
    if validation:
        roles[(fold + 1) % folds] = "validation"
    part_of = {
        who: roles.get(at % folds, "train") for at, who in enumerate(_shuffled(strata, seed))
    }
    without = "" if validation else ", no validation"
    return Split("subject", part_of, f"subject fold {fold} of {folds}, seed {seed}{without}")


def _shuffled(strata: Mapping[str, str], seed: int) -> list[str]:
    """The keys, one stratum after the other, each in random order."""
    generator = np.random.default_rng(seed)
    return [
        str(who)
        for stratum in sorted(set(strata.values()))
        for who in generator.permutation(sorted(w for w, s in strata.items() if s == stratum))
    ]


def read_split(path: Path | str) -> Split:
    """Read a split file: ours, or `{"train": [...], "validation": [...], "test": [...]}`.

    In a file without `"unit": "subject"`, the names are those of records.
    """
    path = Path(path)
    found = read_json(path, dict[str, Any], _no_split)
    parts = found.get("parts", found)
    unit: Unit = "subject" if found.get("unit") in ("subject", FORMER_UNIT) else "record"
    part_of: dict[str, str] = {}
    try:
        members_of = fitted(dict[str, list[str]], parts)
    except MisfitError as error:
        raise _no_split(path, str(error)) from error
    for part, members in members_of.items():
        for who in members:
            if part_of.setdefault(who, part) != part:
                raise SplitError(
                    path, f"{who!r} is in {part_of[who]} and in {part}", "keep it in one"
                )
    if not part_of:
        raise SplitError(path, "it has no subject and no record", "list the records of each part")
    split = Split(unit, part_of, f"read from {path.name}")
    if found.get("digest", split.digest) != split.digest:
        raise SplitError(
            path,
            "it was changed after it was written: the digest differs",
            "remove the digest if the change is intended",
        )
    return split


def _no_split(path: Path, what: str) -> SplitError:
    return SplitError(
        path,
        f"not a split ({what})",
        'write {"train": ["record_000", ...], "validation": [...], "test": [...]}',
    )
