"""The prior: noise between the amounts that were tried, and what is read back from JSON."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacl.adaptation import AdaptationError, EvidenceNoise, SubjectPrior
from support.refusals import refused

NOISE = EvidenceNoise((1.0, 4.0, 16.0), (0.5, 0.1, 0.0), (2.0, 1.0, 0.2))
PRIOR = SubjectPrior(-6.0, 1.5, 5.0, 1.0, NOISE, NOISE, target_follows=0.3, subjects=40)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.integers()
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@st.composite
def noises(draw):
    """Values for an `EvidenceNoise`."""
    count = draw(st.integers(1, 5))
    steps = draw(st.lists(st.floats(0.01, 50), min_size=count, max_size=count))
    finite = st.floats(-20, 20)
    return {
        "amounts": np.cumsum(steps).tolist(),
        "bias": draw(st.lists(finite, min_size=count, max_size=count)),
        "variance": draw(st.lists(st.floats(0, 20), min_size=count, max_size=count)),
    }


def make_noise(values):
    return EvidenceNoise(**{name: tuple(value) for name, value in values.items()})


@st.composite
def priors(draw):
    """Values for a `SubjectPrior`."""
    reference, sd = draw(st.floats(-8, 7)), st.floats(0, 10)
    return {
        "reference": reference,
        "reference_sd": draw(sd),
        "target": reference + draw(st.floats(0.01, 15)),
        "target_sd": draw(sd),
        "known": draw(noises()),
        "unlabelled": draw(st.none() | noises()),
        "target_follows": draw(st.floats(0, 1)),
        "shift_sd": draw(sd),
        "subjects": draw(st.integers(0, 1000)),
    }


def slow_at(noise, amount):
    """The two amounts around it, found by a loop."""
    few = max(1.0, noise.amounts[0] / amount)
    known = list(zip(noise.amounts, noise.bias, noise.variance, strict=True))
    if amount <= known[0][0]:
        return known[0][1], known[0][2] * few
    for low, high in pairwise(known):
        if amount <= high[0]:
            part = math.log(amount / low[0]) / math.log(high[0] / low[0])
            return tuple(low[at] + part * (high[at] - low[at]) for at in (1, 2))
    return known[-1][1:]


def test_noise_by_hand():
    assert NOISE.at(1.0) == (0.5, 2.0)
    assert NOISE.at(8.0) == (0.05, 0.6)
    assert NOISE.at(1000.0) == (0.0, 0.2)
    assert NOISE.at(0.25) == (0.5, 8.0)


@given(noises(), st.floats(1e-3, 1e3))
def test_noise_is_that_of_a_loop(values, amount):
    noise = make_noise(values)
    assert noise.at(amount) == pytest.approx(slow_at(noise, amount), rel=1e-6, abs=1e-9)


@given(priors())
def test_json_gives_the_same_prior(values):
    own, seen = values["known"], values["unlabelled"]
    noise = {"known": make_noise(own), "unlabelled": make_noise(seen) if seen else None}
    prior = SubjectPrior(**values | noise)
    assert prior.to_dict().keys() == values.keys()
    assert SubjectPrior.from_dict(json.loads(json.dumps(prior.to_dict()))) == prior


def test_whole_numbers_and_lists_are_read():
    stated = PRIOR.to_dict()
    stated["reference"], stated["known"] = -6, {**stated["known"], "amounts": [1, 4, 16]}
    assert SubjectPrior.from_dict(stated) == PRIOR
    del stated["shift_sd"]
    assert SubjectPrior.from_dict(stated).shift_sd == 1.0


@given(st.sampled_from(sorted(PRIOR.to_dict())), ANYTHING)
def test_a_wrong_value_is_refused_as_what_it_is(name, value):
    try:
        SubjectPrior.from_dict({**PRIOR.to_dict(), name: value})
    except AdaptationError as error:
        assert str(error)


@given(st.sampled_from(("amounts", "bias", "variance")), ANYTHING)
def test_wrong_noise_is_refused_as_what_it_is(name, value):
    stated = PRIOR.to_dict()
    try:
        SubjectPrior.from_dict({**stated, "known": {**stated["known"], name: value}})
    except AdaptationError as error:
        assert str(error)


@given(st.dictionaries(st.text(max_size=5), ANYTHING))
def test_anything_else_is_refused(stated):
    with pytest.raises(AdaptationError):
        SubjectPrior.from_dict(stated)


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"reference": "low"}, "reference"),
        ({"later": 1}, "later"),
        ({"target": 10**400}, "too large"),
        ({"target": -7.0}, "-7.00"),
        ({"target_follows": 1.5}, "target_follows"),
        ({"reference_sd": -1.0}, "reference_sd=-1.0"),
        ({"target_sd": math.inf}, "finite"),
        ({"known": None}, "known"),
        ({"known": {"amounts": [1.0]}}, "known"),
        ({"known": {"amounts": [2.0, 1.0], "bias": [0.0] * 2, "variance": [1.0] * 2}}, "rising"),
        ({"known": {"amounts": [1.0], "bias": [0.0], "variance": [-1.0]}}, "variances"),
        ({"known": {"amounts": [1.0], "bias": [0.0] * 2, "variance": [1.0]}}, "as many"),
        ({"known": {"amounts": [math.inf] * 2, "bias": [0.0] * 2, "variance": [1.0] * 2}}, "inf"),
        ({"known": {"amounts": [], "bias": [], "variance": []}}, "amounts"),
    ],
)
def test_the_message_names_what_is_wrong(change, fact):
    with refused(AdaptationError, fact):
        SubjectPrior.from_dict({**PRIOR.to_dict(), **change})


def test_a_missing_value_is_named():
    stated = PRIOR.to_dict()
    del stated["target"]
    with refused(AdaptationError, "target"):
        SubjectPrior.from_dict(stated)
