"""Calibration: by hand, against scikit-learn and a slow loop, and by what must hold."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

from pacl.evaluation.calibration import measure_calibration
from pacl.evaluation.errors import EvaluationError
from support.refusals import refused

PREDICTIONS = st.integers(1, 40).flatmap(
    lambda windows: st.tuples(
        arrays(np.int8, windows, elements=st.integers(0, 1)),
        arrays(np.float64, windows, elements=st.floats(0, 1)),
    )
)


def predictions(windows: int, seed: int = 0, steepness: float = 1.0):
    """Labels drawn with known probabilities, of which the logits are then stretched."""
    generator = np.random.default_rng(seed)
    logit = generator.normal(0.0, 2.0, windows)
    labels = (generator.random(windows) < 1 / (1 + np.exp(-logit))).astype(np.int64)
    return labels, 1 / (1 + np.exp(-steepness * logit))


def test_by_hand():
    found = measure_calibration(np.array([0, 1, 1, 0]), np.array([0.25, 0.25, 0.75, 1.0]), bins=2)
    # squares: 1/16, 9/16, 1/16, 1; two windows a bin: 0.25 for 1/2 AF, 0.875 for 1/2 AF
    assert found.brier == (1 + 9 + 1 + 16) / 16 / 4
    assert found.expected_error == (0.25 + 0.375) / 2
    low, high = found.bins
    assert (low.low, low.high, low.windows) == (0.0, 0.5, 2)
    assert (low.mean_probability, low.share) == (0.25, 0.5)
    assert (high.low, high.high, high.windows) == (0.5, 1.0, 2)
    assert (high.mean_probability, high.share) == (0.875, 0.5)


def test_odds_that_are_half_right_by_hand():
    # One in four AF at 0.1, three in four at 0.9: the slope is that of log 3 over log 9, a half.
    labels = np.array([0, 0, 0, 1, 0, 1, 1, 1])
    found = measure_calibration(labels, np.array([0.1] * 4 + [0.9] * 4))
    assert found.slope == pytest.approx(0.5, abs=1e-9)
    assert found.intercept == pytest.approx(0.0, abs=1e-9)


def test_bins_hold_their_lower_edge_and_the_last_both():
    edges = np.linspace(0, 1, 11)
    found = measure_calibration(np.zeros(11, dtype=np.int64), edges)
    assert [one.windows for one in found.bins] == [1] * 9 + [2]


def test_an_empty_bin_has_no_mean():
    found = measure_calibration(np.array([0, 1]), np.array([0.05, 0.95]))
    assert [one.windows for one in found.bins] == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert found.bins[4].mean_probability is None
    assert found.bins[4].share is None


def test_equals_sklearn():
    labels, probability = predictions(2000)
    found = measure_calibration(labels, probability, bins=15)
    assert found.brier == pytest.approx(brier_score_loss(labels, probability), abs=1e-12)
    share, mean = calibration_curve(labels, probability, n_bins=15)
    filled = [one for one in found.bins if one.windows]
    np.testing.assert_allclose([one.share for one in filled], share, atol=1e-12)
    np.testing.assert_allclose([one.mean_probability for one in filled], mean, atol=1e-12)
    logit = np.log(probability / (1 - probability))[:, None]
    oracle = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10).fit(logit, labels)
    assert found.slope == pytest.approx(oracle.coef_[0, 0], abs=1e-6)
    assert found.intercept == pytest.approx(oracle.intercept_[0], abs=1e-6)


def expected_error(labels, probability, bins: int) -> float:
    """Bin by bin, window by window."""
    edges, total = np.linspace(0, 1, bins + 1).tolist(), 0.0
    for at in range(bins):
        inside = [
            (label, value)
            for label, value in zip(labels.tolist(), probability.tolist(), strict=True)
            if edges[at] <= value and (value < edges[at + 1] or at == bins - 1)
        ]
        if inside:
            share = sum(label for label, _ in inside) / len(inside)
            mean = sum(value for _, value in inside) / len(inside)
            total += len(inside) / labels.size * abs(share - mean)
    return total


@given(PREDICTIONS, st.integers(1, 12), st.randoms(use_true_random=False))
@settings(max_examples=150, derandomize=True, deadline=None)
def test_against_a_slow_loop_in_any_order(pair, bins, random):
    labels, probability = pair
    found = measure_calibration(labels, probability, bins=bins)
    assert found.expected_error == pytest.approx(expected_error(*pair, bins), abs=1e-12)
    assert 0 <= found.brier <= 1
    assert sum(one.windows for one in found.bins) == labels.size
    assert (found.slope is None) == (found.intercept is None)
    assert found.slope is None or math.isfinite(found.slope)
    order = list(range(labels.size))
    random.shuffle(order)
    again = measure_calibration(labels[order], probability[order], bins=bins)
    assert again.brier == pytest.approx(found.brier)


@pytest.mark.parametrize("steepness", [0.5, 1.0, 4.0])
def test_overconfidence_shows_in_the_slope(steepness):
    found = measure_calibration(*predictions(20_000, steepness=steepness))
    assert found.slope == pytest.approx(1 / steepness, rel=0.05)
    assert found.intercept == pytest.approx(0.0, abs=0.05)
    assert (found.expected_error < 0.02) == (steepness == 1.0)


@given(PREDICTIONS)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_recalibrated_odds_leave_nothing_to_correct(pair):
    labels, probability = pair
    probability = np.clip(probability, 0.01, 0.99)
    once = measure_calibration(labels, probability)
    if once.slope is None or not 0.1 < once.slope < 10:
        return
    logit = once.slope * np.log(probability / (1 - probability)) + once.intercept
    if np.abs(logit).max() < 20:  # else the odds are rounded
        twice = measure_calibration(labels, 1 / (1 + np.exp(-logit)))
        assert twice.slope == pytest.approx(1.0, abs=1e-5)
        assert twice.intercept == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize(
    ("labels", "probability"),
    [
        ([1, 1, 1], [0.2, 0.5, 0.8]),
        ([0, 0, 1], [0.2, 0.5, 0.8]),
        ([1, 1, 0], [0.2, 0.5, 0.8]),
        ([0, 1, 0, 1], [0.2, 0.5, 0.5, 0.8]),
        ([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5]),
    ],
)
def test_no_slope_where_none_is_steep_enough(labels, probability):
    found = measure_calibration(np.array(labels), np.array(probability))
    assert found.slope is None
    assert found.intercept is None


def test_nearly_parted_rhythms_end_with_a_slope_or_without():
    rising = np.linspace(0.001, 0.999, 1000)
    labels = (rising > 0.5).astype(np.int64)
    labels[[499, 500]] = [1, 0]
    found = measure_calibration(labels, rising)
    assert found.slope is not None
    assert found.slope > 100
    for gap in (1e-6, 1e-9, 1e-13):
        parted = np.array([0.1, 0.5 + gap, 0.5, 0.9])
        slope = measure_calibration(np.array([0, 0, 1, 1]), parted).slope
        assert slope is None or slope > 0


def test_certain_predictions_are_measured():
    found = measure_calibration(np.array([0, 1, 0, 1]), np.array([0.0, 1.0, 1.0, 0.0]))
    assert found.brier == 0.5
    assert found.slope == pytest.approx(0.0, abs=1e-9)
    assert found.bins[-1].mean_probability == 1.0


def test_float32_is_not_rounded_further():
    labels, probability = predictions(100)
    single = probability.astype(np.float32)
    assert measure_calibration(labels, single) == measure_calibration(
        labels, single.astype(np.float64)
    )


@pytest.mark.parametrize(
    ("labels", "probability", "facts"),
    [
        ([0, 1, 3], [0.1, 0.2, 0.3], (1, 3, 2)),
        ([0, 1], [0.1, 1.5], (1, 2, "[0, 1]", 1.5)),
        ([0, 1], [-0.1, 1.5], (2, 0, "-0.1")),
        ([0, 1], [0.5, math.nan], (1, 2, "nan")),
        ([], [], ("window",)),
    ],
)
def test_what_are_no_predictions(labels, probability, facts):
    with refused(EvaluationError, *facts):
        measure_calibration(np.array(labels, dtype=np.int64), np.array(probability, dtype=float))


def test_lengths_and_bins():
    unchecked = getattr(measure_calibration, "__wrapped__", measure_calibration)
    with refused(EvaluationError, 2, 1):
        unchecked(np.array([0, 1]), np.array([0.5]))
    with refused(EvaluationError, 0):
        measure_calibration(np.array([0, 1]), np.array([0.5, 0.5]), bins=0)
