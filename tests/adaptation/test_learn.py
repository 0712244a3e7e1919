"""What is learned from simulated subjects is what they were simulated with."""

import numpy as np
import pytest

from pacl.adaptation import LEAST_SUBJECTS, AdaptationError, LabelledStretches, learn_prior
from support.refusals import refused

AMOUNTS = (1.0, 4.0, 16.0)


def stretches(log_odds, label, amount=1.0):
    amounts = np.broadcast_to(np.asarray(amount, np.float64), (len(label),)).copy()
    return LabelledStretches(np.array(log_odds, np.float64), np.array(label, np.int64), amounts)


def simulated(count, *, follows=0.0, each=200, noise=1.0, seed=0):
    """Subjects whose reference class lies at -5 (sd 0.8), the target class at 4 (sd 0.5 alone)."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        own = rng.normal(0, 0.8)
        other = follows * own + rng.normal(0, 0.5)
        label = np.repeat([0, 1, 0, 2], each)
        place = np.array([-5 + own, 4 + other, 0.0])[label]
        yield stretches(np.clip(rng.normal(place, noise), -7.9, 7.9), label)


@pytest.mark.parametrize("follows", [0.0, 0.5, 1.0])
def test_known_values_are_recovered(follows):
    found = learn_prior(simulated(600, follows=follows), AMOUNTS)
    assert found.subjects == 600
    assert found.reference == pytest.approx(-5, abs=0.1)
    assert found.reference_sd == pytest.approx(0.8, rel=0.1)
    assert found.target == pytest.approx(4, abs=0.1)
    assert found.target_sd == pytest.approx(np.hypot(0.5, 0.8 * follows), rel=0.1)
    assert found.target_follows == pytest.approx(follows, abs=0.06)
    for amount, bias, variance in zip(AMOUNTS, found.known.bias, found.known.variance, strict=True):
        assert bias == pytest.approx(0, abs=4 / np.sqrt(600 * amount))
        assert variance == pytest.approx(1 / amount - 1 / 400, rel=0.25)


def test_noise_is_less_with_more_evidence():
    known = learn_prior(simulated(100), AMOUNTS).known
    assert list(known.variance) == sorted(known.variance, reverse=True)


def test_a_target_that_moves_against_the_reference_does_not_follow():
    assert learn_prior(simulated(200, follows=-0.7), AMOUNTS).target_follows == 0.0


def test_sure_stretches_alone_are_biased_and_the_bias_is_learned():
    found = learn_prior(simulated(300, noise=3.0), (16.0,))
    assert found.unlabelled.bias[0] < -0.3
    assert abs(found.known.bias[0]) < 0.3


def test_unlabelled_stretches_may_be_left_out():
    assert learn_prior(simulated(20), AMOUNTS, unlabelled_amounts=()).unlabelled is None
    found = learn_prior(simulated(20), AMOUNTS, unlabelled_amounts=(8.0,))
    assert found.unlabelled.amounts == (8.0,)


def test_pieces_of_the_reference_class_by_hand():
    one = stretches([-3, -4, -5, -6, -7, -8, 2], [0, 1, 0, 0, 0, 0, 1], [1, 1, 2, 2, 2, 2, 1])

    def pieces(amount, least, across_runs=False):
        return one.known_pieces(amount, least, across_runs=across_runs).tolist()

    assert pieces(4.0, 2.0) == [-5.5, -7.5]
    assert pieces(4.0, 1.0) == [-3.0, -5.5, -7.5]  # a short run is one piece
    assert pieces(6.0, 2.0) == [-6.5]  # what is left belongs to the last piece
    assert pieces(99.0, 2.0) == [-6.5]
    assert pieces(1.0, 9.0) == []
    assert pieces(9.0, 9.0, across_runs=True) == [-55 / 9]
    assert (one.of(1).amount, one.of(1).mean) == (2.0, -1.0)


@pytest.mark.parametrize("amount", [1.0, 3.0, 7.5, 1000.0])
def test_no_piece_is_shorter_than_asked_unless_there_is_no_more(amount):
    (one, *_) = simulated(1)
    total = one.amount[one.label == 0].sum()
    assert one.known_pieces(amount, 1.0, across_runs=True).size == max(int(total / amount), 1)


def test_stretches_longer_than_a_piece():
    one = stretches([-3, -4, -5], [0, 0, 0], [2.5, 2.5, 2.5])
    assert one.known_pieces(1.0, 1.0, across_runs=False).tolist() == [-3.0, -4.0, -5.0]
    assert one.unlabelled_pieces(1.0).tolist() == [-3.0, -4.0, -5.0]


def test_pieces_without_labels_by_hand():
    one = stretches([3, -4, -6, 5, 5, 5, 5, 5, 5, 5, 5, 5], [1] * 12)
    assert one.unlabelled_pieces(3.0).tolist() == [-5.0]  # the other pieces have none
    assert one.unlabelled_pieces(1.0).tolist() == [-4.0, -6.0]
    assert one.unlabelled_pieces(12.0).tolist() == []  # less than a fifth


def test_evidence_may_come_from_anywhere():
    """The first stretches of each subject lie higher: that is no bias of evidence as such."""
    subjects = []
    for at, one in enumerate(simulated(40, each=200)):
        log_odds = one.log_odds.copy()
        first = np.flatnonzero(one.label == 0)[:4]
        log_odds[first] += 3.0 + at / 100
        subjects.append(stretches(log_odds, one.label))
    found = learn_prior(subjects, (4.0, 16.0), across_runs=True)
    assert all(abs(one) < 0.1 for one in found.known.bias)


def test_more_evidence_is_never_less_reliable():
    found = learn_prior(simulated(30), (1.0, 2.0, 4.0, 8.0))
    assert list(found.known.variance) == sorted(found.known.variance, reverse=True)


def test_evidence_over_several_runs():
    pieces = [stretches(one.log_odds[::50], np.tile([0, 1], 8)) for one in simulated(10, each=200)]
    pieces = [
        stretches(np.where(one.label == 0, -5.0 + at / 10, 4.0), one.label)
        for at, one in enumerate(pieces)
    ]
    with refused(AdaptationError, 0, "reference", 4):
        learn_prior(pieces, (4.0,), unlabelled_amounts=())
    found = learn_prior(pieces, (4.0,), unlabelled_amounts=(), across_runs=True)
    assert found.subjects == 10
    assert found.known.variance == (0.0,)


def test_few_subjects_are_refused():
    with refused(AdaptationError, LEAST_SUBJECTS - 1, LEAST_SUBJECTS, "reference"):
        learn_prior(simulated(LEAST_SUBJECTS - 1), AMOUNTS)
    without = [stretches([-5.0] * 20, [0] * 20) for _ in range(9)]
    with refused(AdaptationError, 0, "target"):
        learn_prior(without, AMOUNTS)
    assert learn_prior(simulated(LEAST_SUBJECTS), AMOUNTS).subjects == LEAST_SUBJECTS


def test_no_subject_needs_both_classes():
    one = [stretches([-5.0 - at / 10] * 20, [0] * 20) for at in range(6)]
    other = [stretches([4.0 + at / 10] * 20, [1] * 20) for at in range(6)]
    found = learn_prior(one + other, (1.0, 4.0))
    assert (found.subjects, found.target_follows) == (6, 0.0)


def test_subjects_without_sure_stretches_are_refused_for_unlabelled_evidence():
    unsure = [stretches([-1.0 - at / 9, 2.0] * 20, [0, 1] * 20) for at in range(6)]
    with refused(AdaptationError, LEAST_SUBJECTS, "unlabelled"):
        learn_prior(unsure, (1.0,))


def test_amounts_are_needed_and_rise():
    with refused(AdaptationError, "amounts"):
        learn_prior(simulated(6), ())
    with refused(AdaptationError, "rising"):
        learn_prior(simulated(6), (4.0, 1.0))


def test_classes_that_are_not_apart_are_refused():
    same = [stretches(one.log_odds, 1 - one.label.clip(0, 1)) for one in simulated(8)]
    with refused(AdaptationError, "not above", "train"):
        learn_prior(same, AMOUNTS, unlabelled_amounts=())
