"""Starting the command, beside Python itself."""

import subprocess
import sys

from measure import Row, cost

TIMES = 10


def run(*argv: str) -> None:
    """Start a process and wait for it, several times."""
    for _ in range(TIMES):
        subprocess.run([sys.executable, *argv], check=True, capture_output=True)


def rows() -> list[Row]:
    """`pacl --help` beside importing pandas and beside an empty interpreter."""
    return [
        Row(
            "`pacl --help`",
            f"{TIMES} times",
            cost(run, "-m", "pacl", "--help"),
            "import pandas",
            cost(run, "-c", "import pandas"),
            "empty Python",
            cost(run, "-c", ""),
        )
    ]
