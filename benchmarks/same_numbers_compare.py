"""Compare what two source trees wrote, number by number."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from same_numbers_values import Cell, Table, has_values, numbers_in, prose_numbers, read_values

SKIPPED_KEYS = {
    "seconds": "time of an epoch or a fit",
    "score_seconds": "time of an evaluation in training",
    "seconds mean": "time of fits, in a table of costs",
    "seconds sd": "time of fits, in a table of costs",
}
"""Keys and columns whose numbers are not results, and why they may differ."""

SKIPPED_FILES = {
    "journal.log": "Optuna's journal, with times; trials.csv has its numbers",
    "environment.json": "versions and machine",
}


@dataclass
class Compared:
    """What was compared, and what differs."""

    files: int = 0
    numbers: int = 0
    differences: list[str] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, other: "Compared") -> None:
        """Add what was compared elsewhere."""
        self.files += other.files
        self.numbers += other.numbers
        self.differences += other.differences
        self.strings += other.strings
        self.notes += other.notes


@dataclass(frozen=True)
class Rules:
    """What may differ.

    Parameters
    ----------
    renamed
        New names of keys, columns, files and folders, by their old names.
    left
        Patterns of files that are no longer written.
    roots
        Folders that strings may name.
    """

    renamed: Mapping[str, str] = field(default_factory=dict)
    left: Sequence[str] = ()
    roots: tuple[str, str] = ("", "")

    def name(self, old: str) -> str:
        """The new name of a key or column; of a dotted key, part by part."""
        parts = (self.renamed.get(part, part) for part in old.split("."))
        return self.renamed.get(old, ".".join(parts))

    def path(self, old: Path) -> Path:
        """The new place of a file."""
        parts = [self.renamed.get(one, one) for one in old.parts]
        stem, dot, ending = parts[-1].partition(".")
        return Path(*parts[:-1], f"{self.renamed.get(stem, stem)}{dot}{ending}")

    def may_leave(self, path: Path) -> bool:
        """Whether a file need not be there."""
        return any(fnmatch(str(path), pattern) for pattern in self.left)


def compare_files(
    before: Path, after: Path, paths: Iterable[Path], others: Iterable[Path], rules: Rules
) -> Compared:
    """Compare files of two folders.

    Parameters
    ----------
    before, after
        The folders.
    paths, others
        Files of the one and the other, relative to them.
    rules
        What may differ.
    """
    found = Compared()
    rules = replace(rules, roots=(str(before.resolve()), str(after.resolve())))
    there = {path for path in others if has_values(path)}
    for path in sorted(one for one in paths if has_values(one)):
        if path.name in SKIPPED_FILES:
            there.discard(rules.path(path))
            continue
        target = rules.path(path)
        if target not in there:
            target = _moved(before / path, after, there) or target
        if target in there:
            there.discard(target)
            found.files += 1
            _compare(
                read_values(before / path), read_values(after / target), str(path), rules, found
            )
        elif not rules.may_leave(path):
            found.differences.append(f"{path}: is missing")
    found.notes += [f"{path}: is new" for path in sorted(there) if path.name not in SKIPPED_FILES]
    return found


def _moved(path: Path, after: Path, there: Iterable[Path]) -> Path | None:
    """A file with the same name and the same bytes in another folder."""
    same = [one for one in there if one.name == path.name]
    data = path.read_bytes()
    return next((one for one in sorted(same) if (after / one).read_bytes() == data), None)


def _compare(old: Any, new: Any, key: str, rules: Rules, found: Compared) -> None:
    if isinstance(old, Table) and isinstance(new, Table):
        if _same_rows(old, new, rules):
            found.numbers += sum(_numbers(column) for column in old.values())
            return
        found.differences += _swapped_labels(old, new, key, rules)
    if isinstance(old, dict) and isinstance(new, dict):
        _compare_dicts(old, new, key, rules, found)
    elif isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        _compare_arrays(old, new, key, found)
    elif isinstance(old, list | np.ndarray) and isinstance(new, list | np.ndarray):
        if len(old) != len(new):
            found.differences.append(f"{key}: {len(old)} values before, {len(new)} after")
        for number, (one, other) in enumerate(zip(old, new, strict=False)):
            _compare(one, other, f"{key}[{number}]", rules, found)
    elif _is_number(old) and _is_number(new):
        found.numbers += 1
        if not (old == new or (math.isnan(old) and math.isnan(new))):
            found.differences.append(f"{key}: {old!r} before, {new!r} after")
    elif isinstance(old, str | None) and isinstance(new, str | None):
        before, after = (
            (one or "").replace(root, "") for one, root in zip((old, new), rules.roots, strict=True)
        )
        if before != after:
            found.strings.append(f"{key}: {old!r} before, {new!r} after")
            _compare_prose(before, after, key, found)
    else:
        found.differences.append(f"{key}: {str(old)[:60]!r} before, {str(new)[:60]!r} after")


def _compare_prose(old: str, new: str, key: str, found: Compared) -> None:
    """Compare the numbers of two sentences; a path, a digest or a name is none."""
    if " " in old and " " in new:
        numbers = Counter(prose_numbers(old)), Counter(prose_numbers(new))
        found.numbers += numbers[0].total()
        if numbers[0] != numbers[1]:
            found.differences.append(f"{key}: {old!r} before, {new!r} after")


def _compare_dicts(
    old: dict[str, Any], new: dict[str, Any], key: str, rules: Rules, found: Compared
) -> None:
    """Compare by key; what is missing may have moved a level up or down."""
    left = set(new)
    for name, value in old.items():
        if name in SKIPPED_KEYS:
            left -= {name, rules.name(name)}
            continue
        target = rules.name(name) if rules.name(name) in new else name
        inner = f"{key}.{name}" if ": " in key else f"{key}: {name}"
        below = [one for one in new.values() if isinstance(one, dict) and target in one]
        if target in new:
            left.discard(target)
            _compare(value, new[target], inner, rules, found)
        elif isinstance(value, dict) and {rules.name(one) for one in value} & set(new):
            left -= {rules.name(one) for one in value}
            _compare(value, {one: new[one] for one in new if one not in old}, inner, rules, found)
        elif len(below) == 1:
            _compare(value, below[0][target], inner, rules, found)
        elif not rules.may_leave(Path(inner)):
            found.differences.append(f"{key}: {name} is missing")
    found.notes += [f"{key}: {name} is new" for name in sorted(left)]


def _compare_arrays(old: Any, new: Any, key: str, found: Compared) -> None:
    if (old.dtype.kind in "US") or (old.dtype.kind == "O"):
        if old.tolist() != new.tolist():
            found.strings.append(f"{key}: other strings")
        return
    found.numbers += old.size
    if (old.dtype, old.shape) != (new.dtype, new.shape):
        before, after = (f"{one.dtype} {one.shape}" for one in (old, new))
        found.differences.append(f"{key}: {before} before, {after} after")
    elif old.tobytes() != new.tobytes():
        differ = ~((old == new) | ((old != old) & (new != new)))
        most = np.abs(old[differ].astype(float) - new[differ].astype(float)).max(initial=0)
        found.differences.append(
            f"{key}: {differ.sum():,} of {old.size:,} differ, by {most:.3g} at most"
        )


def _same_rows(old: Table, new: Table, rules: Rules) -> bool:
    """Whether two tables have the same columns and rows, in any order."""
    names = [name for name in old if name not in SKIPPED_KEYS]
    renamed = [rules.name(name) for name in names]
    if not names or set(renamed) != {name for name in new if name not in SKIPPED_KEYS}:
        return False
    pairs = [(old[name], new[to]) for name, to in zip(names, renamed, strict=True)]
    if all(_equal(one, other) for one, other in pairs):
        return True
    rows = [
        Counter(zip(*([str(cell) for cell in table[name]] for name in columns), strict=True))
        for table, columns in ((old, names), (new, renamed))
    ]
    return rows[0] == rows[1]


def _equal(old: Any, new: Any) -> bool:
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        return old.dtype == new.dtype and old.tobytes() == new.tobytes()
    return isinstance(old, list) and isinstance(new, list) and old == new


def _numbers(column: Any) -> int:
    if isinstance(column, np.ndarray):
        return column.size
    return sum(len(numbers_in(one)) if isinstance(one, Cell) else _is_number(one) for one in column)


def _swapped_labels(old: Table, new: Table, key: str, rules: Rules) -> list[str]:
    """Columns in which a row has the label that another row had; a new label is only a word."""
    columns = ((name, old[name], new.get(rules.name(name), [])) for name in old)
    return [
        f"{key}: {name}: labels of other rows"
        for name, before, after in columns
        if any(
            isinstance(one, str) and one != other and other in before
            for one, other in zip(before, after, strict=False)
        )
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | np.number | np.bool_)
