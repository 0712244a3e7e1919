"""A search whose runs remember past batches: each is trained alone."""

import json
from dataclasses import replace

import pytest

from pacl.studies import ObjectiveSettings
from pacl.studies.tuning import WindowsAsCut, concurrent_trials, tune
from support.small_runs import plan, small_windows

BASE = replace(plan(epochs=1, seed=5), objective=ObjectiveSettings(memory=30))


def search(target, base, **options):
    return tune(WindowsAsCut(small_windows()), target, base, device="cpu", **options)


def about(target):
    return json.loads((target / "study.json").read_text())


@pytest.mark.parametrize("at_once", [1, 2])
def test_runs_that_remember_are_trained_alone(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(concurrent_trials, "Fleet", None)
    outcome = search(tmp_path, BASE, trials=2, at_once=at_once)
    assert [trial.ended for trial in outcome.tried] == ["finished"] * 2
    assert about(tmp_path)["objective.memory"] == 30
    assert "memory = 30" in (tmp_path / "best.toml").read_text()
