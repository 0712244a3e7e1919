"""AF from logits: a slow oracle that looks at every beat anew, whole stretches, and streams."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.detect import DetectError
from pacl.detect.decoder import Decoder
from support.refusals import refused

SMALL = Decoder(bridge=3, least_beats=3, evidence=4.0, lag=5)


def by_loops(decoder: Decoder, log_odds: list[float], known: int) -> list[bool]:
    """Each beat by the first `known` ones: go out to both sides, bridge by bridge."""
    found = []
    for beat in range(known):
        first = last = None
        for start in range(beat, -1, -1):  # the run begins at a positive beat at or before it
            if log_odds[start] > 0:
                first = last = start
                break
        if first is not None:
            while True:
                before = [at for at in range(max(0, first - decoder.bridge), first)
                          if log_odds[at] > 0]  # fmt: skip
                if not before:
                    break
                first = before[0]
            while True:
                after = [at for at in range(last + 1, min(known, last + decoder.bridge + 1))
                         if log_odds[at] > 0]  # fmt: skip
                if not after:
                    break
                last = after[-1]
        run = [] if first is None or beat > last else log_odds[first : last + 1]
        found.append(len(run) >= decoder.least_beats and sum(run) >= decoder.evidence)
    return found


def in_a_stream(decoder: Decoder, log_odds: list[float]) -> list[bool]:
    state = decoder.begin()
    decided = [state.push(one) for one in log_odds]
    waited = len(log_odds) if decoder.lag is None else min(decoder.lag, len(log_odds))
    assert decided[:waited] == [None] * waited
    return [one.af for one in [*decided[waited:], *state.flush()]]


def exact(low: int, high: int):
    """Numbers whose sums are not rounded, in whatever order they are added."""
    return st.integers(4 * low, 4 * high).map(lambda value: value / 4)


stretches = st.lists(st.one_of(exact(-3, 3), st.just(-1.0)), max_size=60)
decoders = st.builds(
    Decoder,
    bridge=st.integers(1, 6),
    least_beats=st.integers(1, 8),
    evidence=exact(0, 6),
    lag=st.integers(0, 12),
)


@given(decoders, stretches)
@settings(max_examples=150, deadline=None)
def test_whole_stretches_are_as_the_oracle_says(decoder, log_odds):
    expected = by_loops(decoder, log_odds, len(log_odds))
    assert decoder.decode(np.array(log_odds)).tolist() == expected
    assert in_a_stream(replace(decoder, lag=len(log_odds) + 1), log_odds) == expected
    assert in_a_stream(replace(decoder, lag=None), log_odds) == expected


@given(decoders, stretches)
@settings(max_examples=150, deadline=None)
def test_a_stream_decides_by_what_is_known_by_then(decoder, log_odds):
    beats = len(log_odds)
    known = [min(beats, beat + decoder.lag + 1) for beat in range(beats)]
    expected = [by_loops(decoder, log_odds, known[beat])[beat] for beat in range(beats)]
    assert in_a_stream(decoder, log_odds) == expected


def test_by_hand():
    #           a run of 5 that holds an interruption of 2        too weak      too short
    logits = [-1, 2, -1, -1, 2, 3, -1, -1, -1, -1, 1, 1, 1, -9, -9, -9, 9, 9, -1, -1, -1]
    found = SMALL.decode(np.array(logits, dtype=np.float32))
    assert np.flatnonzero(found).tolist() == [1, 2, 3, 4, 5]


def test_an_interruption_counts_against_a_run():
    weak = np.array([2.0, 2.0, -5.0, 2.0, 2.0])
    assert not SMALL.decode(weak).any()
    assert SMALL.decode(np.where(weak < 0, -1.0, weak)).all()


def test_calibration_comes_first():
    logits = np.array([1.0, 1.0, 1.0, 1.0], dtype=np.float32)
    assert replace(SMALL, slope=2.0, shift=-1.0).decode(logits).all()
    assert not replace(SMALL, slope=2.0, shift=-1.25).decode(logits).any()
    assert replace(SMALL, slope=2.0, shift=-1.0).log_odds(logits).tolist() == [1.0] * 4


def test_an_interruption_that_is_not_over_is_not_af():
    decoder = replace(SMALL, lag=1)
    log_odds = [4.0, 4.0, 4.0, -1.0, -1.0, 4.0, 4.0]
    found = in_a_stream(decoder, log_odds)
    assert found == [False, True, True, False, True, True, True]


def test_a_decided_beat_says_how_likely_af_is():
    state = replace(SMALL, lag=0).begin()
    assert state.push(math.log(3)).probability == pytest.approx(0.75)


def test_flushed_it_begins_anew():
    state = SMALL.begin()
    for _ in range(4):
        state.push(4.0)
    assert [one.af for one in state.flush()] == [True] * 4
    state.push(4.0)
    assert [one.af for one in state.flush()] == [False]


def test_memory_does_not_grow():
    state = SMALL.begin()
    for at in range(1000):
        state.push(math.sin(at / 7))
    assert len(state._waiting) == len(state._counted) == SMALL.lag


def test_no_beats():
    assert SMALL.decode(np.empty(0)).tolist() == []
    assert SMALL.begin().flush() == []


@pytest.mark.parametrize(
    "wrong",
    [{"slope": 0.0}, {"shift": math.nan}, {"evidence": math.inf}, {"bridge": 0},
     {"least_beats": 0}, {"lag": -1}],
)  # fmt: skip
def test_impossible_decoders_are_refused(wrong):
    ((name, value),) = wrong.items()
    with refused(DetectError, f"{name}={value}"):
        replace(SMALL, **wrong)


def test_what_is_no_number_is_refused():
    with refused(DetectError, "logit"):
        SMALL.decode(np.array([1.0, math.nan]))
    with refused(DetectError, "nan"):
        SMALL.begin().push(math.nan)
