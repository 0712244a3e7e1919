"""Who learns and who is judged: nobody is in two parts, and leaks leak what they say."""

import numpy as np
import pytest

from pacl.studies import RunError
from pacl.studies.rivals.division import by_patient, by_window, everybody
from support.window_sets import make_set


@pytest.fixture(scope="module")
def windows():
    return make_set(patients=15, window_beats=20, stride=5)


def patients(windows, rows):
    return set(windows.table.patient.codes[rows].tolist())


def beats(windows, rows):
    start = windows.table.start[rows]
    return set(np.add.outer(start, np.arange(windows.window_beats)).ravel().tolist())


def test_every_patient_is_judged_once_and_never_by_who_learned_from_them(windows):
    folds = [by_patient(windows, 5, fold, 1) for fold in range(5)]
    judged = np.concatenate([fold.test for fold in folds])
    assert sorted(judged.tolist()) == list(range(len(windows)))
    for fold in folds:
        parts = [patients(windows, rows) for rows in (fold.train, fold.validation, fold.test)]
        assert all(parts)
        assert sum(map(len, parts)) == len(set().union(*parts)) == 15


def test_few_patients_are_among_more_and_have_both_rhythms(windows):
    fold = by_patient(windows, 5, 0, 1)
    before: set[int] = set()
    for count in (1, 2, 4, 8):
        chosen = fold.few(windows, count, seed=3, fold=0)
        who = patients(windows, chosen.train)
        assert len(who) == count
        assert before <= who <= patients(windows, fold.train)
        assert set(windows.table.rhythm[chosen.train].tolist()) == {0, 1}
        assert np.array_equal(chosen.test, fold.test)
        before = who
    assert patients(windows, fold.of_few(windows, 100, 3, 0)) == patients(windows, fold.train)
    others = [frozenset(patients(windows, fold.of_few(windows, 2, seed, 0))) for seed in range(8)]
    assert len(set(others)) > 1


def test_without_anybody_with_both_rhythms_few_cannot_be_drawn(windows):
    fold = by_patient(windows, 5, 0, 1)
    one = fold.train[windows.table.rhythm[fold.train] == 0]
    with pytest.raises(RunError, match="no training patient has both rhythms"):
        type(fold)(one, fold.validation, fold.test).of_few(windows, 1, 0, 0)


def test_windows_at_random_share_patients_and_beats(windows):
    found = by_window(windows, 0, apart=False)
    assert sorted([*found.train, *found.test]) == list(range(len(windows)))
    assert patients(windows, found.train) & patients(windows, found.test)
    assert beats(windows, found.train) & beats(windows, found.test)


def test_windows_apart_share_patients_and_no_beat():
    windows = make_set(patients=6, window_beats=20, stride=5, records=2)
    many = [by_window(windows, seed, apart=True) for seed in range(6)]
    for found in many:
        assert not set(found.train.tolist()) & set(found.test.tolist())
        assert not beats(windows, found.train) & beats(windows, found.test)
    assert any(patients(windows, found.train) & patients(windows, found.test) for found in many)


def test_everybody_of_one_cohort_and_of_another(windows):
    other = make_set(seed=1, patients=3)
    found = everybody(windows, other)
    assert (len(found.train), len(found.validation)) == (len(windows), 0)
    assert len(found.test) == len(other)
