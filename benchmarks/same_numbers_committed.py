"""Compare the numbers that two source trees keep in their documentation and weights."""

from collections import Counter
from hashlib import sha256
from pathlib import Path

from same_numbers_compare import Compared, Rules, compare_files
from same_numbers_values import has_values, table_numbers

PLACES = ("docs", "src", "benchmarks", "README.md")
PICTURES = (".png", ".svg")
NOT_RESULTS = ("docs/reference/", "docs/figures/")


def compare_committed(before: Path, after: Path, rules: Rules) -> Compared:
    """Compare data files exactly, and pages by the numbers in their tables.

    A file may leave where another of the same bytes, or the CSV of the same table, stays. Pictures
    may leave. All that left is listed in `notes`.
    """
    old, new = _results(before), _results(after)
    found = Compared()
    kept = {_digest(after / path): path for path in sorted(new)}
    stays = set()
    for path in sorted(old):
        target = rules.path(path)
        if target in new:
            stays.add(path)
            if path.suffix == ".md":
                _compare_tables(before / path, after / target, path, found)
        elif (twin := kept.get(_digest(before / path))) is not None:
            found.notes.append(f"{path}: left, the same is in {twin}")
        elif path.suffix in (".md", ".tex") and target.with_suffix(".csv") in new:
            found.notes.append(f"{path}: left, its numbers are in {target.with_suffix('.csv')}")
        elif path.suffix in PICTURES or rules.may_leave(path):
            found.notes.append(f"{path}: left")
        else:
            found.differences.append(f"{path}: is missing")
    found.add(compare_files(before, after, stays, new & {rules.path(one) for one in stays}, rules))
    return found


def _results(tree: Path) -> set[Path]:
    """Data files, tables and pictures of a tree, relative to it."""
    files = [
        path.relative_to(tree)
        for place in PLACES
        for path in ((tree / place).rglob("*") if (tree / place).is_dir() else [tree / place])
        if path.is_file()
    ]
    kinds = (".md", ".tex", *PICTURES)
    return {
        path
        for path in files
        if (path.suffix in kinds or has_values(path)) and not str(path).startswith(NOT_RESULTS)
    }


def _compare_tables(before: Path, after: Path, path: Path, found: Compared) -> None:
    """Each number in the tables of a page must be in the tables of the other as often."""
    old, new = (Counter(table_numbers(one.read_text())) for one in (before, after))
    found.files += 1
    found.numbers += old.total()
    for number, times in sorted((old - new).items()):
        found.differences.append(f"{path}: {number:g} is missing {times} times from its tables")
    if more := (new - old).total():
        found.notes.append(f"{path}: {more} more numbers in its tables")


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
