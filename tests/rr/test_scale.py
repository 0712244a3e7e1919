"""Eq. 4: by hand, against slow and foreign oracles, and by what must hold."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.preprocessing import RobustScaler

from pacl.rr import Scale, fit_scale, gather

BEATS = arrays(np.int32, st.integers(1, 60), elements=st.integers(200, 2000))


def test_by_hand():
    assert fit_scale(np.array([500, 100, 300, 200, 400])) == Scale(300.0, 200.0)
    # an even number: the median lies between two beats, the quartiles a quarter of the way
    assert fit_scale(np.array([100, 200, 300, 400])) == Scale(250.0, 150.0)
    windows = gather(
        np.array([100, 300, 500], dtype=np.float32),
        np.array([0]),
        3,
        np.array([300.0]),
        np.array([200.0]),
    )
    assert windows.tolist() == [[-1.0, 0.0, 1.0]]


def quantile(values: list[float], share: float) -> float:
    """A quantile by walking through the sorted values."""
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


@given(BEATS)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_against_a_slow_loop_and_sklearn(rr_ms):
    found = fit_scale(rr_ms)
    beats = rr_ms.astype(float).tolist()
    assert found.centre_ms == pytest.approx(quantile(beats, 0.5), rel=1e-12)
    assert found.scale_ms == pytest.approx(
        quantile(beats, 0.75) - quantile(beats, 0.25), rel=1e-12, abs=1e-9
    )
    oracle = RobustScaler().fit(rr_ms.reshape(-1, 1).astype(np.float64))
    assert found.centre_ms == pytest.approx(oracle.center_[0])
    if found.usable:
        assert found.scale_ms == pytest.approx(oracle.scale_[0])
        scaled = (rr_ms - found.centre_ms) / found.scale_ms
        np.testing.assert_allclose(
            scaled, oracle.transform(rr_ms.reshape(-1, 1).astype(float))[:, 0], atol=1e-9
        )


@given(BEATS, st.integers(-200, 3000), st.integers(1, 9))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_another_heart_rate_and_another_spread_scale_alike(rr_ms, shift, factor):
    one = fit_scale(rr_ms)
    other = fit_scale(rr_ms * factor + shift)
    assert other.centre_ms == pytest.approx(one.centre_ms * factor + shift)
    assert other.scale_ms == pytest.approx(one.scale_ms * factor)
    assume(one.usable)
    np.testing.assert_allclose(
        (rr_ms * factor + shift - other.centre_ms) / other.scale_ms,
        (rr_ms - one.centre_ms) / one.scale_ms,
        atol=1e-9,
    )


@given(BEATS, st.randoms(use_true_random=False))
@settings(max_examples=50, derandomize=True, deadline=None)
def test_order_does_not_matter(rr_ms, random):
    shuffled = rr_ms.tolist()
    random.shuffle(shuffled)
    assert fit_scale(np.array(shuffled)) == fit_scale(rr_ms)


def test_a_quarter_of_outliers_does_not_move_the_scale():
    beats = np.arange(700, 901, 2)
    found = fit_scale(beats)
    outliers = np.concatenate([beats, [200] * 20, [2000] * 20])
    assert fit_scale(outliers).centre_ms == found.centre_ms
    assert fit_scale(outliers).scale_ms < 2 * found.scale_ms


def test_no_spread_is_no_scale():
    assert not fit_scale(np.array([800, 800, 800, 800, 1200])).usable
    assert not fit_scale(np.array([800])).usable
    assert not fit_scale(np.array([], dtype=np.int32)).usable
    assert fit_scale(np.array([800, 801])).usable


def test_float32_beats_are_not_rounded_further():
    beats = np.array([800.1, 800.2, 800.4], dtype=np.float32)
    assert fit_scale(beats) == fit_scale(beats.astype(np.float64))
