"""Ranks of systems: by hand, against published constants, and where nothing can be ranked."""

import numpy as np
import pytest

from pacl.report.rivals.outcomes import RivalsReport
from pacl.report.rivals.ranks import compute_ranks, critical_difference, rank_systems
from support.made_rivals import write_made_rivals

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
    assert found.patients == 3


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


def test_patients_without_an_auroc_rank_nobody(tmp_path):
    report = RivalsReport.read(write_made_rivals(tmp_path, ("patient-aware", "byol", "statistics")))
    found = compute_ranks(report, "ltafdb")
    assert found is not None
    assert found.patients == 29
    assert found.methods[-1] == "byol"


def test_two_systems_are_not_ranked(tmp_path):
    report = RivalsReport.read(write_made_rivals(tmp_path, ("patient-aware", "statistics")))
    assert compute_ranks(report, "ltafdb") is None
