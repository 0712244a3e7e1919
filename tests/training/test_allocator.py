"""Freed memory stays with the process, so that taking it again costs no page faults."""

import subprocess
import sys

import pytest

from pacl.training import loop

SCRIPT = """
import resource, sys
import numpy as np
from pacl.training.loop import keep_freed_memory

if sys.argv[1] == "kept":
    assert keep_freed_memory()
np.ones(4_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    np.ones(4_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc can be told")
def test_memory_that_was_freed_is_used_again():
    faults = {
        how: int(
            subprocess.run(
                [sys.executable, "-c", SCRIPT, how], capture_output=True, check=True
            ).stdout
        )
        for how in ("kept", "usual")
    }
    assert faults["kept"] < faults["usual"] / 2


def test_where_there_is_no_glibc_nothing_happens(monkeypatch):
    monkeypatch.setattr(loop.sys, "platform", "darwin")
    assert loop.keep_freed_memory() is False
