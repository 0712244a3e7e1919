"""Write down what every command says of itself: docs/reference/cli.md."""

import os
import subprocess
import sys

from places import ROOT

from pacl.cli.app import COMMANDS


def main() -> None:
    """Write the help of all commands."""
    parts = [f"## pacl {name}\n\n```text\n{_help(name)}\n```\n" for name in COMMANDS]
    (ROOT / "docs/data/commands.md").write_text("\n".join(parts))


def _help(name: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pacl", name, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "96"},
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


if __name__ == "__main__":
    main()
