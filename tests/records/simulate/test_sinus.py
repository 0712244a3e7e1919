from dataclasses import replace

import numpy as np
import pytest

from pacl.records.simulate import Sinus
from pacl.records.simulate.sinus import sinus_rr, swing

CALM = Sinus(
    mean_ms=800.0,
    circadian=0.0,
    latest_h=3.0,
    slow=1e-6,
    slope=1.2,
    mayer=0.0,
    breath=0.0,
    breath_hz=0.25,
    restless=0.0,
)


def test_nothing_sways_a_calm_node():
    rr = sinus_rr(CALM, 5000, 0.0, np.random.default_rng(0))
    np.testing.assert_allclose(rr, 800, atol=0.1)


def test_breath_is_seen_at_its_frequency():
    breathing = replace(CALM, breath=0.03)
    rr = sinus_rr(breathing, 50_000, 0.0, np.random.default_rng(0))
    assert rr.std() == pytest.approx(24, rel=0.1)
    power = np.abs(np.fft.rfft(rr - rr.mean())) ** 2
    per_beat = (power * np.arange(power.size)).sum() / power.sum() / rr.size
    assert per_beat / 0.8 == pytest.approx(0.25, abs=0.01)  # cycles per second


def test_intervals_are_longest_at_night():
    swaying = replace(CALM, circadian=0.1)
    at_night = sinus_rr(swaying, 500, 3.0 * 3600, np.random.default_rng(0)).mean()
    at_noon = sinus_rr(swaying, 500, 15.0 * 3600, np.random.default_rng(0)).mean()
    assert at_night == pytest.approx(880, rel=0.01)
    assert at_noon == pytest.approx(720, rel=0.01)


def test_swing_by_hand():
    assert swing(0.1, 3.0, 3.0 * 3600, 6.0 * 3600, 4) == pytest.approx([1.1, 1.0, 0.9, 1.0])


def test_the_wildest_node_neither_runs_away_nor_sticks():
    wild = replace(CALM, slow=0.3, slope=1.5, restless=0.5, circadian=0.14)
    rr = sinus_rr(wild, 200_000, 0.0, np.random.default_rng(0))
    assert rr.min() > 200
    assert rr.max() < 3000
    assert rr.reshape(-1, 200).std(axis=1).min() > 5
