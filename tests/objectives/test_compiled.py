"""The loss can be compiled: all pairs as one graph, tiles with a break in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMPILER = shutil.which(os.environ.get("CXX", "g++")) or shutil.which("clang++")


@pytest.mark.parametrize(
    "backend",
    [
        "aot_eager",
        pytest.param(
            "inductor",
            marks=[
                pytest.mark.slow,
                pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, see CXX"),
            ],
        ),
    ],
)
def test_compiled_losses_have_the_same_value_and_gradients(backend, tmp_path):
    checked = {"PACL_CHECK_AXES": ""}  # as wherever the package is used
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("compiled.py"), backend],
        capture_output=True,
        text=True,
        env={**os.environ, **checked, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(done.stdout.splitlines()) == 8
