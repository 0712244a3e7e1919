from dataclasses import replace

import numpy as np
import pytest

from pacl.records.simulate import Fibrillation
from pacl.records.simulate.fibrillation import fibrillation_rr, shortest_share

STEADY = Fibrillation(
    mean_ms=600.0,
    wait=0.15,
    blur=0.1,
    detour=0.2,
    detour_share=0.4,
    memory=0.0,
    sway=1e-6,
    circadian=0.0,
    spells=0.0,
    spell_beats=400.0,
    spell_spread=0.1,
    spell_pace=1.0,
)


def draw(fibrillation: Fibrillation, beats: int = 100_000) -> np.ndarray:
    return fibrillation_rr(fibrillation, beats, 0.0, np.random.default_rng(0)).astype(np.float64)


def test_moments_are_those_of_the_model():
    rr = draw(STEADY)
    # exponential wait, uniform blur, a coin between two pathways
    variance = 0.15**2 + 0.1**2 / 12 + 0.2**2 * 0.4 * 0.6
    assert rr.mean() == pytest.approx(600, rel=0.005)
    assert rr.std() == pytest.approx(600 * np.sqrt(variance), rel=0.02)


def test_no_interval_is_shorter_than_the_refractory_period():
    assert shortest_share(STEADY) == pytest.approx(1 - 0.08 - 0.05 - 0.15)
    assert draw(STEADY).min() == pytest.approx(600 * 0.72, rel=0.005)


def test_memory_makes_neighbours_alike():
    only_wait = replace(STEADY, blur=0.0, detour=0.0)
    forgetful, mindful = draw(only_wait), draw(replace(only_wait, memory=0.25))
    lag = [np.corrcoef(rr[:-1], rr[1:])[0, 1] for rr in (forgetful, mindful)]
    assert lag[0] == pytest.approx(0, abs=0.02)
    assert lag[1] == pytest.approx(0.25 * 0.75 / (0.25**2 + 0.75**2), abs=0.02)


def test_sway_moves_the_mean_slowly():
    swaying = draw(replace(STEADY, sway=0.1))
    still = draw(STEADY)
    means = [rr.reshape(-1, 500).mean(axis=1).std() for rr in (swaying, still)]
    assert means[0] > 3 * means[1]


def test_spells_are_regular_and_as_common_as_told():
    spelled = draw(replace(STEADY, spells=0.2, spell_pace=0.8), 400_000)
    windows = spelled.reshape(-1, 100)
    calm = windows.std(axis=1) / windows.mean(axis=1) < 0.06
    assert calm.mean() == pytest.approx(0.15, abs=0.04)  # those that lie within a spell
    assert windows[calm].mean() == pytest.approx(0.8 * 600, rel=0.02)
    assert windows[~calm].std() > 4 * windows[calm].std(axis=1).mean()


def test_a_spell_is_no_constant():
    spelled = draw(replace(STEADY, spells=0.6, spell_spread=0.05)).reshape(-1, 200)
    assert spelled.std(axis=1).min() > 2
