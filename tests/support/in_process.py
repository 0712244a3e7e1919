"""The command, run in this process as `subprocess.run` would run it in another.

A process of its own takes a second or more before it does anything. Tests need one only where the
process is the point: its streams, its signals, its memory, or what it imports.
"""

import contextlib
import io
import subprocess
import sys
import warnings
from pathlib import Path

from pacl.cli import main


def pacl(
    *argv: object, text: str | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Status, output and errors of a command; `text` is what it reads, if it reads anything."""
    out, err = _Stream(), _Stream()
    before = sys.argv, sys.stdin
    sys.argv = ["pacl", *map(str, argv)]
    sys.stdin = _Stream(text or "")
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            contextlib.chdir(cwd or Path.cwd()),
            warnings.catch_warnings(),
        ):
            # cyclopts wonders whether argv is meant; it is
            warnings.filterwarnings("ignore", "Cyclopts application invoked without tokens")
            main()
        status: object = 0
    except SystemExit as end:
        status = end.code or 0
    finally:
        sys.argv, sys.stdin = before
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(1)
    assert isinstance(status, int)
    return subprocess.CompletedProcess([*map(str, argv)], status, out.text(), err.text())


class _Stream(io.TextIOWrapper):
    """A stream of bytes in memory, which refuses what a real one refuses."""

    name, mode = "memory", "r+"

    def __init__(self, text: str = "") -> None:
        super().__init__(io.BytesIO(text.encode()), encoding="utf-8")

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined]
