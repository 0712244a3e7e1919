"""The hidden Markov model against sums over every path of states."""

import itertools
import math

import numpy as np
import pytest

from pacl.detect.judge import probability
from pacl.detect.window_smoother import (
    CAUSAL_SMOOTHER,
    LOOK_AHEAD_SMOOTHER,
    MOST_LOG_ODDS,
    Smoother,
)

MODELS = [LOOK_AHEAD_SMOOTHER, CAUSAL_SMOOTHER, Smoother(0.3, 1.0), Smoother(0.01, 0.5)]


def weight_of(path, logits, model):
    """Probability of a path of states, times how well it explains what was seen."""
    total = 0.5
    for before, after in itertools.pairwise(path):
        total *= model.change if before != after else 1 - model.change
    for state, logit in zip(path, logits, strict=True):
        total *= math.exp(model.trust * logit) if state else 1.0
    return total


def by_all_paths(logits, at, model):
    paths = list(itertools.product((0, 1), repeat=len(logits)))
    weights = [weight_of(path, logits, model) for path in paths]
    af = sum(w for path, w in zip(paths, weights, strict=True) if path[at])
    return af / sum(weights)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(5))
def test_filtering_and_smoothing_are_sums_over_paths(model, seed):
    logits = np.random.default_rng(seed).normal(0, 3, 7).tolist()
    for at in range(7):
        seen = by_all_paths(logits[: at + 1], at, model)
        assert probability(model.filter(logits)[at]) == pytest.approx(seen, abs=1e-12)
        told = by_all_paths(logits, at, model)
        assert probability(model.smooth(logits)[at]) == pytest.approx(told, abs=1e-12)


def test_by_hand():
    model = Smoother(change=0.5, trust=1.0)  # neighbours tell nothing
    assert model.filter([1.0, -2.0]) == pytest.approx([1.0, -2.0])
    assert model.smooth([1.0, -2.0]) == pytest.approx([1.0, -2.0])


def test_advancing_is_filtering():
    logits = [3.0, -1.0, 0.5]
    known = None
    for logit, expected in zip(logits, CAUSAL_SMOOTHER.filter(logits), strict=True):
        known = CAUSAL_SMOOTHER.advance(known, logit)
        assert known == expected


def test_nothing_is_ever_certain():
    extreme = [1e9, -1e9] * 3
    for found in (LOOK_AHEAD_SMOOTHER.filter(extreme), LOOK_AHEAD_SMOOTHER.smooth(extreme)):
        assert all(abs(one) <= MOST_LOG_ODDS for one in found)
        assert all(0 < probability(one) < 1 for one in found)


def test_one_stray_window_changes_no_mind():
    logits = [-8.0] * 20 + [8.0] + [-8.0] * 20
    assert max(LOOK_AHEAD_SMOOTHER.smooth(logits)) < 0
    assert max(CAUSAL_SMOOTHER.filter(logits)) < 0


def test_no_steps():
    assert LOOK_AHEAD_SMOOTHER.smooth([]) == CAUSAL_SMOOTHER.filter([]) == []
