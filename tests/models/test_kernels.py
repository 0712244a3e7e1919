"""GPU kernels against the same arithmetic on a CPU in double precision.

The checks are those of `benchmarks/kernel_checks.py`, which also run where there is no pytest.
"""

import importlib.util
from pathlib import Path

import pytest
import torch

pytest.importorskip("triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

CHECKS = Path(__file__).parents[2] / "benchmarks" / "kernel_checks.py"


def test_every_kernel_computes_what_it_stands_for():
    spec = importlib.util.spec_from_file_location("kernel_checks", CHECKS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    done = list(module.checks())
    assert len(done) == 65
    assert [(name, found) for name, found, limit in done if not found <= limit] == []
