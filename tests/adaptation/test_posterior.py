"""One subject's posterior: by hand, by integration on a grid, and what always holds."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pacl.adaptation import (
    LEAST_SHARE,
    LIMIT,
    Correction,
    Evidence,
    EvidenceNoise,
    SubjectPrior,
    Unlabelled,
    adjusted,
    posterior,
)
from pacl.adaptation.posterior import MOST_SHIFT

NOISE = EvidenceNoise((1.0, 4.0, 16.0), (0.4, 0.1, 0.0), (2.0, 1.0, 0.2))
EXACT = EvidenceNoise((5.0,), (0.0,), (1.0,))
LOG_ODDS = st.lists(st.floats(-20, 20), min_size=1, max_size=20).map(
    lambda values: np.array(values, np.float64)
)
KNOWN = st.tuples(st.floats(0.1, 100), st.floats(-LIMIT, LIMIT))
"""Amount and mean of evidence."""


def make_prior(**changes):
    stated = {"reference": -6.0, "reference_sd": 1.5, "target": 5.0, "target_sd": 1.0}
    return SubjectPrior(**stated | {"known": NOISE, "unlabelled": NOISE} | changes)


@st.composite
def priors(draw):
    reference = draw(st.floats(-8, 4))
    return {
        "reference": reference,
        "reference_sd": draw(st.floats(0.05, 5)),
        "target": reference + draw(st.floats(0.5, 14)),
        "target_follows": draw(st.floats(0, 1)),
        "shift_sd": draw(st.floats(0.1, 3)),
    }


CORRECTIONS = st.lists(st.tuples(st.booleans(), st.floats(-12, 12)), max_size=6)
SEEN = st.fixed_dictionaries({"prior": priors(), "known": KNOWN, "corrections": CORRECTIONS})


def make_posterior(seen):
    corrections = [Correction(*one) for one in seen["corrections"]]
    known = Evidence(*seen["known"])
    return posterior(make_prior(**seen["prior"]), known, corrections=corrections)


def slow_place(prior, seen):
    """Mean and standard deviation of the place by adding up a grid."""
    step, at = 1e-3, prior.reference - 12 * prior.reference_sd
    total = first = second = 0.0
    while at < prior.reference + 12 * prior.reference_sd:
        energy = ((at - prior.reference) / prior.reference_sd) ** 2
        for evidence, noise in seen:
            bias, variance = noise.at(evidence.amount)
            energy += (evidence.mean - bias - at) ** 2 / variance
        weight = math.exp(-energy / 2)
        total, first, second = total + weight, first + weight * at, second + weight * at * at
        at += step
    mean = first / total
    return mean, math.sqrt(second / total - mean**2)


def slow_shift(log_odds, targets, sd):
    """The best shift by trying all on ever finer grids."""
    low, high = -30.0, 30.0
    for _ in range(9):
        tried = np.linspace(low, high, 61)
        scores = []
        for shift in tried:
            score = -(shift**2) / (2 * sd**2)
            for one, target in zip(log_odds, targets, strict=True):
                signed = one + shift if target else -(one + shift)
                score -= max(0.0, -signed) + math.log1p(math.exp(-abs(signed)))
            scores.append(score)
        best = int(np.argmax(scores))
        low, high = tried[max(best - 1, 0)], tried[min(best + 1, 60)]
    return (low + high) / 2


def test_a_posterior_by_hand():
    found = posterior(make_prior(known=EXACT, reference_sd=1.0), Evidence(5.0, -3.0))
    assert found.place == -4.5
    assert found.place_sd == pytest.approx(math.sqrt(0.5))
    assert (found.target_place, found.shift) == (5.0, 0.0)
    less = posterior(make_prior(known=EXACT, reference_sd=1.0), Evidence(1.25, -3.0))
    assert less.place == pytest.approx(-6 + 3 / 5)  # a quarter of the amount, four times the noise


def test_the_target_class_follows():
    prior = make_prior(known=EXACT, reference_sd=1.0, target_follows=0.5)
    found = posterior(prior, Evidence(5.0, -3.0))
    assert found.target_place == pytest.approx(5.0 + 0.5 * 1.5)
    places = np.array([found.place, found.target_place])
    assert adjusted(places, found) == pytest.approx(np.array([-6.0, 5.0]))


def test_log_odds_move_by_hand():
    own = posterior(make_prior(known=EXACT, reference_sd=1.0), Evidence(5.0, -3.0))
    middle = (own.place + own.target) / 2
    found = adjusted(np.array([-10.0, own.place, middle, 5.0, 9.0]), own)
    assert found == pytest.approx(np.array([-11.5, -6.0, -0.5, 5.0, 9.0]))


@pytest.mark.parametrize("known", [Evidence(2.0, -4.0), Evidence(30.0, -7.0), Evidence()])
@pytest.mark.parametrize("sure", [Evidence(), Evidence(6.0, -5.0)])
def test_the_posterior_is_that_of_a_grid(known, sure):
    prior = make_prior(unlabelled=EvidenceNoise((1.0, 8.0), (-0.5, -0.2), (3.0, 0.7)))
    unlabelled = Unlabelled(10.0, sure)
    seen = [(known, prior.known), (sure, prior.unlabelled)]
    seen = [(one, noise) for one, noise in seen if one.amount]
    found = posterior(prior, known, unlabelled=unlabelled)
    assert (found.place, found.place_sd) == pytest.approx(slow_place(prior, seen), abs=1e-6)


@pytest.mark.parametrize("sd", [0.3, 1.0, 10.0])
@pytest.mark.parametrize(
    "corrections",
    [
        [Correction(True, -2.0)],
        [Correction(False, 4.0), Correction(False, 1.0)],
        [Correction(True, -30.0), Correction(False, 3.0), Correction(True, 0.0)],
        [Correction(True, -8.0)] * 12,
    ],
)
def test_the_shift_is_the_best_of_all_that_are_tried(corrections, sd):
    prior, known = make_prior(shift_sd=sd), Evidence(8.0, -3.5)
    own = posterior(prior, known)
    called = np.clip([one.log_odds for one in corrections], -LIMIT, LIMIT)
    best = slow_shift(adjusted(called, own), [one.target for one in corrections], sd)
    found = posterior(prior, known, corrections=corrections)
    most = MOST_SHIFT * sd
    assert found.shift == pytest.approx(np.clip(best, -most, most), abs=1e-5)
    assert 0 < found.shift_sd <= sd


def test_corrections_shift_towards_the_truth():
    missed = posterior(make_prior(), corrections=[Correction(True, -1.0)])
    false = posterior(make_prior(), corrections=[Correction(False, 1.0)])
    assert missed.shift > 0 > false.shift
    assert posterior(make_prior(shift_sd=0.0), corrections=[Correction(True, -1.0)]).shift == 0


@given(priors(), LOG_ODDS)
def test_without_evidence_the_bits_are_the_same(values, log_odds):
    prior = make_prior(**values)
    own = posterior(prior)
    assert not own.changes
    assert adjusted(log_odds, own).tobytes() == log_odds.tobytes()


def test_without_spread_nothing_is_learned():
    assert not posterior(make_prior(reference_sd=0.0), Evidence(5.0, -3.0)).changes


@given(SEEN, LOG_ODDS)
def test_order_is_kept(seen, log_odds):
    own = make_posterior(seen)
    log_odds = np.unique(log_odds.round(6))
    assert (np.diff(adjusted(log_odds, own)) > 0).all()


@given(SEEN)
def test_the_boundary_becomes_0(seen):
    own = make_posterior(seen)
    assert adjusted(np.array([own.boundary]), own) == pytest.approx(np.zeros(1), abs=1e-6)


@given(SEEN)
def test_the_places_become_those_of_the_population(seen):
    own = make_posterior(seen)
    found = adjusted(np.array([own.place, own.target_place]), own) - own.shift
    assert found == pytest.approx(np.array([own.reference, own.target]), abs=1e-9)


@given(priors(), KNOWN, st.floats(1, 50))
def test_more_evidence_is_never_less_sure(values, known, times):
    prior = make_prior(**values)
    known = Evidence(*known)
    sds = [
        posterior(prior, Evidence(amount, known.mean)).place_sd
        for amount in (known.amount, known.amount * times)
    ]
    assert prior.reference_sd >= sds[0] >= sds[1] - 1e-9


@given(priors(), KNOWN, KNOWN, st.floats(0, 3))
def test_unlabelled_stretches_below_the_least_share_change_nothing(values, known, sure, more):
    prior = make_prior(**values)
    known = Evidence(*known)
    sure = Evidence(*sure)
    total = sure.amount / LEAST_SHARE * (1.001 + more)
    assert posterior(prior, known, unlabelled=Unlabelled(total, sure)) == posterior(prior, known)


@given(priors(), KNOWN)
def test_a_prior_without_unlabelled_noise_does_not_use_them(values, known):
    known = Evidence(*known)
    alone = make_prior(**values, unlabelled=None)
    assert posterior(alone, unlabelled=Unlabelled(known.amount, known)) == posterior(alone)


@given(priors(), KNOWN)
def test_the_place_is_between_the_population_and_the_evidence(values, known):
    prior = make_prior(**values)
    known = Evidence(*known)
    assume(known.mean - NOISE.at(known.amount)[0] < prior.target - 7)
    low, high = sorted((prior.reference, known.mean - NOISE.at(known.amount)[0]))
    assert low - 1e-9 <= posterior(prior, known).place <= high + 1e-9


@given(priors(), KNOWN)
def test_the_classes_stay_apart(values, known):
    prior = make_prior(**values)
    known = Evidence(*known)
    own = posterior(prior, known)
    assert own.target_place - own.place >= min(3.0, (prior.target - prior.reference) / 2) - 1e-9


def test_close_classes_do_not_move_without_need():
    prior = make_prior(reference=-1.0, target=1.0, known=EXACT)
    assert not posterior(prior, Evidence(5.0, -1.0)).changes
    assert posterior(prior, Evidence(50.0, 8.0)).place == 0.0
