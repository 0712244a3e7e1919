import numpy as np
import pytest

from pacl.records.simulate.noise import Peak, coloured, fast_length, knot_count, ramps


def test_a_peak_has_its_variance_and_its_place():
    series = coloured(60_000, 1e-6, 1.0, (Peak(0.05, 0.2, 0.01),), np.random.default_rng(0))
    assert series.std() == pytest.approx(0.05, rel=0.05)
    power = np.abs(np.fft.rfft(series)) ** 2
    assert np.argmax(power) / series.size == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize("slope", [0.8, 1.0, 1.6])
def test_slow_noise_has_its_sd_over_a_thousand_beats_however_long_it_is(slope):
    for beats in (20_000, 200_000):
        series = coloured(beats, 0.05, slope, (), np.random.default_rng(1))
        power = np.abs(np.fft.rfft(series.astype(np.float64))) ** 2 * 2 / beats**2
        frequency = np.arange(power.size) / beats
        assert np.sqrt(power[frequency >= 1 / 1000].sum()) == pytest.approx(0.05, rel=0.1)


def test_steeper_slopes_have_less_fast_noise():
    steps = [
        np.diff(coloured(50_000, 0.05, slope, (), np.random.default_rng(2))).std()
        for slope in (0.8, 1.2, 1.6)
    ]
    assert steps[0] > 1.5 * steps[1] > 2 * steps[2]


def test_ramps_by_hand():
    knots = np.array([0, 4, 2], dtype=np.float32)
    assert ramps(knots, 4, 7).tolist() == [0, 1, 2, 3, 4, 3.5, 3]
    assert knot_count(7, 4) == 3
    assert knot_count(8, 4) == 3
    assert knot_count(9, 4) == 4


def test_fast_lengths_are_even_enough_and_close():
    for beats in (16, 17, 100, 1000, 1025, 99_999):
        length = fast_length(beats)
        assert beats <= length <= 1.34 * beats
        assert length % 2 == 0
