"""Measure everything this machine can, and print one table."""

import platform
import sys
from importlib.metadata import version

import evaluating
import gathering
import numpy as np
import preparing
import reading
import sampling
import simulating
import starting
import stepping
from measure import markdown


def main() -> None:
    """Run the benchmarks named on the command line, or all of them."""
    parts = {
        part.__name__: part
        for part in (
            reading,
            simulating,
            preparing,
            gathering,
            sampling,
            stepping,
            evaluating,
            starting,
        )
    }
    chosen = sys.argv[1:] or list(parts)
    rows = [row for name in chosen for row in parts[name].rows()]
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, wfdb {version('wfdb')}, "
        f"{platform.machine()}\n"
    )
    print(markdown(rows))


if __name__ == "__main__":
    main()
