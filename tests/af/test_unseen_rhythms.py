"""Rhythms that training never makes: plausible, of the same heart, and each what it is called."""

import numpy as np
import pytest

from pacl.af.unseen_rhythms import UNSEEN, couplets, demand_pacing, interpolated, wenckebach


def heart(beats=600, seed=0):
    generator = np.random.default_rng(seed)
    return 800 + 30 * np.sin(np.arange(beats) / 5) + generator.normal(0, 8, beats)


@pytest.mark.parametrize("rhythm", UNSEEN, ids=lambda one: one.name)
class TestContract:
    def test_intervals_are_plausible(self, rhythm):
        found = rhythm.make(heart(), np.random.default_rng(1))
        assert np.isfinite(found).all()
        assert found.min() > 150
        assert found.max() < 2500

    def test_it_lasts_about_as_long(self, rhythm):
        found = rhythm.make(heart(), np.random.default_rng(1))
        assert found.sum() == pytest.approx(heart().sum(), rel=0.3)

    def test_the_same_chance_gives_the_same(self, rhythm):
        one, other = (rhythm.make(heart(), np.random.default_rng(2)) for _ in range(2))
        np.testing.assert_array_equal(one, other)

    def test_it_changes_something(self, rhythm):
        found = rhythm.make(heart(), np.random.default_rng(1))
        assert found.size != heart().size or (found != heart()).any()


def test_interpolated_beats_keep_the_time_of_all_others():
    found = interpolated(heart(), np.random.default_rng(0))
    assert found.size > heart().size
    assert np.isin(np.round(np.cumsum(heart()), 6), np.round(np.cumsum(found), 6)).all()


def test_couplets_are_made_up_for():
    assert couplets(heart(), np.random.default_rng(0)).sum() == pytest.approx(heart().sum())


def test_demand_pacing_waits_no_longer_than_it_waits():
    found = demand_pacing(heart(), np.random.default_rng(0))
    assert found.max() < np.median(heart()) + 10


def test_wenckebach_has_groups():
    found = wenckebach(heart(), np.random.default_rng(0))
    assert 0.2 < (found > 1200).mean() < 0.34
