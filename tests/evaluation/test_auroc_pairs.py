"""Pairs of windows by subject: by hand, against windows repeated, and what must hold."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pacl.evaluation.auroc_pairs import count_pairs
from pacl.evaluation.errors import EvaluationError
from pacl.evaluation.metrics import measure_auroc, measure_detection
from support.refusals import refused


@st.composite
def scored(draw, subjects: int = 5):
    """Labels with both rhythms, scores with ties, subjects, and how often each is taken."""
    windows = draw(st.integers(2, 40))
    labels = draw(arrays(np.int8, windows, elements=st.integers(0, 1)))
    labels[:2] = [0, 1]
    score = draw(arrays(np.int64, windows, elements=st.integers(0, 8))) / 8
    who = draw(arrays(np.int32, windows, elements=st.integers(0, subjects - 1)))
    times = draw(arrays(np.int64, len(np.unique(who)), elements=st.integers(0, 3)))
    return labels, score, who, times


def test_by_hand():
    # ann: AF 0.5, SR 0.5; bob: AF 0.9 and 0.1, no SR; cid: SR 0.3 and 0.7.
    found = count_pairs(
        np.array([1, 0, 1, 1, 0, 0]),
        np.array([0.5, 0.5, 0.9, 0.1, 0.3, 0.7]),
        np.array([4, 4, 1, 1, 2, 2]),
        ["-", "bob", "cid", "-", "ann"],
    )
    assert found.names == ("bob", "cid", "ann")
    assert found.won.tolist() == [[0, 2, 1], [0, 0, 0], [0, 1, 0.5]]
    assert (found.detected.tolist(), found.others.tolist()) == ([2, 0, 1], [0, 2, 1])
    assert found.auroc == 4.5 / 9
    assert found.both.tolist() == [False, False, True]
    assert found.own[found.both].tolist() == [0.5]
    assert np.isnan(found.own).tolist() == [True, True, False]
    # bob twice, ann three times: AF 7 windows, SR 3 of ann and 2 of cid
    assert found.pooled(np.array([[2.0, 1, 3]])).tolist() == [(4 + 6 + 3 + 4.5) / (7 * 5)]


@given(scored())
@settings(max_examples=200, derandomize=True, deadline=None)
def test_weights_are_windows_repeated_to_the_last_bit(case):
    labels, score, who, times = case
    found = count_pairs(labels, score, who)
    assert found.auroc == measure_auroc(labels, score)
    weighted = found.pooled(times[None].astype(np.float64))[0]
    repeat = np.repeat(np.arange(labels.size), times[np.searchsorted(np.unique(who), who)])
    if len(set(labels[repeat].tolist())) == 2:
        assert weighted == measure_auroc(labels[repeat], score[repeat])
    else:
        assert np.isnan(weighted)


@given(scored())
@settings(max_examples=100, derandomize=True, deadline=None)
def test_subjects_own_auroc_is_that_of_detection(case):
    labels, score, who, _ = case
    found, oracle = count_pairs(labels, score, who), measure_detection(labels, score, who)
    own = [None if math.isnan(one) else one for one in found.own.tolist()]
    assert own == [one.auroc for one in oracle.per_subject]
    assert found.names == tuple(one.subject for one in oracle.per_subject)
    assert found.others.tolist() == [one.windows[0] for one in oracle.per_subject]
    if oracle.auroc_subject_mean is not None:
        mean = found.own[found.both].mean()
        assert mean == pytest.approx(oracle.auroc_subject_mean, abs=1e-15)


@given(scored(), st.floats(0.1, 10))
@settings(max_examples=50, derandomize=True, deadline=None)
def test_only_the_proportion_of_weights_and_the_order_of_scores_count(case, factor):
    labels, score, who, times = case
    found = count_pairs(labels, score, who)
    weights = times[None] + 0.5
    stretched = count_pairs(labels, np.exp(5 * score), who)
    assert stretched.won.tolist() == found.won.tolist()
    assert found.pooled(factor * weights) == pytest.approx(found.pooled(weights), rel=1e-12)
    turned = count_pairs(1 - labels, -score, who)
    assert turned.pooled(weights) == pytest.approx(found.pooled(weights), rel=1e-12)


def test_many_windows_are_counted_to_the_last_bit():
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, 80_000)
    score = np.round(generator.normal(size=80_000) + labels, 3)
    who = generator.integers(0, 50, 80_000)
    assert count_pairs(labels, score, who).auroc == measure_auroc(labels, score)


@pytest.mark.parametrize(
    ("changed", "facts"),
    [
        ({"labels": np.array([0, 0])}, (2, 0)),
        ({"labels": np.array([2, 1])}, (0, 1)),
        ({"score": np.array([0.1, math.nan])}, ("NaN",)),
        ({"score": np.array([0.1])}, (2, 1)),
        ({"names": ["ann"]}, (1, 0)),
        ({"names": ["ann", "ann"]}, ("ann", 2)),
    ],
)
def test_what_has_no_pairs(changed, facts):
    given_ = {
        "labels": np.array([0, 1]),
        "score": np.array([0.1, 0.9]),
        "subjects": np.array([0, 1]),
    }
    with refused(EvaluationError, *facts):
        count_pairs(**{**given_, **changed})


def test_windows_of_different_models_are_not_compared():
    random = np.random.default_rng(3)
    labels, subjects = random.integers(2, size=300), random.integers(7, size=300)
    models, score = random.integers(3, size=300), random.normal(size=300) + labels
    score += 100 * models
    found = count_pairs(labels, score, subjects, models=models)
    parts = [models == model for model in range(3)]
    pairs = [(labels[rows] == 1).sum() * (labels[rows] == 0).sum() for rows in parts]
    aurocs = [measure_auroc(labels[rows], score[rows]) for rows in parts]
    assert found.auroc == pytest.approx(np.average(aurocs, weights=pairs))
    assert found.detected.tolist() == count_pairs(labels, score, subjects).detected.tolist()
    # A subject taken twice counts as two with the same windows.
    again = np.concatenate([np.arange(300), np.flatnonzero(subjects == 4)])
    twice = count_pairs(labels[again], score[again], subjects[again], models=models[again])
    weights = np.where(np.arange(7) == 4, 2.0, 1.0)[None]
    assert found.pooled(weights)[0] == pytest.approx(twice.auroc)
    own = subjects == 4
    alone = count_pairs(labels[own], score[own], subjects[own], models=models[own])
    assert found.own[4] == pytest.approx(alone.auroc)
    with refused(EvaluationError, 299, 300):
        count_pairs(labels, score, subjects, models=models[1:])
