"""Ratio of standard deviations: the paper's own, against SciPy and draws, and what has none."""

import numpy as np
import pytest
from scipy import stats

from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.seed_spread import (
    seeds_needed_for,
    spread_power,
    spread_ratio,
    spread_ratio_of,
)
from support.refusals import refused


def test_the_ratio_the_paper_claims():
    found = spread_ratio_of(2.6, 1.0, (5, 5))
    # F of 4 and 4 degrees at 97.5 %: 9.6045 (printed tables)
    assert found.low == pytest.approx(2.6 / np.sqrt(9.6045), rel=1e-4)
    assert found.high == pytest.approx(2.6 * np.sqrt(9.6045), rel=1e-4)
    # For 4 and 4 degrees P(F > f) = (1 + 3f) / (1 + f)^3.
    f = 2.6**2
    assert found.p_value == pytest.approx(2 * (1 + 3 * f) / (1 + f) ** 3)
    assert found.p_value > 0.05
    assert found.low < 1
    assert found.seeds_needed == 11
    assert found.p_paired is None


def test_against_scipy():
    generator = np.random.default_rng(0)
    first, second = generator.normal(0, 2, 8), generator.normal(0, 1, 6)
    found = spread_ratio(first, second, level=0.9)
    f = first.var(ddof=1) / second.var(ddof=1)
    assert found.ratio == pytest.approx(np.sqrt(f))
    assert found.p_value == pytest.approx(2 * min(stats.f.cdf(f, 7, 5), stats.f.sf(f, 7, 5)))
    ends = np.sqrt([f / stats.f.ppf(0.95, 7, 5), f / stats.f.ppf(0.05, 7, 5)])
    assert [found.low, found.high] == pytest.approx(ends.tolist())
    assert found.seeds == (8, 6)


def test_pitman_morgan_is_the_correlation_of_sum_and_difference():
    generator = np.random.default_rng(1)
    shared = generator.normal(size=9)
    first, second = shared + generator.normal(size=9), shared + 0.3 * generator.normal(size=9)
    found = spread_ratio(first, second, shared_seeds=True)
    oracle = stats.pearsonr(first + second, first - second).pvalue
    assert found.p_paired == pytest.approx(oracle)
    assert found.p_paired != pytest.approx(found.p_value)
    assert spread_ratio(first, second).p_paired is None
    assert spread_ratio(second, first, shared_seeds=True).p_paired == pytest.approx(oracle)


def test_one_loss_a_stretch_of_the_other_is_as_sure_as_can_be():
    first = np.array([1.0, 2.0, 4.0, 7.0])
    assert spread_ratio(3 * first, first, shared_seeds=True).p_paired == pytest.approx(0, abs=1e-6)
    # equal variances, both the same: neither sum and difference nor their correlation
    assert spread_ratio(first, first, shared_seeds=True).p_paired is None


def test_turned_and_scaled():
    generator = np.random.default_rng(2)
    first, second = generator.normal(0, 2, 5), generator.normal(0, 1, 7)
    one, other = spread_ratio(first, second), spread_ratio(second, first)
    assert (other.ratio, other.low, other.high) == pytest.approx(
        (1 / one.ratio, 1 / one.high, 1 / one.low)
    )
    assert other.p_value == pytest.approx(one.p_value)
    assert other.seeds_needed == one.seeds_needed
    moved = spread_ratio(0.9 + 0.01 * first, -0.01 * second)
    assert (moved.ratio, moved.p_value) == pytest.approx((one.ratio, one.p_value))


def test_power_is_what_simulation_finds():
    generator, seeds = np.random.default_rng(3), 11
    f = generator.normal(0, 2.6, (20_000, seeds)).var(axis=1, ddof=1) / generator.normal(
        0, 1, (20_000, seeds)
    ).var(axis=1, ddof=1)
    found = np.mean((f > stats.f.ppf(0.975, 10, 10)) | (f < stats.f.ppf(0.025, 10, 10)))
    assert spread_power(2.6, seeds) == pytest.approx(found, abs=0.01)
    assert spread_power(1.0, seeds) == pytest.approx(0.05)


@pytest.mark.parametrize("ratio", [0.2, 1.3, 2.0, 2.6, 5.0])
def test_seeds_needed_for_are_just_enough(ratio):
    seeds = seeds_needed_for(ratio)
    assert spread_power(ratio, seeds) >= 0.8 > spread_power(ratio, seeds - 1)
    assert seeds_needed_for(1 / ratio) == seeds


def test_no_number_of_seeds_tells_1_from_1():
    assert seeds_needed_for(1.0) is None
    assert spread_ratio_of(1.0, 1.0, (5, 5)).seeds_needed is None
    assert spread_ratio_of(1.0, 1.0, (5, 5)).p_value == pytest.approx(1.0)


def test_what_has_no_ratio():
    values = np.array([0.98, 0.99, 0.97])
    with refused(EvaluationError, 0.01, 0, 3):
        spread_ratio(values, np.full(3, 0.99))
    with refused(EvaluationError, 3, 1, 2):
        spread_ratio(values, values[:1])
    with refused(EvaluationError, 3, 0):
        spread_ratio(values, values[:0])
    with refused(EvaluationError, 3, 2):
        spread_ratio(values, values[:2], shared_seeds=True)
    with refused(EvaluationError, "seed"):
        spread_ratio(values, np.array([0.9, np.nan]))
    with refused(EvaluationError, 1.0):
        spread_ratio(values, values, level=1.0)
