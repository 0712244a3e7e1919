"""Variance of seeds, subjects and the rest: by hand, by long loops, by simulation."""

import numpy as np
import pytest

from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.seed_spread import split_variance
from support.refusals import refused


def drawn(generator, seeds, subjects, seed_sd, subject_sd, rest_sd):
    return (
        0.9
        + seed_sd * generator.normal(size=(seeds, 1))
        + subject_sd * generator.normal(size=(1, subjects))
        + rest_sd * generator.normal(size=(seeds, subjects))
    )


def test_by_hand():
    # Mean 4; seeds 3 and 5, subjects 2, 4, 6; nothing left but 1 in two cells of a 2 x 2 pattern.
    values = np.array([[2.0, 3.0, 4.0], [2.0, 5.0, 8.0]])
    # rest: [[1, 0, -1], [-1, 0, 1]], its square sum 4 over 2 degrees; MS_seed 3 * 2 / 1 = 6,
    # MS_subject 2 * 8 / 2 = 8
    found = split_variance(values)
    assert (found.seed, found.subject, found.rest) == pytest.approx((4 / 3, 3.0, 2.0))
    total = 4 / 3 + 3 + 2
    assert found.seed_share == pytest.approx(4 / 3 / total)
    assert found.subject_share == pytest.approx(3 / total)
    assert found.rest_share == pytest.approx(2 / total)
    assert (found.negative, found.seeds, found.subjects) == ((), 2, 3)


def test_against_loops():
    values = drawn(np.random.default_rng(0), 4, 6, 0.1, 0.3, 0.05)
    mean = sum(values[s, p] for s in range(4) for p in range(6)) / 24
    seed = [sum(values[s, p] for p in range(6)) / 6 for s in range(4)]
    subject = [sum(values[s, p] for s in range(4)) / 4 for p in range(6)]
    ms_rest = (
        sum((values[s, p] - seed[s] - subject[p] + mean) ** 2 for s in range(4) for p in range(6))
        / 15
    )
    ms_seed = 6 * sum((one - mean) ** 2 for one in seed) / 3
    ms_subject = 4 * sum((one - mean) ** 2 for one in subject) / 5
    found = split_variance(values)
    assert found.rest == pytest.approx(ms_rest)
    assert found.seed == pytest.approx((ms_seed - ms_rest) / 6)
    assert found.subject == pytest.approx((ms_subject - ms_rest) / 4)


def test_estimates_are_right_on_average():
    generator = np.random.default_rng(1)
    found = [split_variance(drawn(generator, 10, 12, 0.3, 0.5, 0.2)) for _ in range(600)]
    for name, sd in (("seed", 0.3), ("subject", 0.5), ("rest", 0.2)):
        assert np.mean([getattr(one, name) for one in found]) == pytest.approx(sd**2, rel=0.06)


def test_seeds_and_subjects_may_change_places_and_scale():
    values = drawn(np.random.default_rng(2), 5, 7, 0.1, 0.3, 0.05)
    one, turned = split_variance(values), split_variance(values.T.copy())
    assert (turned.seed, turned.subject) == pytest.approx((one.subject, one.seed))
    scaled = split_variance(-3 * values + 8)
    assert scaled.seed == pytest.approx(9 * one.seed)
    assert scaled.seed_share == pytest.approx(one.seed_share)
    order = np.random.default_rng(0).permutation(7)
    assert split_variance(values[::-1, order].copy()).rest == pytest.approx(one.rest)


def test_an_estimate_below_0_is_0_and_named():
    # Both seeds have the same mean, yet differ in every subject.
    found = split_variance(np.array([[1.0, 2.0, 6.0], [2.0, 1.0, 6.0]]))
    assert (found.seed, found.seed_share, found.negative) == (0.0, 0.0, ("seed",))
    assert found.subject_share + found.rest_share == pytest.approx(1.0)
    both = split_variance(np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert (both.negative, both.rest_share) == (("seed", "subject"), 1.0)
    none = split_variance(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]))  # 0 is not below 0
    assert (none.negative, none.subject_share) == ((), 1.0)


def test_what_cannot_be_split():
    values = drawn(np.random.default_rng(2), 3, 4, 0.1, 0.3, 0.05)
    with refused(EvaluationError, 1, 4, 2):
        split_variance(values[:1])
    with refused(EvaluationError, 12, 0.9):
        split_variance(np.full((3, 4), 0.9))
    values[2, 1] = np.nan
    with refused(EvaluationError, 2, 1):
        split_variance(values)
