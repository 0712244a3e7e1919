"""Losses over seeds alone, and the sign-flip test: by hand, against SciPy, and what has none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.interval import NoIntervalError
from pacl.evaluation.seed_comparison import compare_seeds, sign_flip
from support.refusals import refused

FIRST = np.array([0.990, 0.991, 0.985, 0.989, 0.990])
SECOND = np.array([0.985, 0.992, 0.970, 0.983, 0.985])


def test_against_scipy():
    found, oracle = compare_seeds(FIRST, SECOND), stats.ttest_rel(FIRST, SECOND)
    assert (found.t, found.p_value) == pytest.approx((oracle.statistic, oracle.pvalue))
    ends = oracle.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))
    assert found.difference == pytest.approx(0.006)
    assert (found.first_better, found.seeds, found.level) == (0.8, 5, 0.95)


def test_flips_by_hand():
    # 5, -1, 15, 6, 5 thousandths: as far from 0 (30) only with all but the -1 of one sign,
    # which is itself (30) and with the -1 turned as well (32), either way round.
    found = compare_seeds(FIRST, SECOND).flips
    assert (found.p_value, found.exact, found.smallest) == (4 / 32, True, 2 / 32)


def test_five_seeds_cannot_be_surer_than_one_in_sixteen():
    found = compare_seeds(np.arange(5) + 100.0, np.arange(5) * 1.01)
    assert found.flips.p_value == 0.0625
    assert found.p_value < 1e-6


@given(arrays(np.float64, st.integers(1, 8), elements=st.floats(-5, 5)))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_sign_flip_equals_scipy(differences):
    found = sign_flip(differences)
    oracle = (
        stats.permutation_test(
            (differences, np.zeros_like(differences)),
            lambda a, b: abs(np.mean(a - b)),
            permutation_type="samples",
            alternative="greater",
        ).pvalue
        if len(differences) > 1
        else 1.0
    )
    assert found.p_value == pytest.approx(oracle)
    assert sign_flip(-differences).p_value == found.p_value
    assert sign_flip(3 * differences[::-1]).p_value == pytest.approx(found.p_value)
    assert found.smallest <= found.p_value <= 1


def test_drawn_flips_count_what_was_found():
    found = sign_flip(np.ones(40), np.random.default_rng(0))
    assert (found.p_value, found.smallest) == (1 / 10_000, 1 / 10_000)
    even = sign_flip(np.array([1.0, -1.0] * 10), np.random.default_rng(0))
    assert even.p_value == 1.0


def test_what_cannot_be_compared():
    with refused(EvaluationError, 5, 4):
        compare_seeds(FIRST, SECOND[:4])
    with refused(EvaluationError, 1, 2):
        compare_seeds(FIRST[:1], SECOND[:1])
    with refused(NoIntervalError, 5, 0.01):
        compare_seeds(FIRST + 0.01, FIRST)
    with refused(EvaluationError, 2, 0):
        compare_seeds(FIRST, np.where(np.arange(5) == 2, np.nan, SECOND))
    with refused(EvaluationError, "units"):
        sign_flip(np.array([]))
    with refused(EvaluationError, "finite"):
        sign_flip(np.array([np.inf]))
