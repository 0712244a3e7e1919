"""Spearman's rank correlation and its permutation test."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from pacl.evaluation.ranks import DRAWS, FEWEST, rank_correlation, rank_test, ranks

LENGTHS = (5, 6, 15, 40)


def drawn(seed, count, *, ties=False):
    """Two values a row that go together, more or less; with `ties`, many are equal."""
    generator = np.random.default_rng(seed)
    one, noise = generator.standard_normal((2, count))
    other = 0.5 * one + noise
    return (np.round(one), np.round(other)) if ties else (one, other)


def test_ranks_by_hand():
    found = ranks(np.array([3.0, 1.0, 3.0, -2.0, 3.0, 1.0]))
    assert found.tolist() == [4.0, 1.5, 4.0, 0.0, 4.0, 1.5]


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("count", LENGTHS)
def test_ranks_are_scipys(count, ties):
    for values in drawn(count, count, ties=ties):
        assert ranks(values).tolist() == (stats.rankdata(values) - 1).tolist()


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("count", LENGTHS)
@pytest.mark.parametrize("seed", range(5))
def test_the_correlation_is_scipys(seed, count, ties):
    one, other = drawn(seed, count, ties=ties)
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        assert rank_correlation(one, other) is None
        return
    expected = stats.spearmanr(one, other).statistic
    assert rank_correlation(one, other) == pytest.approx(expected, abs=1e-12)
    found = rank_test(one, other, np.random.default_rng(0))
    assert found.rho == pytest.approx(expected, abs=1e-12)
    assert found.count == count


def test_a_correlation_by_hand():
    # Ranks 0 1 2 3 4 and 1 0 2 4 3: squares of differences sum to 4, so 1 - 6 * 4 / (5 * 24).
    one = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert rank_correlation(one, np.array([20.0, 10.0, 30.0, 50.0, 40.0])) == pytest.approx(0.8)


def exact(one, other):
    """Share of all permutations whose correlation is at least as far from 0."""
    found = abs(stats.spearmanr(one, other).statistic)
    every = [abs(stats.spearmanr(one, list(moved)).statistic) for moved in permutations(other)]
    return np.mean([value >= found - 1e-9 for value in every])


@pytest.mark.parametrize(
    "other",
    [
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        [2.0, 1.0, 3.0, 4.0, 6.0, 5.0],
        [6.0, 4.0, 5.0, 3.0, 1.0, 2.0],
        [3.0, 3.0, 1.0, 5.0, 5.0, 5.0],
    ],
)
def test_the_p_value_is_that_of_all_permutations(other):
    one = np.array([0.1, 0.4, 0.5, 0.9, 2.0, 2.5])
    expected = exact(one, other)
    found = rank_test(one, np.array(other), np.random.default_rng(1)).p_value
    error = np.sqrt(expected * (1 - expected) / DRAWS)
    assert found == pytest.approx(expected, abs=4 * error + 1 / DRAWS)


def test_without_relation_p_values_are_even():
    generator = np.random.default_rng(2)
    found = [rank_test(*generator.standard_normal((2, 12)), generator).p_value for _ in range(100)]
    assert stats.kstest(found, "uniform").pvalue > 0.01
    assert min(found) > 0


def test_a_p_value_is_never_0():
    one = np.arange(30.0)
    found = rank_test(one, one**3, np.random.default_rng(0))
    assert found.rho == pytest.approx(1.0)
    assert found.p_value == pytest.approx(1 / (DRAWS + 1))


def test_the_same_generator_gives_the_same():
    one, other = drawn(3, 15)
    twice = [rank_test(one, other, np.random.default_rng(7)) for _ in range(2)]
    assert twice[0] == twice[1]


def test_only_the_order_counts_and_the_sign_turns():
    one, other = drawn(4, 20)
    rho = rank_correlation(one, other)
    assert rank_correlation(np.exp(one), other**3) == pytest.approx(rho)
    assert rank_correlation(one, -other) == pytest.approx(-rho)
    assert rank_correlation(other, one) == pytest.approx(rho)
    found, turned = (
        rank_test(one, sign * other, np.random.default_rng(0)).p_value for sign in (1, -1)
    )
    assert found == pytest.approx(turned, abs=0.02)


def test_few_values_or_equal_ones_have_none():
    few, many = np.arange(FEWEST - 1.0), np.arange(float(FEWEST))
    assert rank_correlation(few, few) is None
    assert rank_correlation(many, many) == pytest.approx(1.0)
    assert rank_correlation(many, np.ones(FEWEST)) is None
    assert rank_correlation(np.ones(FEWEST), many) is None
    assert rank_correlation(np.empty(0), np.empty(0)) is None
    assert rank_test(many, np.ones(FEWEST), np.random.default_rng(0)) is None
    assert rank_test(np.empty(0), np.empty(0), np.random.default_rng(0)) is None


def test_rows_that_lack_a_value_are_left_out():
    one, other = drawn(5, 12)
    holed, gap = one.copy(), other.copy()
    holed[[0, 3]], gap[[3, 7]] = np.nan, np.inf
    kept = [at for at in range(12) if at not in (0, 3, 7)]
    found = rank_test(holed, gap, np.random.default_rng(0))
    assert found == rank_test(one[kept], other[kept], np.random.default_rng(0))
    assert found.count == 9
    holed[:8] = np.nan
    assert rank_test(holed, gap, np.random.default_rng(0)) is None
