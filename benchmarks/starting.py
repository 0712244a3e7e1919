"""Starting the command, beside Python itself."""

import subprocess
import sys

from measure import Cost, Row, cost

TIMES = 10

WATCH = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, capture_output=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Linux counts what held the starting process into the peak of the started: let that be little."""


def run(*argv: str) -> None:
    """Start a process and wait for it, several times."""
    for _ in range(TIMES):
        subprocess.run([sys.executable, *argv], check=True, capture_output=True)


def started(*argv: str) -> Cost:
    """Time of several starts, and the peak memory of one, all of it."""
    watched = [sys.executable, "-S", "-c", WATCH, sys.executable, *argv]
    told = subprocess.run(watched, check=True, capture_output=True, text=True).stdout
    return Cost(cost(run, *argv).seconds, int(told) / 1024)


def rows() -> list[Row]:
    """`pacl --help` beside importing pandas and beside an empty interpreter."""
    return [
        Row(
            "`pacl --help`",
            f"{TIMES} times",
            started("-m", "pacl", "--help"),
            "import pandas",
            started("-c", "import pandas"),
            "empty Python",
            started("-c", ""),
        )
    ]
