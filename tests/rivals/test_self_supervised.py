"""What every system keeps to that learns without labels."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from pacl.rivals.pretraining import Start
from pacl.rivals.registry import system_named
from pacl.rivals.system import Learn
from pacl.training.errors import TrainingError
from support.refusals import refused
from support.window_sets import make_set

torch.set_num_threads(1)  # batches are so small that more threads only wait for each other
CPU = torch.device("cpu")
SYSTEMS = {name: system_named(name) for name in ("simclr", "clocs", "pclr", "byol", "pmq")}
every_system = pytest.mark.parametrize("name", SYSTEMS)


@cache
def cohort(seed=0):
    """Windows in ms of a few patients, some with a handful alone."""
    windows = make_set(seed, patients=5, window_beats=64, records=5)
    nothing = np.zeros(len(windows), np.float32)
    return replace(windows, table=replace(windows.table, centre_ms=nothing, scale_ms=nothing + 1))


def fit(name, windows=None, *, seed=1, steps=2, trial=0):
    windows = cohort() if windows is None else windows
    return SYSTEMS[name].fit(Learn(windows, seed, steps, CPU), SYSTEMS[name].trials[trial])


@cache
def fitted(name):
    return fit(name)


@every_system
def test_the_same_seed_gives_the_same_whatever_torch_draws_elsewhere(name):
    before = fitted(name).logit(cohort())
    torch.rand(3)
    state = torch.get_rng_state()
    again = fit(name).logit(cohort())
    assert np.array_equal(before, again)
    assert torch.equal(state, torch.get_rng_state())
    assert not np.array_equal(again, fit(name, seed=2).logit(cohort()))


@every_system
def test_labels_do_not_reach_the_encoder(name):
    windows = cohort()
    shuffled = np.random.default_rng(0).permutation(windows.table.rhythm)
    assert not np.array_equal(shuffled, windows.table.rhythm)
    other = fit(name, replace(windows, table=replace(windows.table, rhythm=shuffled)))
    known, found = fitted(name).network.state_dict(), other.network.state_dict()
    assert all(torch.equal(known[key], found[key]) for key in known)
    assert not np.array_equal(other.probe.weight, fitted(name).probe.weight)


@every_system
def test_training_moves_all_that_the_probe_reads(name):
    begun = Start.of(Learn(cohort(), 1, 2, CPU)).encoder.state_dict()
    done = fitted(name).network.state_dict()
    assert [key for key in begun if torch.equal(begun[key], done[key])] == []


@every_system
def test_another_probe_leaves_the_representation_and_the_first_probe_alone(name):
    before, few = fitted(name).logit(cohort()), cohort(7)
    other = fitted(name).probed(few)
    assert np.array_equal(other.embed(few), fitted(name).embed(few))
    assert not np.array_equal(other.logit(few), fitted(name).logit(few))
    assert np.array_equal(before, fitted(name).logit(cohort()))


@every_system
def test_each_trial_can_be_used_and_learns_otherwise(name):
    trials = SYSTEMS[name].trials
    assert 1 <= len(trials) <= 8
    found = [fit(name, steps=2, trial=n).embed(cohort()) for n in range(len(trials))]
    for n, one in enumerate(found):
        assert np.isfinite(one).all()
        assert not any(np.array_equal(one, other) for other in found[:n])


@every_system
def test_scaled_windows_are_refused(name):
    with refused(TrainingError, "ms", "--protocol all-beats"):
        fit(name, make_set(0, patients=5, window_beats=64, records=5))


def test_names_are_told_apart_and_say_what_is_not_public():
    assert all(system.kind == "self-supervised" for system in SYSTEMS.values())
    assert all(system.title.endswith("-style") for system in SYSTEMS.values())
