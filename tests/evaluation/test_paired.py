"""Two losses on the same subjects and seeds: by hand, against slow loops, and what must hold."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from pacl.evaluation.auroc import measure_auroc
from pacl.evaluation.coverage import POPULATIONS
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.interval import NoIntervalError
from pacl.evaluation.paired import compare_auroc, compare_subjects
from support.refusals import refused


def matrices(seeds: int = 3, subjects: int = 8, gain: float = 0.05, seed: int = 0):
    generator = np.random.default_rng(seed)
    second = generator.beta(9, 2, (seeds, subjects))
    return second + gain + 0.02 * generator.normal(size=second.shape), second


def scores(subjects: int = 5, seeds: int = 2, seed: int = 0):
    """Labels, two losses' scores of the same windows (with ties), subjects."""
    generator = np.random.default_rng(seed)
    labels, score, who = POPULATIONS[1].draw(subjects, generator)
    keep = generator.random(labels.size) < 0.1
    labels, score, who = labels[keep], score[keep], who[keep]
    first, second = (
        np.round(score + width * generator.normal(size=(seeds, score.size)), 1)
        for width in (0.5, 1.5)
    )
    return labels, first, second, who


def test_by_hand():
    # Differences of the two seeds: (0.2, 0.1, 0.0, -0.1) and (0.2, 0.3, 0.0, 0.1).
    second = np.full((2, 4), 0.5)
    first = second + np.array([[0.2, 0.1, 0.0, -0.1], [0.2, 0.3, 0.0, 0.1]])
    found = compare_subjects(first, second)
    assert found.difference == pytest.approx(0.1)
    assert (found.subjects_better, found.seeds_better) == (0.75, 1.0)  # two better, two tie
    # of subjects 0.2, 0.2, 0, 0: the four flips with both of the same sign are as far from 0
    assert found.flips.p_value == 8 / 16
    assert found.flips.exact
    # deviations of 0.1 in all four: 3 degrees of freedom, error 0.1154... / 2
    error = stats.sem([0.2, 0.2, 0.0, 0.0])
    reach = stats.t.ppf(0.975, 3) * error
    assert [found.over_subjects.low, found.over_subjects.high] == pytest.approx(
        [0.1 - reach, 0.1 + reach]
    )
    # of seeds 0.05 and 0.15: variance of their mean 0.005 / 2
    by_subjects, by_seeds = error**2, 0.005 / 2
    freedom = (by_subjects + by_seeds) ** 2 / (by_subjects**2 / 3 + by_seeds**2 / 1)
    wide = stats.t.ppf(0.975, freedom) * np.sqrt(by_subjects + by_seeds)
    assert found.over_both is not None
    assert [found.over_both.low, found.over_both.high] == pytest.approx([0.1 - wide, 0.1 + wide])
    assert (found.subjects, found.seeds) == (4, 2)


def test_flips_against_a_slow_loop():
    first, second = matrices(gain=0.01)
    differences = (first - second).mean(axis=0)
    means = [abs(np.mean(np.array(signs) * differences)) for signs in product([1, -1], repeat=8)]
    oracle = np.mean(np.array(means) >= abs(differences.mean()) - 1e-12)
    assert compare_subjects(first, second).flips.p_value == oracle
    assert 0 < oracle < 1


def test_auroc_against_windows_swapped_one_by_one():
    labels, first, second, who = scores()
    found = compare_auroc(labels, first, second, who)
    of_seed = [
        measure_auroc(labels, a) - measure_auroc(labels, b)
        for a, b in zip(first, second, strict=True)
    ]
    assert found.difference == pytest.approx(np.mean(of_seed))
    assert found.seeds_better == np.mean(np.array(of_seed) > 0)
    ranked = [np.stack([stats.rankdata(row) for row in one]) for one in (first, second)]
    moved = []
    for flips in product([False, True], repeat=5):
        swap = np.array(flips)[who]
        one, other = np.where(swap, *ranked[::-1]), np.where(swap, *ranked)
        moved.append(
            np.mean(
                [
                    measure_auroc(labels, a) - measure_auroc(labels, b)
                    for a, b in zip(one, other, strict=True)
                ]
            )
        )
    assert moved[0] == pytest.approx(found.difference)
    oracle = np.mean(np.abs(moved) >= abs(moved[0]) - 1e-12)
    assert found.flips.p_value == oracle
    without = [
        np.mean(
            [
                measure_auroc(labels[who != p], a[who != p])
                - measure_auroc(labels[who != p], b[who != p])
                for a, b in zip(first, second, strict=True)
            ]
        )
        for p in range(5)
    ]
    deviations = np.array(without) - np.mean(without)
    error = np.sqrt(4 / 5 * np.sum(deviations**2))
    freedom = np.clip(np.sum(deviations**2) ** 2 / np.sum(deviations**4), 3, 4)
    assert found.over_subjects.high == pytest.approx(
        found.difference + stats.t.ppf(0.975, freedom) * error
    )


def test_auroc_counts_the_subjects_with_both_rhythms():
    labels, first, second, who = scores(seed=2)
    keep = (who != 3) | (labels == 0)
    labels, first, second, who = labels[keep], first[:, keep], second[:, keep], who[keep]
    found = compare_auroc(labels, first, second, who)
    better = []
    for p in (0, 1, 2, 4):
        own = [
            np.mean([measure_auroc(labels[who == p], s[who == p]) for s in one])
            for one in (first, second)
        ]
        better.append(0.5 if own[0] == own[1] else float(own[0] > own[1]))
    assert found.subjects_better == np.mean(better)
    assert found.subjects == 5


@pytest.mark.parametrize("compare", ["subjects", "auroc"])
def test_the_other_way_round(compare):
    if compare == "subjects":
        first, second = matrices(gain=0.01)
        one, other = compare_subjects(first, second), compare_subjects(second, first)
    else:
        labels, first, second, who = scores()
        one = compare_auroc(labels, first, second, who)
        other = compare_auroc(labels, second, first, who)
    assert other.difference == pytest.approx(-one.difference)
    assert other.over_subjects.low == pytest.approx(-one.over_subjects.high)
    assert other.over_both.low == pytest.approx(-one.over_both.high)
    assert other.flips == one.flips
    assert other.subjects_better == pytest.approx(1 - one.subjects_better)
    assert other.seeds_better == pytest.approx(1 - one.seeds_better)


def test_order_of_subjects_and_seeds_does_not_matter():
    first, second = matrices()
    seeds, subjects = np.array([2, 0, 1]), np.random.default_rng(1).permutation(8)
    one = compare_subjects(first, second)
    other = compare_subjects(first[seeds][:, subjects], second[seeds][:, subjects])
    assert other.difference == pytest.approx(one.difference)
    assert other.over_both.high == pytest.approx(one.over_both.high)
    assert other.flips == one.flips


def test_only_the_order_of_each_loss_s_scores_counts():
    labels, first, second, who = scores()
    one = compare_auroc(labels, first, second, who)
    assert compare_auroc(labels, np.exp(first), 1000 + 3 * second, who) == one


def test_subjects_and_seeds_are_never_surer_than_subjects_alone():
    first, second = matrices(seeds=5)
    found = compare_subjects(first, second)
    assert found.over_both.low < found.over_subjects.low
    assert found.over_both.high > found.over_subjects.high
    single = compare_subjects(first[:1], second[:1])
    assert single.over_both is None
    assert single.seeds == 1


def test_flips_are_drawn_where_there_are_too_many():
    first, second = matrices(subjects=15, gain=0.008)
    found = compare_subjects(first, second, np.random.default_rng(0))
    assert not found.flips.exact
    differences = (first - second).mean(axis=0)
    signs = 1 - 2.0 * (np.arange(2**15)[:, None] >> np.arange(15) & 1)
    exact = np.mean(np.abs(signs @ differences) >= abs(differences.sum()) - 1e-12)
    assert found.flips.p_value == pytest.approx(exact, abs=0.02)
    assert 0.001 < exact < 0.9
    with refused(EvaluationError, 15, 2, 14):
        compare_subjects(first, second)


def test_what_cannot_be_compared():
    first, second = matrices()
    with refused(EvaluationError, 3, 8, 7):
        compare_subjects(first, second[:, :7])
    spoilt = first.copy()
    spoilt[1, 5] = np.nan
    with refused(EvaluationError, 1, 5):
        compare_subjects(spoilt, second)
    with refused(NoIntervalError, 8, 0):
        compare_subjects(first, first)
    with refused(NoIntervalError, 1):
        compare_subjects(first[:, :1], second[:, :1])
    labels, one, other, who = scores()
    with refused(EvaluationError, "seeds"):
        compare_auroc(labels, one, other[:1], who)
    with refused(EvaluationError, "labels", "subjects", "scores"):
        compare_auroc(labels[1:], one, other, who)
    with refused(EvaluationError, "NaN"):
        compare_auroc(labels, np.full_like(one, np.nan), other, who)
    with refused(NoIntervalError, 5, 0):
        compare_auroc(labels, one, one, who)


def test_scores_of_several_models_are_compared_within_each():
    random = np.random.default_rng(5)
    labels, subjects = random.integers(2, size=400), random.integers(12, size=400)
    models = subjects % 3
    good, poor = (labels + random.normal(0, noise, (2, 400)) for noise in (0.5, 2.0))
    shifted = good + 50 * models
    args = (labels, good, poor, subjects)
    plain = compare_auroc(*args, np.random.default_rng(0), models=(models, models))
    moved = compare_auroc(
        labels, shifted, poor, subjects, np.random.default_rng(0), models=(models, models)
    )
    assert moved.difference == pytest.approx(plain.difference)
    assert moved.flips.p_value == pytest.approx(plain.flips.p_value)
    assert moved.over_subjects.low == pytest.approx(plain.over_subjects.low)
    across = compare_auroc(labels, shifted, poor, subjects, np.random.default_rng(0))
    assert across.difference < plain.difference - 0.05
