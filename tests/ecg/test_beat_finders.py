"""Every beat finder keeps the contract, and ours does the same in blocks and as a whole."""

import numpy as np
import pytest

from pacl.ecg import BEAT_FINDERS, AveragesFinder, averages
from pacl.ecg.energy import qrs_energy, running_mean, thinning
from pacl.testing import check_beat_finder, made_ecg


@pytest.mark.parametrize("name", BEAT_FINDERS.names)
def test_it_keeps_the_contract(name):
    if name == "sleepecg":
        pytest.importorskip("sleepecg")
    check_beat_finder(name)


def test_a_running_mean_is_that_of_a_plain_loop():
    rng = np.random.default_rng(0)
    for size in (1, 2, 5, 40):
        values = rng.random(size)
        for steps in (1.0, 2.0, 5.0, 9.0, 41.0, 100.0):
            half = min(int(steps) // 2, size - 1)
            wanted = [values[max(i - half, 0) : i + half + 1].mean() for i in range(size)]
            assert running_mean(values, steps) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_energy_is_at_the_complex_and_not_in_the_t_wave_or_baseline():
    at_s = np.arange(1.0, 30.0, 1.0)
    ecg = made_ecg(at_s, 250.0, 31.0, noise_mv=0.0)
    ecg += np.sin(np.arange(ecg.size) / 250 * 2 * np.pi * 0.3).astype(np.float32)
    energy = qrs_energy(ecg, 250.0)
    rate = 250 / thinning(250.0)
    at_r = [energy[int((one - 0.05) * rate) : int((one + 0.05) * rate)].max() for one in at_s[1:-1]]
    at_t = [energy[int((one + 0.2) * rate) : int((one + 0.35) * rate)].max() for one in at_s[1:-1]]
    assert min(at_r) > 50 * max(at_t)


def test_a_noisy_lead_does_not_spoil_a_clear_one():
    at_s = 1.0 + np.cumsum(np.random.default_rng(2).normal(0.8, 0.1, 200))
    clear = made_ecg(at_s, 250.0, float(at_s[-1]) + 1)
    noise = 0.6 * np.random.default_rng(3).standard_normal(clear.shape).astype(np.float32)
    alone = AveragesFinder().find(clear + noise, 250.0)
    both = AveragesFinder().find(np.concatenate([clear + noise, clear]), 250.0)
    wanted = (at_s * 250).astype(int)

    def wrong(found):
        near = np.abs(found[:, None] - wanted).min(axis=1) < 25
        reached = np.abs(found - wanted[:, None]).min(axis=1) < 25
        return np.count_nonzero(~near) + np.count_nonzero(~reached)

    assert wrong(both) <= 2
    assert wrong(alone) > 10


def test_blocks_give_what_the_whole_gives(monkeypatch):
    at_s = 1.0 + np.cumsum(np.random.default_rng(4).normal(0.8, 0.15, 300).clip(0.35, 1.5))
    ecg = made_ecg(at_s, 200.0, float(at_s[-1]) + 1, noise_mv=0.05)
    whole = AveragesFinder().search(ecg, 200.0)
    monkeypatch.setattr(averages, "BLOCK_S", 37.0)
    parts = AveragesFinder().search(ecg, 200.0)
    assert parts.peaks.sample.tolist() == whole.peaks.sample.tolist()
    assert np.allclose(parts.level[:-1], whole.level[: parts.level.size - 1], rtol=0.2)


def test_of_beats_too_close_the_larger_stays():
    peaks = averages.Peaks(np.array([0, 40, 70, 500, 540]), np.array([3.0, 9.0, 4.0, 1.0, 2.0]))
    assert averages._apart(peaks, 50.0).sample.tolist() == [40, 540]
    assert averages._apart(peaks, 35.0).sample.tolist() == [0, 40, 500, 540]
