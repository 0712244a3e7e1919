"""The probe: by hand, against scikit-learn, at its optimum, and through JSON."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LogisticRegression

from pacl.evaluation import probe as module
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.probe import Probe, fit_probe
from support.refusals import refused

NUMBER = st.floats(allow_nan=False, allow_infinity=False)


def sphere(windows: int, features: int, seed: int = 0, apart: float = 1.0):
    """Unit vectors of two rhythms, `apart` along one axis."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 2, windows)
    pooled = generator.normal(size=(windows, features))
    pooled[:, 0] += apart * (2 * labels - 1)
    pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
    return pooled.astype(np.float32), labels


def test_by_hand():
    # Two windows at -1 and 1: the weight w solves w = 2 / (1 + exp(w)), the bias is 0.
    probe = fit_probe(np.array([[-1.0], [1.0]]), np.array([0, 1]))
    weight = float(probe.weight[0])
    assert weight == pytest.approx(2 / (1 + math.exp(weight)), abs=1e-7)
    assert probe.bias == pytest.approx(0.0, abs=1e-9)
    # Windows that are all alike tell nothing: the odds are those of the labels, 3 to 1.
    alike = fit_probe(np.zeros((4, 2)), np.array([1, 0, 1, 1]))
    assert alike.weight.tolist() == [0.0, 0.0]
    assert alike.bias == pytest.approx(math.log(3), abs=1e-7)
    assert alike.probability(np.zeros((1, 2))) == pytest.approx([0.75], abs=1e-7)


@pytest.mark.parametrize("c", [0.01, 1.0, 100.0])
def test_the_loss_is_flat_at_the_optimum(c):
    pooled, labels = sphere(300, 6)
    probe = fit_probe(pooled, labels, c=c)
    weight, bias = [0.0] * 6, 0.0
    for row, label in zip(pooled.astype(float).tolist(), labels.tolist(), strict=True):
        logit = sum(w * x for w, x in zip(probe.weight.tolist(), row, strict=True)) + probe.bias
        residual = 1 / (1 + math.exp(-logit)) - label
        weight = [g + residual * x for g, x in zip(weight, row, strict=True)]
        bias += residual
    slope = [g + w / c for g, w in zip(weight, probe.weight.tolist(), strict=True)]
    assert max(map(abs, [*slope, bias])) < 300 * module.TOLERANCE


def test_equals_sklearn():
    pooled, labels = sphere(400, 8)
    exact = pooled.astype(np.float64)
    probe = fit_probe(pooled, labels)
    oracle = LogisticRegression(solver="newton-cholesky", tol=module.TOLERANCE).fit(exact, labels)
    np.testing.assert_array_equal(probe.weight, oracle.coef_[0])
    np.testing.assert_allclose(
        probe.probability(pooled), oracle.predict_proba(exact)[:, 1], rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(probe.logit(pooled), oracle.decision_function(exact), atol=1e-12)
    # another solver, once its tolerance is as tight, finds the same optimum
    other = LogisticRegression(tol=1e-10, max_iter=5000).fit(exact, labels)
    np.testing.assert_allclose(
        probe.probability(pooled), other.predict_proba(exact)[:, 1], rtol=0, atol=2e-6
    )


@pytest.mark.parametrize("case", ["collapsed", "dead features", "separable", "repeated"])
def test_awkward_embeddings_are_fitted(case):
    pooled, labels = sphere(200, 8)
    if case == "collapsed":
        pooled[:] = pooled[0]
    elif case == "dead features":
        pooled[:, 2:] = 0
    elif case == "separable":
        pooled[:, 0] = 2 * labels - 1
    else:
        pooled[:, 4:] = pooled[:, :4]
    probability = fit_probe(pooled, labels, c=1e4).probability(pooled)
    assert np.isfinite(probability).all()
    assert probability.mean() == pytest.approx(labels.mean(), abs=1e-6)


def test_extreme_logits_neither_overflow_nor_leave_the_unit_interval():
    probe = Probe(np.array([1.0]), 0.0)
    found = probe.probability(np.array([[-1e4], [-800.0], [-40.0], [0.0], [40.0], [1e4]]))
    assert found.tolist() == [0.0, 0.0, math.exp(-40) / (1 + math.exp(-40)), 0.5, 1.0, 1.0]


@given(st.floats(-600, 600))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_odds_of_opposite_windows_mirror_each_other(logit):
    probe = Probe(np.array([1.0]), 0.0)
    one, other = probe.probability(np.array([[logit], [-logit]]))
    assert one + other == pytest.approx(1.0, abs=1e-15)
    assert (one >= 0.5) == (logit >= 0) or abs(logit) < 1e-15


def test_order_of_windows_does_not_matter():
    pooled, labels = sphere(200, 5)
    order = np.random.default_rng(1).permutation(200)
    one, other = fit_probe(pooled, labels), fit_probe(pooled[order], labels[order])
    np.testing.assert_allclose(one.probability(pooled), other.probability(pooled), atol=1e-9)


def test_swapped_labels_turn_the_probe_round():
    pooled, labels = sphere(200, 5)
    one, other = fit_probe(pooled, labels), fit_probe(pooled, 1 - labels)
    np.testing.assert_allclose(one.logit(pooled), -other.logit(pooled), atol=1e-6)


def test_what_was_given_stays_as_it_was():
    pooled, labels = sphere(50, 3)
    before = pooled.copy()
    fit_probe(pooled, labels).probability(pooled)
    np.testing.assert_array_equal(pooled, before)


@given(arrays(np.float64, st.integers(1, 20), elements=NUMBER), NUMBER)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_json_gives_back_every_bit(weight, bias):
    probe = Probe(weight, bias)
    again = Probe.from_dict(json.loads(json.dumps(probe.to_dict(), allow_nan=False)))
    assert again.weight.tobytes() == probe.weight.tobytes()
    assert again.bias == probe.bias


def test_whole_numbers_in_json_are_numbers():
    assert Probe.from_dict({"weight": [1, 2], "bias": 0}).weight.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("stated", "facts"),
    [
        ([1.0], ("weight", "bias", "[1.0]")),
        ({}, ("weight", "bias")),
        ({"weight": [1.0]}, ("weight", "bias")),
        ({"weight": [1.0], "bias": 0.0, "c": 1.0}, ("weight", "bias", "c")),
        ({"weight": [], "bias": 0.0}, ("weight", "[]")),
        ({"weight": 1.0, "bias": 0.0}, ("weight", 1.0)),
        (
            {"weight": [1.0, "2"], "bias": 0.0},
            ("weight[1]", "'2'"),
        ),
        ({"weight": [[1.0]], "bias": 0.0}, ("weight[0]", "[1.0]")),
        ({"weight": [True], "bias": 0.0}, ("weight[0]", "True")),
        ({"weight": [1.0], "bias": math.nan}, ("bias", "nan")),
        ({"weight": [1.0], "bias": None}, ("bias", "None")),
        ({"weight": [1.0], "bias": 10**400}, ("bias", "1000")),
    ],
)
def test_a_dictionary_that_is_no_probe(stated, facts):
    with refused(EvaluationError, *facts):
        Probe.from_dict(stated)


@pytest.mark.parametrize(
    ("labels", "kinds"), [([1, 1, 1], "1"), ([0, 0, 0], "0"), ([0, 2, 3], "0, 2, 3")]
)
def test_needs_both_rhythms_and_no_other(labels, kinds):
    with refused(EvaluationError, f"{kinds}", 0, 1):
        fit_probe(np.eye(3), np.array(labels))


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_names_the_window_that_is_not_finite(wrong):
    pooled, labels = sphere(20, 3)
    probe = fit_probe(pooled, labels)
    pooled[7:9, 1] = wrong
    for call in (lambda: fit_probe(pooled, labels), lambda: probe.probability(pooled)):
        with refused(EvaluationError, 2, 20, 7):
            call()


def test_other_features_than_it_was_fitted_on():
    with refused(EvaluationError, 3, 2):
        Probe(np.zeros(2), 0.0).logit(np.zeros((5, 3)))


def test_lengths_that_differ():
    unchecked = getattr(fit_probe, "__wrapped__", fit_probe)
    with refused(EvaluationError, 3, 2):
        unchecked(np.eye(3), np.array([0, 1]))


@pytest.mark.parametrize("c", [0.0, -1.0, math.nan, math.inf])
def test_a_penalty_that_is_none(c):
    with refused(EvaluationError, f"{c}", 0):
        fit_probe(np.eye(2), np.array([0, 1]), c=c)


def test_no_optimum_is_not_silent(monkeypatch):
    monkeypatch.setattr(module, "MAX_ITERATIONS", 1)
    pooled, labels = sphere(100, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whatever the caller does with warnings
        with refused(EvaluationError, 1, 100, "c = 1.0"):
            fit_probe(pooled, labels)


def test_collinear_features_without_a_penalty_are_not_silent():
    pooled, labels = sphere(100, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with refused(EvaluationError, "singular"):
            fit_probe(np.tile(pooled, (1, 8)), labels, c=1e14)


def test_no_windows_have_no_probability():
    assert Probe(np.zeros(2), 0.0).probability(np.zeros((0, 2))).shape == (0,)
