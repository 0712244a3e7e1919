"""Differences are over pairs that one model judged under both, by explicit loops."""

import numpy as np
import pytest

from pacl.studies.rivals.compare import differences, inflation
from pacl.studies.rivals.predictions import (
    FitKey,
    FitPredictions,
    MethodPredictions,
    fold_predictions,
)
from pacl.studies.rivals.protocol import ON_NETWORKS
from support.window_sets import make_set

SEEDS = (1, 2)


@pytest.fixture(scope="module")
def windows():
    return make_set(patients=9, window_beats=20, stride=5, records=3)


def by_patients(windows):
    return windows.table.patient.codes % 3


def by_windows(windows):
    return np.random.default_rng(7).integers(3, size=len(windows))


def told(windows, method, seed, folds, logit):
    key = FitKey("main", "", "here", method, seed)
    fits = [
        FitPredictions(
            key, fold, fold_predictions(windows, rows, logit[rows], fold), 1.0, {}, "cpu"
        )
        for fold in range(3)
        for rows in [np.flatnonzero(folds == fold)]
    ]
    return MethodPredictions.of(fits)


def noisy(windows, seed):
    return windows.table.rhythm + np.random.default_rng(seed).normal(0, 1, len(windows))


def every_seed(windows, method, folds, shift=0):
    return [told(windows, method, seed, folds, noisy(windows, seed + shift)) for seed in SEEDS]


def looped(labels, logit, kept):
    """AUROC over pairs of windows that `kept` keeps, pair by pair."""
    won = [
        1.0 if logit[af] > logit[sr] else 0.5 * (logit[af] == logit[sr])
        for af in np.flatnonzero(labels == 1)
        for sr in np.flatnonzero(labels == 0)
        if kept(af, sr)
    ]
    return np.mean(won) if won else np.nan


def rows_of(windows, folds, shift):
    """What a split by windows adds, by measure."""
    conditions = {
        "patients": {"mine": every_seed(windows, "mine", by_patients(windows))},
        "windows": {"mine": every_seed(windows, "mine", folds, shift)},
    }
    found = list(inflation(conditions, dataset="here"))
    assert {(row.condition, row.method, row.seeds) for row in found} == {("windows", "mine", 2)}
    return {row.measure: row for row in found}


def test_who_does_not_care_for_the_split_is_not_inflated(windows):
    folds = by_windows(windows)
    assert not np.array_equal(folds, by_patients(windows))
    one = every_seed(windows, "mine", folds)[0]
    assert one.pairs.auroc != every_seed(windows, "mine", by_patients(windows))[0].pairs.auroc
    found = rows_of(windows, folds, shift=0)
    assert {row.estimate for row in found.values()} == {0.0}
    assert all(np.isnan(row.low) for row in found.values()), "what is alike has no interval"


def test_inflation_is_over_pairs_of_one_model_under_both_splits(windows):
    folds, known = by_windows(windows), by_patients(windows)
    found = rows_of(windows, folds, shift=10)
    labels, patient = windows.table.rhythm, windows.table.patient.codes

    def together(af, sr):
        return folds[af] == folds[sr] and known[af] == known[sr]

    gains, within = [], []
    for seed in SEEDS:
        logits = noisy(windows, seed + 10), noisy(windows, seed)
        gains.append(np.subtract(*(looped(labels, logit, together) for logit in logits)))
        own = [
            [
                looped(
                    labels,
                    logit,
                    lambda af, sr, who=who: together(af, sr) and patient[af] == who == patient[sr],
                )
                for who in np.unique(patient)
            ]
            for logit in logits
        ]
        within.append(np.nanmean(np.subtract(*own)))
    assert found["all windows"].estimate == pytest.approx(np.mean(gains))
    assert found["within patients"].estimate == pytest.approx(np.mean(within))
    assert found["all windows"].low < found["all windows"].estimate


def test_the_same_folds_are_compared_by_all_their_pairs(windows):
    folds = by_patients(windows)
    methods = {
        name: every_seed(windows, name, folds, shift)
        for shift, name in ((0, "patient-aware"), (10, "mine"))
    }
    (row, _) = differences(methods, study="main", condition="", dataset="here")
    mine, theirs = (
        np.mean([one.pairs.auroc for one in methods[name]]) for name in ("mine", "patient-aware")
    )
    assert (row.method, row.reference) == ("mine", "patient-aware")
    assert row.estimate == pytest.approx(mine - theirs)


def test_the_objective_on_a_network_is_also_held_against_that_network(windows):
    assert ON_NETWORKS == {
        "patient-aware-andersen": "andersen-style",
        "patient-aware-faust": "faust-style",
    }
    names = ("patient-aware", "faust-style", "patient-aware-andersen", "patient-aware-faust")
    methods = {
        name: every_seed(windows, name, by_patients(windows), 10 * at)
        for at, name in enumerate(names)
    }
    found = [
        (row.method, row.reference, row.measure)
        for row in differences(methods, study="main", condition="", dataset="here")
    ]
    assert found == [
        (method, reference, measure)
        for method, reference in (
            *((name, "patient-aware") for name in names[1:]),
            ("patient-aware-faust", "faust-style"),
        )
        for measure in ("all windows", "within patients")
    ]
