"""Platt scaling: what it finds, against scikit-learn, and what it must not depend on."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from pacl.evaluation import EvaluationError
from pacl.evaluation.platt import Platt, fit_platt
from support.refusals import refused

CASES = [(400, 0.5, 1.0, 0.0), (300, 0.2, 0.4, -1.5), (500, 0.9, 3.0, 2.0), (60, 0.5, 0.05, 9.0)]


def simulated(windows=400, af=0.5, slope=1.0, intercept=0.0, seed=0):
    """Logits of two classes that overlap, `slope` and `intercept` away from being calibrated."""
    generator = np.random.default_rng(seed)
    labels = (generator.random(windows) < af).astype(np.int64)
    calibrated = generator.normal(2.0 * labels - 1.0, np.sqrt(2.0))
    return (calibrated - intercept) / slope, labels


def by_sklearn(logit, labels):
    """No penalty, both classes weighing the same."""
    model = LogisticRegression(
        C=np.inf, class_weight="balanced", solver="newton-cholesky", tol=1e-12, max_iter=1000
    )
    centre, unit = logit.mean(), logit.std()
    model.fit((logit - centre)[:, None] / unit, labels)
    slope = float(model.coef_[0, 0]) / unit
    return slope, float(model.intercept_[0]) - slope * centre


def test_by_hand():
    # 3 of 4 windows of each class lie on its side: odds of 3 at 1, of 1/3 at -1
    logit = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0])
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    found = fit_platt(logit, labels)
    assert found.slope == pytest.approx(np.log(3), abs=1e-9)
    assert found.intercept == pytest.approx(0.0, abs=1e-9)
    assert found.probability(np.array([1.0, 0.0, -1.0])) == pytest.approx([0.75, 0.5, 0.25])


@pytest.mark.parametrize(("slope", "intercept"), [(1.0, 0.0), (0.4, -1.5), (3.0, 2.0)])
def test_what_was_simulated_is_found_again(slope, intercept):
    logit, labels = simulated(200_000, 0.3, slope, intercept)
    found = fit_platt(logit, labels)
    assert found.slope == pytest.approx(slope, rel=0.02)
    assert found.intercept == pytest.approx(intercept, abs=0.03)


@pytest.mark.parametrize("case", CASES)
def test_it_is_logistic_regression_with_balanced_weights(case):
    logit, labels = simulated(*case)
    found = fit_platt(logit, labels)
    slope, intercept = by_sklearn(logit, labels)
    assert found.slope == pytest.approx(slope, rel=1e-6)
    assert found.intercept == pytest.approx(intercept, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_it_lies_where_the_loss_is_flat(case):
    """Both classes are as likely on average as they weigh; so are their logits."""
    logit, labels = simulated(*case)
    probability = fit_platt(logit, labels).probability(logit)
    weight = np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (1 - labels).sum())
    assert (weight * probability).sum() == pytest.approx(0.5, abs=1e-9)
    assert (weight * probability * logit).sum() == pytest.approx(
        (weight * labels * logit).sum(), abs=1e-8 * np.abs(logit).max()
    )


@pytest.mark.parametrize("shift", [-300.0, 0.0, 7.0])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_logits_of_another_scale_give_the_same_probability(scale, shift):
    logit, labels = simulated(250, 0.4)
    one, other = fit_platt(logit, labels), fit_platt(scale * (logit + shift), labels)
    assert other.slope * scale == pytest.approx(one.slope, rel=1e-6)
    assert other.probability(scale * (logit + shift)) == pytest.approx(
        one.probability(logit), abs=1e-7
    )


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("times", [2, 30])
def test_it_does_not_depend_on_how_common_af_is(label, times):
    logit, labels = simulated(250, 0.4)
    more = np.repeat(np.arange(250), np.where(labels == label, times, 1))
    one, other = fit_platt(logit, labels), fit_platt(logit[more], labels[more])
    assert (other.slope, other.intercept) == pytest.approx((one.slope, one.intercept), abs=1e-7)


def test_the_order_of_windows_does_not_matter():
    logit, labels = simulated(250)
    order = np.random.default_rng(1).permutation(250)
    one, other = fit_platt(logit, labels), fit_platt(logit[order], labels[order])
    assert (other.slope, other.intercept) == pytest.approx((one.slope, one.intercept), abs=1e-9)


def test_logits_in_single_precision():
    logit, labels = simulated(250)
    single = logit.astype(np.float32)
    one, other = fit_platt(single, labels), fit_platt(single.astype(np.float64), labels)
    assert (one.slope, one.intercept) == pytest.approx((other.slope, other.intercept), abs=1e-5)
    assert one.probability(single).dtype == np.float64


@pytest.mark.parametrize("gap", [1e-3, 0.5, 2.0, 40.0])
@pytest.mark.parametrize("size", [2, 50])
def test_rhythms_that_a_threshold_parts_are_refused(size, gap):
    logit = np.concatenate([np.linspace(-1, 0, size), np.linspace(0, 1, size) + gap])
    labels = np.repeat([0, 1], size)
    with refused(EvaluationError, "threshold"):
        fit_platt(logit, labels)


def test_rhythms_that_a_threshold_parts_but_for_ties_are_refused():
    """No slope is steep enough here, either: windows at the threshold are of both rhythms."""
    with refused(EvaluationError, "threshold"):
        fit_platt(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0, 0, 1, 1]))


def test_logits_that_fall_with_af_or_tell_nothing_are_refused():
    logit, labels = simulated()
    for wrong in (-logit, np.full(logit.size, 0.3)):
        with refused(EvaluationError, "logits"):
            fit_platt(wrong, labels)


@pytest.mark.parametrize("label", [0, 1])
def test_one_rhythm_is_refused(label):
    with refused(EvaluationError, "class"):
        fit_platt(np.arange(4.0), np.full(4, label))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_logits_that_are_no_numbers_are_refused(bad):
    logit, labels = simulated()
    logit[7] = bad
    with refused(EvaluationError, 400):
        fit_platt(logit, labels)


@pytest.mark.parametrize("labels", [399, 1, 0])
def test_other_numbers_of_logits_and_labels_are_refused(labels):
    logit, known = simulated()
    with refused(EvaluationError, 400, f"{labels}"):
        fit_platt(logit, known[:labels])


def test_nothing_at_all_is_refused():
    with refused(EvaluationError, "class"):
        fit_platt(np.empty(0), np.empty(0, dtype=np.int64))


def test_probability_is_that_of_the_calibrated_logit():
    platt = Platt(2.0, -1.0)
    assert platt.logit(np.array([0.0, 0.5, 3.0])).tolist() == [-1.0, 0.0, 5.0]
    assert platt.probability(np.array([0.0, 0.5, 3.0])) == pytest.approx(
        [1 / (1 + np.e), 0.5, 1 / (1 + np.exp(-5.0))], abs=1e-15
    )
    assert Platt().logit(np.array([0.25])).tolist() == [0.25]


def test_probability_of_huge_logits():
    huge = np.array([-1e300, -1e4, 0.0, 1e4, 1e300])
    assert Platt().probability(huge).tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    rising = Platt(3.0, 1.0).probability(np.linspace(-200, 200, 999))
    assert np.all(np.diff(rising) >= 0)
    assert (rising.min(), rising.max()) == (0.0, 1.0)
