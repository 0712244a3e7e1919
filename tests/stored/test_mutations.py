"""Damage to what we wrote ourselves is refused with our own errors, or does no harm."""

import tempfile

import pytest

from support.mutation_run import run_target
from support.mutation_stored import STORED_TARGETS

CASES = {"settings": 300, "split": 300, "study": 200}
"""By group; the others, which take longer, have 60."""


@pytest.mark.parametrize("share", [0.25, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("target", STORED_TARGETS, ids=lambda target: target.name)
@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence:UserWarning")  # of torch
def test_damage_never_surprises(target, share, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cases = round(share * CASES.get(target.name.split("/")[0], 60))
    failures, done = run_target(target, cases, seed=3, limit_s=10, keep=tmp_path)
    assert dict(failures) == {}
    assert done
