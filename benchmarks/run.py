"""Measure everything this machine can, and print one table.

    python benchmarks/run.py [reading stepping fleet ...] [--windows WINDOWS]

Without names it measures all. What lacks a package or a GPU is named below the table.
"""

import argparse
import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from measure import Row, markdown

PARTS = {
    "reading": ("wfdb",),
    "simulating": (),
    "preparing": ("pandas",),
    "gathering": (),
    "sampling": (),
    "stepping": ("torch",),
    "evaluating": ("torch", "sklearn"),
    "starting": ("cyclopts", "rich", "pandas"),
    "fleet": ("torch",),
    "view": ("playwright", "plotly"),
}
"""What is measured, and what it needs beside numpy, pyarrow and h5py."""

VERSIONS = ("numpy", "torch", "wfdb")


def main() -> None:
    """Run the benchmarks named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--windows", type=Path, help="a window set for the fleet")
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    rows: list[Row] = []
    left_out: list[str] = []
    for part in chosen.parts or PARTS:
        if reason := why_not(part):
            left_out.append(f"{part}: {reason}")
            continue
        # Imported here: the processes in which things are measured import this file, too.
        given = [chosen.windows] if part == "fleet" else []
        rows += import_module(part).rows(*given)
    print(f"Python {platform.python_version()}, {_versions()}, {platform.machine()}\n")
    if rows:
        print(markdown(rows))
    if left_out:
        print("\nNot measured here.", *left_out, sep="\n- ")


def why_not(part: str) -> str:
    """Why a part cannot be measured on this machine; empty if it can."""
    if missing := [package for package in PARTS[part] if find_spec(package) is None]:
        return f"it needs {', '.join(missing)}, not installed"
    if part == "fleet":
        import torch

        if not torch.cuda.is_available():
            return "it needs a GPU, and there is none"
    if part == "view":
        from view_browser import why_no_browser

        return why_no_browser()
    return ""


def _versions() -> str:
    found = []
    for package in VERSIONS:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


if __name__ == "__main__":
    main()
