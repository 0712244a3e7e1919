"""What every system keeps to, whoever's it is: all of the registry, and whatever is added to it."""

from dataclasses import replace
from functools import cache
from typing import get_args

import numpy as np
import pytest
import torch

from pacl.errors import PaclError
from pacl.rivals import Kind, Learn, System
from pacl.rivals.registry import SYSTEMS, system_named
from pacl.studies.rivals import RivalsProtocol
from pacl.testing import RivalContract, check
from support.refusals import refused
from support.window_sets import make_set

CPU = torch.device("cpu")
every_system = pytest.mark.parametrize("name", SYSTEMS)


@cache
def cohort(seed=0):
    """Windows in ms of a few patients, with plausible beats."""
    windows = make_set(seed, patients=5, window_beats=200, records=5)
    nothing = np.zeros(len(windows), np.float32)
    table = replace(windows.table, centre_ms=nothing, scale_ms=nothing + 1)
    return replace(windows, table=table, rr_ms=np.clip(windows.rr_ms, 300, 1900))


def fit(name, *, seed=1, trial=0):
    torch.set_num_threads(1)
    return SYSTEMS[name].fit(Learn(cohort(), seed, 2, CPU), SYSTEMS[name].trials[trial])


@cache
def fitted(name):
    return fit(name)


@every_system
def test_it_says_what_it_is(name):
    system = system_named(name)
    assert isinstance(system, System)
    assert system.name == name
    assert system.title
    assert system.kind in get_args(Kind)
    assert RivalsProtocol().trials <= len(system.trials) <= 8
    assert len({tuple(sorted(trial.items())) for trial in system.trials}) == len(system.trials)


def test_four_settings_can_be_asked_of_all():
    assert RivalsProtocol(methods=tuple(SYSTEMS), trials=4).trials == 4


def test_another_name_is_told_those_there_are():
    with refused(PaclError, "'best'", ", ".join(SYSTEMS)):
        system_named("best")


@every_system
def test_it_keeps_the_contract_of_all_systems(name):
    class Mine(RivalContract):
        system = SYSTEMS[name]
        known, unseen = cohort(), cohort(7)
        fitted = fitted(name)

    check(Mine())


@every_system
def test_embeddings_are_of_unit_length_or_there_are_none(name):
    found = fitted(name).embed(cohort(7))
    if SYSTEMS[name].kind == "features":
        assert found is None
        assert fitted(name).probed(cohort(7)) is None
        return
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    probed = fitted(name).probed(cohort(7))
    assert np.array_equal(probed.embed(cohort(7)), found)


@every_system
def test_the_same_seed_gives_the_same_and_windows_stay_as_they_were(name):
    rr_ms, labels = cohort().rr_ms.copy(), cohort().table.rhythm.copy()
    state = torch.get_rng_state()
    again = fit(name).logit(cohort(7))
    assert np.array_equal(again, fitted(name).logit(cohort(7)))
    assert torch.equal(state, torch.get_rng_state())
    assert np.array_equal(rr_ms, cohort().rr_ms)
    assert np.array_equal(labels, cohort().table.rhythm)


@pytest.mark.parametrize(
    "name", [name for name in SYSTEMS if not name.endswith(("-andersen", "-faust", "faust-style"))]
)
def test_all_of_its_settings_can_be_used(name):
    for trial in range(1, len(SYSTEMS[name].trials)):
        assert np.isfinite(fit(name, trial=trial).logit(cohort())).all()


@pytest.mark.parametrize(
    "name", [name for name, one in SYSTEMS.items() if one.kind == "self-supervised"]
)
def test_who_needs_no_labels_embeds_alike_whatever_they_are(name):
    mixed = np.random.default_rng(0).permutation(cohort().table.rhythm)
    windows = replace(cohort(), table=replace(cohort().table, rhythm=mixed))
    other = SYSTEMS[name].fit(Learn(windows, 1, 2, CPU), SYSTEMS[name].trials[0])
    assert np.array_equal(other.embed(cohort(7)), fitted(name).embed(cohort(7)))
