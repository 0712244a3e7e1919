"""Damage to windows and recordings is refused with our own errors, or does no harm."""

import tempfile

import pytest

from support.mutation_arrays import ARRAY_TARGETS
from support.mutation_run import run_target


@pytest.mark.parametrize("cases", [12, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("target", ARRAY_TARGETS, ids=lambda target: target.name)
def test_damage_never_surprises(target, cases, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    failures, done = run_target(target, cases, seed=3, limit_s=10, keep=tmp_path)
    assert dict(failures) == {}
    assert done
