"""Damaged files of edits."""

import pytest

from support.mutation_edits import EDITS_TARGETS
from support.mutation_run import run_target


@pytest.mark.parametrize("target", EDITS_TARGETS, ids=lambda target: target.name)
def test_damaged_edits_are_read_or_refused(target, tmp_path):
    failures, done = run_target(target, cases=60, seed=7, limit_s=20, keep=tmp_path)
    assert done == 60
    assert not failures, failures
