"""Eqs. 1-2: the sets a policy makes, pair by pair."""

import dataclasses
import math

import pytest
import torch
from hypothesis import given, settings

from objectives.oracle import NAMED, batches, policies
from pacl.objectives import IGNORED, POLICIES, PairPolicy, PolicyError, Role, negative, positive
from support.refusals import refused

# two subjects, 7 and 9; two classes
LABELS = torch.tensor([0, 0, 1, 0, 1])
SUBJECTS = torch.tensor([7, 7, 7, 9, 9])


def sets(policy: PairPolicy, labels=LABELS, subjects=SUBJECTS) -> list[tuple[set[int], set[int]]]:
    """P(i) and N(i) of each anchor."""
    found = policy.weights(labels, subjects)
    return [
        (
            set(found.positive[i].isfinite().nonzero().flatten().tolist()),
            set(found.negative[i].isfinite().nonzero().flatten().tolist()),
        )
        for i in range(len(labels))
    ]


BY_HAND = {
    "subject-aware": [
        ({1}, {2, 4}),
        ({0}, {2, 4}),
        (set(), {0, 1, 3}),
        (set(), {2, 4}),
        (set(), {0, 1, 3}),
    ],
    "supcon": [
        ({1, 3}, {2, 4}),
        ({0, 3}, {2, 4}),
        ({4}, {0, 1, 3}),
        ({0, 1}, {2, 4}),
        ({2}, {0, 1, 3}),
    ],
    "subject-class": [
        ({1}, {2, 3, 4}),
        ({0}, {2, 3, 4}),
        (set(), {0, 1, 3, 4}),
        (set(), {0, 1, 2, 4}),
        (set(), {0, 1, 2, 3}),
    ],
    "subject": [
        ({1, 2}, {3, 4}),
        ({0, 2}, {3, 4}),
        ({0, 1}, {3, 4}),
        ({4}, {0, 1, 2}),
        ({3}, {0, 1, 2}),
    ],
}


def test_every_named_policy_is_tested():
    assert set(POLICIES) == set(BY_HAND) == set(NAMED)


@pytest.mark.parametrize("name", BY_HAND)
def test_sets_by_hand(name):
    assert sets(PairPolicy.named(name)) == BY_HAND[name]
    assert PairPolicy.named(name) is POLICIES[name]


@given(batches(), policies())
@settings(max_examples=60, derandomize=True, deadline=None)
def test_weights_against_a_loop(batch, made):
    _, labels, subjects = batch
    policy, pairs = made
    found = policy.weights(labels, subjects, torch.float64)
    for i in range(len(labels)):
        for j in range(len(labels)):
            role, weight = pairs(bool(subjects[i] == subjects[j]), bool(labels[i] == labels[j]))
            for name in ("positive", "negative"):
                log_weight = float(getattr(found, name)[i, j])
                if i == j or role != name:
                    assert log_weight == -math.inf
                else:
                    assert math.exp(log_weight) == pytest.approx(weight, rel=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_weights_have_the_asked_precision(dtype):
    found = POLICIES["supcon"].weights(LABELS, SUBJECTS, dtype)
    assert found.positive.dtype == found.negative.dtype == dtype


def test_the_same_ids_in_another_integer_type():
    found = POLICIES["subject-aware"].weights(LABELS.to(torch.int8), SUBJECTS.to(torch.int32))
    expected = POLICIES["subject-aware"].weights(LABELS, SUBJECTS)
    assert torch.equal(found.positive, expected.positive)
    assert torch.equal(found.negative, expected.negative)


@pytest.mark.parametrize("weight", [0.0, -1.0, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("make", [positive, negative])
def test_weights_that_mean_nothing(make, weight):
    with refused(PolicyError, "IGNORED"):
        make(weight)


def test_a_role_by_another_name():
    init = getattr(Role.__init__, "__wrapped__", Role.__init__)
    with refused(PolicyError, "'neutral'", "positive", "negative"):
        init(Role.__new__(Role), "neutral")


def test_something_that_is_no_role():
    init = getattr(PairPolicy.__init__, "__wrapped__", PairPolicy.__init__)
    with refused(PolicyError, "same_subject_other_class", "positive()", "'negative'"):
        init(PairPolicy.__new__(PairPolicy), positive(), "negative", IGNORED, negative())


def test_a_policy_must_have_both():
    with refused(PolicyError, "positive"):
        PairPolicy(negative(), negative(), IGNORED, negative())
    with refused(PolicyError, "negative"):
        PairPolicy(positive(), positive(), IGNORED, positive())


def test_an_unknown_name():
    with refused(
        PolicyError,
        "'simclr'",
        "subject-aware, supcon, subject-class, subject",
    ):
        PairPolicy.named("simclr")


def test_policies_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        POLICIES["supcon"].same_subject_same_class = IGNORED  # type: ignore[misc]
    with pytest.raises(TypeError):
        POLICIES["mine"] = POLICIES["supcon"]  # type: ignore[index]


def test_plain_values():
    policy = PairPolicy(positive(), negative(0.5), IGNORED, negative())
    assert policy.to_dict() == {
        "same_subject_same_class": ["positive", 1.0],
        "same_subject_other_class": ["negative", 0.5],
        "other_subject_same_class": ["ignored", 1.0],
        "other_subject_other_class": ["negative", 1.0],
    }
    assert PairPolicy(**{key: Role(*role) for key, role in policy.to_dict().items()}) == policy
