"""Pairs, averages and fusion by hand (Petrenas et al. 2015)."""

import numpy as np
import pytest

from pacl.rivals.beats import Petrenas
from pacl.rivals.beats.petrenas import averaged, differing_pairs, fused


def test_pairs_by_hand():
    """One interval of eight differs from the seven others: 7 of 28 pairs."""
    rm = np.array([0.8] * 7 + [0.9])
    assert differing_pairs(rm)[-1] == pytest.approx(7 / 28)


def test_pairs_one_by_one():
    rm = np.random.default_rng(0).uniform(0.7, 0.9, 30)
    for beat in range(7, 30):
        window = rm[beat - 7 : beat + 1]
        count = sum(abs(window[j] - window[k]) >= 0.03 for j in range(8) for k in range(j))
        assert differing_pairs(rm)[beat] == pytest.approx(count / 28)


def test_the_average_one_by_one():
    x = np.random.default_rng(1).standard_normal(20)
    slow = x
    for _ in range(2):
        found = [slow[0]]
        for value in slow[1:]:
            found.append(0.98 * found[-1] + 0.02 * value)
        slow = np.array(found)[::-1]
    np.testing.assert_allclose(averaged(x), slow)


def test_bigeminy_is_held_back():
    """Every second beat early: the median of three alternates too, and both sums agree."""
    r = np.tile([0.6, 1.0], 200)
    assert fused(r)[200] < 2e-4


def test_the_published_threshold():
    steady = np.full(50, 800, np.float32)
    assert Petrenas().logits(steady) == pytest.approx(np.full(50, -0.725))
