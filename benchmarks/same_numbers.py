"""Show that a change moved no number: run the same commands in two source trees, and compare.

    python benchmarks/same_numbers.py BEFORE AFTER             two source trees
    python benchmarks/same_numbers.py --make TREE OUT          run the commands of a tree
    python benchmarks/same_numbers.py --compare OUT_A OUT_B    compare two such outputs
    python benchmarks/same_numbers.py --open OUT_OLD TREE      use what another version wrote
    python benchmarks/same_numbers.py --committed BEFORE AFTER compare numbers in docs and weights

Prints one line per command, and ends with status 1 if a number differs. Numbers in JSON, CSV, TOML,
Parquet, NumPy, HDF5, safetensors, ONNX and C files are compared exactly; pages and pictures not.
Strings that differ are counted, and listed with --strings.

`--open` copies the runs and studies of OUT_OLD and gives them to the commands of TREE. The same
command must train nothing again, and write the report again with the same numbers.
"""

import argparse
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from same_numbers_commands import Command, commands
from same_numbers_committed import compare_committed
from same_numbers_compare import Compared, Rules, compare_files
from same_numbers_inputs import write_inputs

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = Path(os.environ.get("PACL_DATA", SHARED / "data")).resolve()
REFERENCE = Path(os.environ.get("PACL_REFERENCE", SHARED / "reference")).resolve()
ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
SAID = "said"


def main() -> int:
    """Do what the command line asks for."""
    asked = _arguments()
    chosen = _chosen(asked.only)
    rules = Rules(dict(one.split("=", 1) for one in asked.renamed), asked.left)
    if asked.make:
        return _make(Path(asked.make[0]), Path(asked.make[1]), chosen)
    if asked.compare:
        return _compare(*map(Path, asked.compare), chosen, rules, asked.strings)
    if asked.committed:
        return _told(
            "committed", compare_committed(*map(Path, asked.committed), rules), asked.strings
        )
    with tempfile.TemporaryDirectory(prefix="same-numbers-") as folder:
        scratch = Path(folder)
        if asked.open:
            old, tree = map(Path, asked.open)
            return _open(old.resolve(), tree, scratch / "new", chosen, rules, asked.strings)
        if len(asked.trees) != 2:
            raise SystemExit("two source trees, or one of --make, --compare, --open, --committed")
        before, after = map(Path, asked.trees)
        failed = _make(before, scratch / "before", chosen) + _make(after, scratch / "after", chosen)
        return max(
            failed, _compare(scratch / "before", scratch / "after", chosen, rules, asked.strings)
        )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", nargs="*", metavar="TREE", help="BEFORE and AFTER")
    parser.add_argument("--make", nargs=2, metavar=("TREE", "OUT"))
    parser.add_argument("--compare", nargs=2, metavar=("OUT_A", "OUT_B"))
    parser.add_argument("--open", nargs=2, metavar=("OUT_OLD", "TREE"))
    parser.add_argument("--committed", nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--only", action="append", default=[], help="pattern of command names")
    parser.add_argument("--renamed", action="append", default=[], metavar="OLD=NEW")
    parser.add_argument("--left", action="append", default=[], help="pattern of files that left")
    parser.add_argument(
        "--strings", action="store_true", help="list strings that differ, and notes"
    )
    return parser.parse_args()


def _chosen(patterns: Sequence[str]) -> list[Command]:
    """The commands that match, and those whose output they read."""
    every = {one.name: one for one in commands()}
    names = {name for name in every if not patterns or any(fnmatch(name, p) for p in patterns)}
    while more := {read for name in names for read in _reads(every[name], every)} - names:
        names |= more
    return [one for one in every.values() if one.name in names]


def _reads(command: Command, every: Iterable[str]) -> set[str]:
    """Names of commands whose output this one reads."""
    parts = {
        part for word in shlex.split(command.line) for part in word.replace("=", "/").split("/")
    }
    stems = parts | {part.rpartition(".")[0] for part in parts}
    return {name for name in every if name in stems and name != command.name}


# ------------------------------------------------------------------------------------- running


def _make(tree: Path, out: Path, chosen: Sequence[Command]) -> int:
    """Run the commands of a tree, one after the other; those that are done are not run again."""
    if not (out / SAID).exists():
        (out / SAID).mkdir(parents=True)
        print(f"{out}: writing inputs", flush=True)
        write_inputs(out, DATA)
    failed = False
    for number, command in enumerate(chosen, 1):
        if not (out / SAID / f"{command.name}.status.json").exists():
            _remove(_top(out, command))
            failed |= _run(command, tree, out, out, f"{number}/{len(chosen)}")
    return int(failed)


def _run(command: Command, tree: Path, out: Path, inputs: Path, which: str) -> bool:
    """Run a command in the folder `out`; whether it failed."""
    places = {"in": inputs.resolve(), "data": DATA, "reference": REFERENCE}
    words = [word.format_map(places) for word in shlex.split(command.line)]
    environment = {**os.environ, **ONE_CORE, "PYTHONPATH": str(tree.resolve() / "src")}
    said, errors = (out / SAID / f"{command.name}.{end}" for end in (command.said or "out", "err"))
    stdin = inputs / command.stdin if command.stdin else Path(os.devnull)
    began = time.perf_counter(), _cpu_s()
    with said.open("w") as out_file, errors.open("w") as err_file, stdin.open() as in_file:
        status = subprocess.run(
            [sys.executable, "-m", "pacl", *words],
            cwd=out,
            env=environment,
            stdin=in_file,
            stdout=out_file,
            stderr=err_file,
            check=False,
        ).returncode
    seconds, cpu_s = time.perf_counter() - began[0], _cpu_s() - began[1]
    if status >= 0:  # else it was killed, and is run again when this is continued
        (out / SAID / f"{command.name}.status.json").write_text(f"{status}\n")
    print(
        f"{which} {command.name}: {seconds:.1f} s, CPU {cpu_s:.1f} s, status {status}", flush=True
    )
    failed = status != 0 and not (status == 1 and words[0] == "audit")
    if failed:
        print(errors.read_text()[-600:], flush=True)
    return failed


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _open(
    old: Path, tree: Path, new: Path, chosen: Sequence[Command], rules: Rules, strings: bool
) -> int:
    """Give copies of what another version wrote to the commands of a tree."""
    (new / SAID).mkdir(parents=True)
    before = _stamps(old)
    for command in chosen:
        if command.old in ("keep", "resume"):
            for path in _top(old, command):
                copy = shutil.copytree if path.is_dir() else shutil.copy2
                copy(path, new / path.name)
    kept = _stamps(new)
    run = [one for one in chosen if one.old in ("redo", "resume")]
    worst = 0
    for number, command in enumerate(run, 1):
        for pattern in command.clears:
            _remove(sorted(new.glob(pattern)))
        worst |= _run(command, tree, new, old, f"{number}/{len(run)}")
    for command in run:
        found = _compared(command, old, new, rules)
        for pattern in command.once if command.old == "resume" else ():
            again = [
                path
                for path in new.glob(pattern)
                if kept.get(path.relative_to(new)) != path.stat().st_mtime_ns
            ]
            found.differences += [f"{path.relative_to(new)}: was made again" for path in again]
        worst |= _told(command.name, found, strings)
    if _stamps(old) != before:
        worst |= _told(str(old), Compared(differences=["it was changed"]), strings)
    return worst


def _stamps(folder: Path) -> dict[Path, int]:
    return {
        path.relative_to(folder): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(".lock")
    }


# ----------------------------------------------------------------------------------- comparing


def _compare(
    before: Path, after: Path, chosen: Sequence[Command], rules: Rules, strings: bool
) -> int:
    """Compare two outputs, command by command."""
    return max(_told(one.name, _compared(one, before, after, rules), strings) for one in chosen)


def _compared(command: Command, before: Path, after: Path, rules: Rules) -> Compared:
    found = compare_files(
        before,
        after,
        *(_written(folder, command) for folder in (before, after)),
        rules,
    )
    if not found.files:
        found.differences.append("nothing to compare")
    if command.strings:
        found.differences += found.strings
    return found


def _written(folder: Path, command: Command) -> Iterator[Path]:
    added = [folder / one.adds for one in commands() if one.adds and one != command]
    tops = [*_top(folder, command), *_top(folder / SAID, command)]
    for path in (*tops, *([folder / command.adds] if command.adds else [])):
        for one in path.rglob("*") if path.is_dir() else [path]:
            if one.is_file() and not any(one.is_relative_to(other) for other in added):
                yield one.relative_to(folder)


def _top(folder: Path, command: Command) -> list[Path]:
    """The folder, or the files, with the name of a command."""
    return sorted(p for p in folder.iterdir() if p.name.partition(".")[0] == command.name)


def _told(name: str, found: Compared, strings: bool) -> int:
    """Print what was compared; 1 if anything differs."""
    differences = len(found.differences)
    words = f", {len(found.strings):,} strings differ" if found.strings else ""
    print(
        f"{'SAME' if not differences else 'DIFFERS'} {name}: {found.files:,} files, "
        f"{found.numbers:,} numbers, {differences:,} differences{words}",
        flush=True,
    )
    shown = [*found.differences, *(found.strings + found.notes if strings else [])]
    print("".join(f"    {line}\n" for line in shown[:40]), end="")
    if len(shown) > 40:
        print(f"    and {len(shown) - 40:,} more")
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
