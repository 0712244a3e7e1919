import io
import sys

import pytest

from pacl.cli.progress import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_any_name_can_be_shown(monkeypatch, kind):
    """Braces and brackets mean something to the bar, control characters to the terminal."""
    monkeypatch.setattr(sys, "stderr", shown := kind())
    with progress("preparing a{b}[/c]\x1b]0;d", quiet=False) as advance:
        advance(1, 1)
    assert r"preparing a{b}[/c]\x1b]0;d" in shown.getvalue()
    assert "\x1b]0;" not in shown.getvalue()
