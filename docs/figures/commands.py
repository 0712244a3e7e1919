"""Write down all commands by group, and what each says of itself: docs/reference/cli.md."""

import os
import subprocess
import sys

from sections import write_section

from pacl.cli.command_table import COMMANDS, GROUPS


def main() -> None:
    """Write a table of all commands, then the help of each, group by group."""
    parts = [_table()]
    for group in GROUPS:
        parts.append(f"## {group}\n")
        named = [name for name, listed in COMMANDS.items() if listed.group == group]
        parts += [f"### pacl {name}\n\n```text\n{_help(name)}\n```\n" for name in named]
    write_section("docs/reference/cli.md", "commands", "\n".join(parts))


def _table() -> str:
    rows = ["| to | command | does |", "|---|---|---|"]
    group = ""
    for name, listed in COMMANDS.items():
        shown = "" if listed.group == group else f"**{listed.group}**"
        group = listed.group
        rows.append(f"| {shown} | [`pacl {name}`](#pacl-{name}) | {listed.summary} |")
    return "\n".join(rows) + "\n"


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
