"""Damaged live input."""

import pytest

from support.mutation_live import LIVE_TARGETS
from support.mutation_run import run_target


@pytest.mark.parametrize("target", LIVE_TARGETS, ids=lambda target: target.name)
def test_damaged_live_input_is_read_or_refused(target, tmp_path):
    failures, done = run_target(target, cases=60, seed=7, limit_s=20, keep=tmp_path)
    assert done == 60
    assert not failures, failures
