"""The worst subjects: by hand, whatever the order, and what cannot be ranked."""

import numpy as np
import pytest

from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.worst_subjects import WorstSubject, worst_subjects
from support.refusals import refused

VALUES = np.array([[0.9, 0.5, 1.0, 0.6], [0.7, 0.7, 1.0, 0.6]])
NAMES = ["ann", "bob", "cid", "dee"]
WINDOWS = np.array([[10, 1], [20, 2], [30, 3], [40, 4]])


def test_by_hand():
    first, second, third = worst_subjects(VALUES, NAMES, WINDOWS, count=3)
    # bob and dee have the same mean; names decide
    assert second == WorstSubject("dee", 0.6, 0.0, 2, (40, 4))
    assert [first.subject, first.seeds, first.windows] == ["bob", 2, (20, 2)]
    assert [third.subject, third.seeds, third.windows] == ["ann", 2, (10, 1)]
    assert [first.mean, third.mean] == pytest.approx([0.6, 0.8])
    assert [first.sd, third.sd] == pytest.approx([0.02**0.5, 0.02**0.5])


def test_order_of_subjects_and_seeds_does_not_matter():
    order = np.array([2, 0, 3, 1])
    shuffled = worst_subjects(
        VALUES[::-1, order].copy(), [NAMES[at] for at in order], WINDOWS[order]
    )
    assert shuffled == worst_subjects(VALUES, NAMES, WINDOWS)
    assert len(shuffled) == 4  # fewer than asked for: all


def test_one_seed_has_no_spread():
    assert worst_subjects(VALUES[:1], NAMES, WINDOWS, count=1)[0].sd is None


def test_what_cannot_be_ranked():
    with refused(EvaluationError, 2, 4, 3):
        worst_subjects(VALUES, NAMES[:3], WINDOWS)
    with refused(EvaluationError, 0, 1):
        worst_subjects(VALUES, NAMES, WINDOWS, count=0)
    spoilt = VALUES.copy()
    spoilt[1, 2] = np.nan
    with refused(EvaluationError, "cid", 1):
        worst_subjects(spoilt, NAMES, WINDOWS)
