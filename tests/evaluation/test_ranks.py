"""Ranks of systems and corrected p-values: by hand, and against published constants."""

import numpy as np
import pytest

from pacl.evaluation.ranks import critical_difference, holm, rank_systems

DEMSAR = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}


@pytest.mark.parametrize("systems", DEMSAR)
def test_critical_differences_are_those_of_demsar(systems):
    expected = DEMSAR[systems] * np.sqrt(systems * (systems + 1) / (6 * 14))
    assert critical_difference(systems, 14) == pytest.approx(expected, rel=5e-4)


def test_ranks_by_hand_with_ties():
    values = np.array([[0.9, 0.9, 0.5], [0.8, 0.7, 0.6], [0.99, 0.98, 0.98]])
    found = rank_systems(values, ("b", "a", "c"))
    assert found.methods == ("b", "a", "c")
    assert found.average == pytest.approx((3.5 / 3, 6 / 3, 8.5 / 3))
    assert sum(found.average) == pytest.approx(6)
    assert found.subjects == 3


def test_what_lies_close_is_joined_and_what_lies_far_is_not():
    random = np.random.default_rng(0)
    good, bad = random.normal(1, 0.1, (60, 2)), random.normal(0, 0.1, (60, 2))
    found = rank_systems(np.hstack([good, bad]), ("a", "b", "c", "d"))
    assert found.alike == ((0, 1), (2, 3))
    assert set(found.methods[:2]) == {"a", "b"}
    assert found.beside(0) == (found.methods[1],)
    assert found.p < 0.001


def test_systems_that_are_all_alike_do_not_differ():
    found = rank_systems(np.ones((5, 3)), ("a", "b", "c"))
    assert found.p == 1
    assert found.alike == ((0, 2),)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, float("nan")])[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.5]) == [1.0, 1.0]
