"""Intervals over subjects: by hand, against slow resampling, and what has none."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from pacl.evaluation.auroc import measure_auroc
from pacl.evaluation.auroc_pairs import count_pairs
from pacl.evaluation.coverage import POPULATIONS
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.interval import (
    LIMITS,
    Interval,
    NoIntervalError,
    SubjectSpread,
    bca_limits,
    effective_freedom,
    spread_over_subjects,
)
from pacl.evaluation.intervals import DEFAULT, auroc_interval, mean_interval
from support.refusals import refused

METHODS = tuple(LIMITS)


def cohort(subjects: int = 12, seed: int = 0):
    """Labels, scores and subjects of a cohort with an AUROC of about 0.95."""
    return POPULATIONS[1].draw(subjects, np.random.default_rng(seed))


def logit(value):
    return np.log(value / (1 - value))


def test_logit_by_hand():
    # Without each subject in turn the mean is 0.75, 0.65, 0.6 (that is 0.5, 0.7, 0.8).
    values = np.array([0.5, 0.7, 0.8])
    found = mean_interval(values, method="logit")
    without = logit(np.array([0.75, 0.65, 0.6]))
    error = math.sqrt(2 / 3 * np.sum((without - without.mean()) ** 2))
    ends = logit(2 / 3) + np.array([-1, 1]) * 4.302652729911275 * error  # t of 2 degrees
    assert [found.low, found.high] == pytest.approx((1 / (1 + np.exp(-ends))).tolist())
    assert found.estimate == pytest.approx(2 / 3)
    assert (found.method, found.level, found.subjects) == ("logit", 0.95, 3)


def test_without_bounds_it_is_student_s_interval_where_all_subjects_count_alike():
    values = np.array([-3.0, 3.0] * 10)  # deviations of one size: all 20 carry the spread
    found = mean_interval(values, bounds=None)
    low, high = stats.t.interval(0.95, 19, 0.0, stats.sem(values))
    assert [found.low, found.high] == pytest.approx([low, high])


def test_effective_freedom_counts_those_who_carry_the_spread():
    assert effective_freedom(np.array([1.0, -1, 1, -1, 1, -1])) == 5.0  # at most subjects - 1
    assert effective_freedom(np.array([2.0, -2, 2, -2, 0, 0, 0, 0])) == 4.0
    assert effective_freedom(np.array([9.0, 0, 0, 0, 0, 0])) == 3.0  # at least 3
    assert effective_freedom(np.array([9.0, -9])) == 1.0
    assert effective_freedom(1e-200 * np.array([2.0, -2, 2, -2, 0, 0, 0, 0])) == 4.0


def test_percentile_against_windows_drawn_subject_by_subject():
    labels, score, who = cohort()
    found = auroc_interval(
        [count_pairs(labels, score, who)],
        np.random.default_rng(3),
        method="percentile",
        resamples=200,
    )
    generator, slow = np.random.default_rng(3), []
    for times in generator.multinomial(12, np.full(12, 1 / 12), size=200):
        rows = np.repeat(np.arange(labels.size), times[who])
        slow.append(measure_auroc(labels[rows], score[rows]))
    assert [found.low, found.high] == np.quantile(slow, [0.025, 0.975]).tolist()


def test_bca_equals_scipy():
    values = np.random.default_rng(5).beta(8, 2, 25)
    found = mean_interval(values, np.random.default_rng(1), method="bca", resamples=200_000)
    oracle = stats.bootstrap(
        (values,), np.mean, n_resamples=50_000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval
    assert [found.low, found.high] == pytest.approx([oracle.low, oracle.high], abs=5e-4)
    plain = mean_interval(values, np.random.default_rng(1), method="percentile", resamples=200_000)
    assert plain.low - found.low > 1e-3  # and is not the plain one


def test_bca_beyond_its_pole_takes_the_outermost_draw():
    # One subject makes all of the difference (acceleration 1/6, a pole at z = 6), and all draws
    # lie below the estimate (bias 3.3): at 99.99 % the upper z is 7.2.
    spread = SubjectSpread(
        estimate=1.0,
        without=np.array([0.0] + [1.0] * 999),
        resampled=np.linspace(0.0, 0.99, 1000),
    )
    assert bca_limits(spread, 0.9999, None)[1] == 0.99


def test_effective_is_logit_with_fewer_degrees():
    pairs = [count_pairs(*cohort(24, seed=1))]
    plain, effective = auroc_interval(pairs, method="logit"), auroc_interval(pairs)
    without = logit(pairs[0].pooled(1 - np.eye(24)))
    deviations = without - without.mean()
    freedom = np.sum(deviations**2) ** 2 / np.sum(deviations**4)
    assert 3 < freedom < 23
    reach = [logit(one.high) - logit(one.estimate) for one in (plain, effective)]
    t = [stats.t.ppf(0.975, 23), stats.t.ppf(0.975, freedom)]
    assert reach[1] / reach[0] == pytest.approx(t[1] / t[0])
    assert effective.method == DEFAULT == "effective"


def test_a_subject_brings_all_seeds_along():
    labels, score, who = cohort()
    other = score + np.random.default_rng(9).normal(size=score.size)
    seeds = [count_pairs(labels, one, who) for one in (score, other)]
    found = auroc_interval(seeds, method="logit")
    without = [
        np.mean([measure_auroc(labels[who != p], s[who != p]) for s in (score, other)])
        for p in range(12)
    ]
    error = math.sqrt(
        11 / 12 * np.sum((logit(np.array(without)) - logit(np.array(without)).mean()) ** 2)
    )
    assert found.estimate == pytest.approx(np.mean([one.auroc for one in seeds]))
    reach = stats.t.ppf(0.975, 11) * error
    assert logit(found.low) == pytest.approx(logit(found.estimate) - reach)
    same = auroc_interval(seeds[:1] * 3)  # the same seed three times is no new knowledge
    once = auroc_interval(seeds[:1])
    assert [same.low, same.high] == pytest.approx([once.low, once.high])


@pytest.mark.parametrize("method", METHODS)
def test_order_of_subjects_does_not_matter(method):
    labels, score, who = cohort()
    renamed = np.random.default_rng(2).permutation(12)[who]
    one, other = (
        auroc_interval(
            [count_pairs(labels, score, codes)],
            np.random.default_rng(0),
            method=method,
            resamples=20_000,
        )
        for codes in (who, renamed)
    )
    near = 1e-12 if method in ("logit", "effective") else 4e-3  # other draws
    assert [one.low, one.high] == pytest.approx([other.low, other.high], abs=near)


@pytest.mark.parametrize("method", METHODS)
def test_an_interval_is_around_its_estimate_and_grows_with_its_level(method):
    values = np.random.default_rng(1).beta(9, 1, 20)
    ends = [
        mean_interval(values, np.random.default_rng(0), method=method, level=level)
        for level in (0.5, 0.8, 0.95, 0.99)
    ]
    for inner, outer in pairwise(ends):
        assert 0 < outer.low < inner.low < inner.estimate < inner.high < outer.high < 1
        assert inner.estimate in inner
        assert outer.low not in inner


def test_values_may_be_scaled_with_their_bounds():
    values = np.random.default_rng(1).beta(9, 1, 20)
    one = mean_interval(values)
    other = mean_interval(2 * values - 1, bounds=(-1.0, 1.0))
    assert [other.low, other.high] == pytest.approx([2 * one.low - 1, 2 * one.high - 1])


def test_one_subject_alone_with_a_rhythm_is_no_base():
    labels, score, who = cohort(6)
    only = (labels == 0) | (who == 4)
    pairs = count_pairs(labels[only], score[only], who[only], ["a", "b", "c", "d", "eve", "f"])
    with refused(NoIntervalError, "eve", 5):
        auroc_interval([pairs])
    with refused(NoIntervalError, 3, 0, 5):
        spread_over_subjects(pairs.pooled, 5)


def test_draws_without_a_rhythm_are_left_out_and_counted():
    labels, score, who = cohort(6, seed=3)
    few = (labels == 0) | (who == 1) | (who == 2)  # AF in two subjects of six
    found = auroc_interval(
        [count_pairs(labels[few], score[few], who[few])],
        np.random.default_rng(0),
        method="percentile",
        resamples=20_000,
    )
    # neither of the two: (4/6)^6
    assert found.undefined == pytest.approx((4 / 6) ** 6, abs=0.01)
    assert f"{100 * found.undefined:.1f} % of resamples left out" in found.describe()
    assert 0 <= found.low <= found.high <= 1


def test_one_bad_subject_among_perfect_ones_has_wide_finite_limits():
    found = mean_interval(np.array([1.0] * 23 + [0.7]))
    assert 0 < found.low < 0.9 < found.estimate < found.high < 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [0.0, 0.8, 1.0])
def test_what_does_not_differ_has_no_interval(method, value):
    with refused(NoIntervalError, 5, f"{value:g}"):
        mean_interval(np.full(5, value), np.random.default_rng(0), method=method)


@pytest.mark.parametrize("method", METHODS)
def test_perfect_detection_has_no_interval(method):
    labels = np.tile([0, 1], 8)
    pairs = count_pairs(labels, labels.astype(np.float64), np.repeat(np.arange(4), 4))
    with refused(NoIntervalError, 4, 1):
        auroc_interval([pairs], np.random.default_rng(0), method=method)


def test_what_cannot_be_resampled():
    values = np.array([0.4, 0.5, 0.9])
    with refused(NoIntervalError, 1, 2):
        mean_interval(np.array([0.4]))
    with refused(NoIntervalError, 0):
        mean_interval(np.array([]))
    with refused(EvaluationError, 1, 3):
        mean_interval(np.array([0.4, np.nan, 0.9]))
    with refused(EvaluationError, 0.4, 0.9, 0.0, 0.8):
        mean_interval(values, bounds=(0.0, 0.8))
    with refused(EvaluationError, "'bca'", 2000):
        mean_interval(values, method="bca")
    with refused(EvaluationError, "'percentile'", 0):
        mean_interval(values, np.random.default_rng(0), method="percentile", resamples=0)
    with refused(EvaluationError, "'logit'"):
        mean_interval(values, method="logit", bounds=None)
    with refused(EvaluationError, 95.0, 0, 1):
        mean_interval(values, level=95.0)
    with refused(EvaluationError, "predictions"):
        auroc_interval([])
    labels, score, who = cohort()
    one, other = count_pairs(labels, score, who), count_pairs(labels[1:], score[1:], who[1:])
    with refused(EvaluationError, 1, 0):
        auroc_interval([one, other])


def test_what_is_said_of_coverage():
    said = Interval(0.9123, 0.9811, 0.955, "bca", 0.95, 22, coverage=0.857)
    assert str(said) == ("0.955 [0.912, 0.981] (95 % interval; covers 86 % with 22 subjects)")
    assert said.describe(2) == "0.95 [0.91, 0.98] (95 % interval; covers 86 % with 22 subjects)"
    for known in (None, 0.93):
        quiet = Interval(0.9123, 0.9811, 0.955, "bca", 0.95, 22, coverage=known)
        assert str(quiet) == "0.955 [0.912, 0.981] (95 % interval)"


def test_an_interval_knows_its_coverage():
    from pacl.evaluation.coverage import coverage_of

    pairs = [count_pairs(*cohort(12))]
    found = auroc_interval(pairs, np.random.default_rng(0), method="percentile")
    assert found.coverage == coverage_of("pooled AUROC", "percentile", 0.95, 12)
    assert found.coverage is not None
    assert f"covers {100 * found.coverage:.0f} % with 12 subjects" in str(found)
    assert auroc_interval(pairs, level=0.9).coverage is None
    own = pairs[0].own[pairs[0].both]
    assert mean_interval(own).coverage is None
    known = mean_interval(own, quantity="subject AUROC").coverage
    assert known == coverage_of("subject AUROC", "effective", 0.95, own.size)


def test_an_interval_that_hangs_on_one_subject_says_so():
    values = np.full(20, 0.99) + np.linspace(0, 1e-4, 20)
    values[3] = 0.4
    found = mean_interval(values)
    assert found.effective_subjects == pytest.approx(1, abs=0.2)
    assert "effective sample size 1.1 of 20" in str(found)
    even = mean_interval(np.linspace(0.5, 0.9, 20))
    assert even.effective_subjects > 5
    assert "depends" not in str(even)
