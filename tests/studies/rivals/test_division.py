"""Who learns and who is judged: nobody is in two parts, and leaks leak what they say."""

import numpy as np
import pytest

from pacl.studies import RunError
from pacl.studies.rivals.division import across_cohorts, by_patient, by_window, fewest_learned_from
from support.refusals import refused
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
    with refused(RunError, "fold 0", "2 windows"):
        type(fold)(one, fold.validation, fold.test).of_few(windows, 1, 0, 0)


@pytest.mark.parametrize("apart", [False, True])
def test_every_window_is_judged_once(windows, apart):
    folds = [by_window(windows, 5, fold, 1, apart=apart) for fold in range(5)]
    judged = np.concatenate([fold.test for fold in folds])
    assert sorted(judged.tolist()) == list(range(len(windows)))
    for fold in folds:
        assert not set(fold.train.tolist()) & set(fold.test.tolist())
        assert len(fold.train) < 0.75 * len(windows), "as many as of a split by patients"


def test_windows_at_random_share_patients_and_beats(windows):
    found = by_window(windows, 5, 0, 0, apart=False)
    assert patients(windows, found.train) & patients(windows, found.test)
    assert beats(windows, found.train) & beats(windows, found.test)


def test_windows_apart_share_patients_and_no_beat():
    windows = make_set(patients=6, window_beats=20, stride=5, records=2)
    many = [by_window(windows, 5, 0, seed, apart=True) for seed in range(6)]
    for found in many:
        assert not beats(windows, found.train) & beats(windows, found.test)
    assert any(patients(windows, found.train) & patients(windows, found.test) for found in many)


def test_too_few_windows_to_keep_apart():
    windows = make_set(patients=1, window_beats=20, stride=5, records=1)
    with refused(RunError, "fold"):
        for fold in range(2):
            by_window(windows, 2, fold, 0, apart=True)


def test_the_fold_with_the_fewest_patients(windows):
    folds = [by_patient(windows, 4, fold, 1) for fold in range(4)]
    assert fewest_learned_from(windows, 4, 1) == min(
        len(patients(windows, fold.train)) for fold in folds
    )


def test_everybody_of_one_cohort_and_of_another(windows):
    other = make_set(seed=1, patients=3)
    found = across_cohorts(windows, other)
    assert (len(found.train), len(found.validation)) == (len(windows), 0)
    assert len(found.test) == len(other)
