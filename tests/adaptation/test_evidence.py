"""Sums of stretches: the same in parts as at once, usable if enough is surely reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacl.adaptation import (
    LEAST_SHARE,
    LIMIT,
    SURELY_REFERENCE,
    AdaptationError,
    Correction,
    Evidence,
    Unlabelled,
)
from support.refusals import refused

STRETCHES = st.lists(st.tuples(st.floats(-30, 30), st.floats(0.01, 60)), min_size=1, max_size=30)


def arrays(stretches):
    found = np.array(stretches, np.float64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def slow_mean(stretches):
    """The mean by a loop."""
    total = weighted = 0.0
    for log_odds, amount in stretches:
        total += amount
        weighted += amount * min(max(log_odds, -LIMIT), LIMIT)
    return total, weighted / total


def test_a_mean_by_hand():
    found = Evidence().plus(np.array([-2.0, -20.0]), np.array([3.0, 1.0]))
    assert found == Evidence(4.0, (3 * -2.0 - LIMIT) / 4)
    assert found.plus(np.array([]), np.array([])) == found
    assert Evidence().plus(np.array([-5.0]), np.array([0.0])) == Evidence()


@given(STRETCHES)
def test_the_mean_is_that_of_a_loop(stretches):
    found = Evidence().plus(*arrays(stretches))
    assert (found.amount, found.mean) == pytest.approx(slow_mean(stretches))


@given(STRETCHES, st.integers(0, 30))
def test_two_parts_are_the_same_as_all_at_once(stretches, cut):
    log_odds, amounts = arrays(stretches)
    for empty in (Evidence(), Unlabelled()):
        once = empty.plus(log_odds, amounts)
        parts = empty.plus(log_odds[:cut], amounts[:cut]).plus(log_odds[cut:], amounts[cut:])
        assert parts.amount == pytest.approx(once.amount)
        own, other = (one.sure if isinstance(one, Unlabelled) else one for one in (parts, once))
        assert (own.amount, own.mean) == pytest.approx((other.amount, other.mean), abs=1e-9)


def test_single_precision_is_summed_in_double():
    log_odds = np.full(100_000, -5.1, np.float32)
    found = Evidence().plus(log_odds, np.full(100_000, 0.1, np.float32))
    assert found.mean == pytest.approx(float(np.float32(-5.1)), rel=1e-6)
    assert found.amount == pytest.approx(10_000, rel=1e-6)


def test_only_sure_stretches_count():
    log_odds = np.array([SURELY_REFERENCE, SURELY_REFERENCE - 0.1, -7.0, 4.0, np.nan])
    found = Unlabelled().plus(log_odds, np.ones(5))
    assert found.amount == 5.0
    assert found.sure.amount == 2.0
    assert found.sure.mean == pytest.approx((SURELY_REFERENCE - 7.1) / 2)


@given(st.integers(0, 40), st.integers(0, 40))
def test_it_is_usable_from_the_least_share_up(sure, others):
    log_odds = np.repeat([-6.0, 3.0], [sure, others])
    found = Unlabelled().plus(log_odds, np.ones(sure + others))
    assert found.usable == (sure > 0 and sure / (sure + others) >= LEAST_SHARE)


def test_what_is_no_number_is_refused():
    with refused(AdaptationError, "nan"):
        Evidence().plus(np.array([-5.0, np.nan]), np.ones(2))
    with refused(AdaptationError, "nan"):
        Correction(target=True, log_odds=np.nan)
    for amount, mean in ((-1.0, 0.0), (np.inf, 0.0), (1.0, np.inf)):
        with refused(AdaptationError, amount, mean):
            Evidence(amount, mean)
