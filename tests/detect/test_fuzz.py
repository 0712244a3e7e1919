"""Whatever the intervals: an answer in bounds, the same from a stream, no AF out of bad devices."""

import json
import math
from datetime import datetime
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacl.detect import Decision, DetectError, Detection, Detector, StreamDetector
from pacl.records import GAP_MS, Record, Rhythm, Span
from support.refusals import refused
from support.rhythms import heard

FAST = settings(max_examples=20, derandomize=True, deadline=None)
MODES = ("look-ahead", "causal")
SEEDS = st.integers(0, 2**32 - 1)
ROUNDING_S = 1e-6
LONGEST_MS = 86_400_000
"""Some three weeks without a beat; readers refuse more than a day."""

EDGES_MS = (0, 1e-30, 0.85, 199, 199.99998, 200, 2000, 2000.0001, 10_000, 10_001, LONGEST_MS)
KINDS = ("sinus", "af", "noise", "constant", "nearly", "alternating", "edges", "zero", "gap")


def record_of(rr_ms, files=(0,), pauses_s=(0.0,), dtype=np.float32, started=None):
    """Files begin at some beats, each so many seconds after the one before has ended."""
    rr_ms = np.asarray(rr_ms).astype(dtype)
    passed_s = np.append(0.0, np.cumsum(rr_ms, dtype=np.float64)) / 1000
    return Record(
        patient_id="p",
        record_id="r",
        rr_ms=rr_ms,
        file_starts=np.array(files, dtype=np.int64),
        file_onset_s=passed_s[list(files)] + np.cumsum(pauses_s),
        spans=(Span(0, rr_ms.size, Rhythm.UNKNOWN),),
        digest="0",
        source="made up",
        started=started,
    )


def sinus(beats, generator, mean_ms=850.0, breath=0.02, noise=0.012, period=5.0):
    """Sinus rhythm that breathes, every so many beats."""
    turn = 2 * np.pi * (np.arange(beats) / period + generator.random())
    return mean_ms * (1 + breath * np.sin(turn) + generator.normal(0, noise, beats))


def piece(kind, beats, generator):
    """So many intervals of a kind."""
    level_ms = float(generator.uniform(200, 2000))
    match kind:
        case "sinus":
            return sinus(beats, generator)
        case "af":
            return np.clip(620 * generator.lognormal(0, 0.22, beats), 250, 1900)
        case "noise":
            return 10 ** generator.uniform(-3, 5, beats)
        case "constant":
            return np.full(beats, level_ms)
        case "nearly":
            return np.where(generator.random(beats) < 0.01, level_ms * (1 + 2e-7), level_ms)
        case "alternating":
            return np.where(np.arange(beats) % 2, level_ms, 2200 - level_ms)
        case "edges":
            return generator.choice(EDGES_MS, beats)
        case "zero":
            return np.zeros(beats)
        case _:
            return np.array([generator.uniform(GAP_MS, LONGEST_MS)])


@st.composite
def recorded(draw, most_files=4):
    """Pieces of any kind after each other, single beats spoilt, cut into files with pauses.

    What `record_of` takes: a strategy that makes the record would call beartype, which draws.
    """
    generator = np.random.default_rng(draw(SEEDS))
    kinds = st.tuples(st.sampled_from(KINDS), st.integers(1, 200))
    pieces = draw(st.lists(kinds, min_size=1, max_size=4))
    rr_ms = np.concatenate([piece(kind, beats, generator) for kind, beats in pieces])
    spoilt = generator.random(rr_ms.size) < draw(st.sampled_from([0, 0, 0.01, 0.2]))
    rr_ms[spoilt] = generator.choice(EDGES_MS[:-2], int(spoilt.sum()))
    cuts = draw(st.sets(st.integers(0, rr_ms.size - 1), max_size=most_files - 1))
    files = sorted({0, *cuts})
    pauses_s = draw(
        st.lists(st.sampled_from([0.0, 0.5, 3600.0, 1e6]), min_size=len(files), max_size=len(files))
    )
    dtype = draw(st.sampled_from([np.int32, np.float32]))
    started = draw(st.sampled_from([None, datetime(2026, 4, 1, 22)]))
    return rr_ms, files, pauses_s, dtype, started


@pytest.fixture(scope="module")
def detector():
    return Detector()


def check(found: Detection, record: Record) -> None:
    """What holds of any answer."""
    begins_s = float(record.file_onset_s[0])
    ends_s = begins_s + found.duration_s
    assert np.all((found.probability > 0) & (found.probability < 1))
    assert np.all(found.end_s >= found.start_s)  # beats of 0 ms take no time
    told_s = sum(one.end_s - one.start_s for one in found.not_judged)
    assert found.judged_s + told_s <= found.duration_s + ROUNDING_S
    assert found.judged_s == pytest.approx(float((found.end_s - found.start_s).sum()))
    assert (found.af_burden is None) == (found.probability.size == 0)
    assert found.af_burden is None or 0 <= found.af_burden <= 1
    for one in found.episodes:
        assert begins_s - ROUNDING_S <= one.start_s < one.end_s <= ends_s + ROUNDING_S
        assert 0 < one.confidence < 1
    for one, other in pairwise(found.episodes):
        assert one.end_s <= other.start_s + ROUNDING_S
    # A beat of 0 ms between two gaps takes no time, and may be told before or after them.
    for one, other in pairwise(each for each in found.not_judged if each.end_s > each.start_s):
        assert one.end_s <= other.start_s + ROUNDING_S
    assert sum(one.duration_s for one in found.episodes) == pytest.approx(found.af_s)
    for share in (found.quality.implausible, found.quality.not_judged):
        assert -1e-12 <= share <= 1
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(told["episodes"]) == len(found.episodes)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(made=recorded(), mode=st.sampled_from(MODES))
def test_any_recording(detector, made, mode):
    record = record_of(*made)
    check(detector.detect(record, mode), record)


@FAST
@given(
    rr_ms=st.lists(st.integers(0, LONGEST_MS), min_size=1, max_size=20), times=st.integers(1, 30)
)
def test_any_intervals_over_and_over(detector, rr_ms, times):
    for mode in MODES:
        record = record_of(rr_ms * times, dtype=np.int32)
        check(detector.detect(record, mode), record)


@FAST
@given(made=recorded(most_files=1))
def test_a_stream_agrees_to_the_bit(detector, made):
    record = record_of(*made)
    batch = detector.detect(record, "causal")
    stream = StreamDetector()
    decisions = heard(stream, record.rr_ms)
    assert [one.probability for one in decisions] == batch.probability.tolist()
    assert [one.af for one in decisions] == batch.af.tolist()
    assert stream.offered == batch.offered
    np.testing.assert_allclose(
        [one.time_s for one in decisions], batch.end_s - record.file_onset_s[0], atol=1e-5
    )


def pushed(intervals):
    """Decisions of a new stream, and the intervals that it took."""
    stream, decisions, taken = StreamDetector(), [], []
    for rr_ms in intervals:
        try:
            said = stream.push(rr_ms)
        except DetectError as error:
            assert " ms" in str(error)
            assert not 0 <= rr_ms <= LONGEST_MS
            continue
        taken.append(rr_ms)
        decisions += said
    decisions += stream.finish()
    for one in decisions:
        assert isinstance(one, Decision)
        assert 0 < one.probability < 1
    return decisions, taken


@settings(max_examples=15, derandomize=True, deadline=None)
@given(odd=st.lists(st.tuples(st.integers(0, 200), st.floats()), max_size=30), seed=SEEDS)
def test_any_float_is_taken_or_refused(odd, seed):
    intervals = sinus(200, np.random.default_rng(seed)).tolist()
    for at, rr_ms in odd:
        intervals.insert(at, rr_ms)
    decisions, taken = pushed(intervals)
    assert pushed(taken)[0] == decisions, "what is refused must leave no trace"


HEARTS = st.fixed_dictionaries(
    {
        "mean_ms": st.floats(500, 1200),
        "breath": st.floats(0, 0.12),
        "noise": st.floats(0.001, 0.012),
        "period": st.floats(3, 8),
    }
)
DEVICES = {
    "as it is": lambda rr_ms: rr_ms,
    "each beat twice": lambda rr_ms: np.repeat(rr_ms, 2),
    "each beat thrice": lambda rr_ms: np.repeat(rr_ms, 3),
    "each beat four times": lambda rr_ms: np.repeat(rr_ms, 4),
    "each beat five times": lambda rr_ms: np.repeat(rr_ms, 5),
    "each beat eight times": lambda rr_ms: np.repeat(rr_ms, 8),
    "each beat ten times": lambda rr_ms: np.repeat(rr_ms, 10),
    "stops for a minute": lambda rr_ms: np.insert(rr_ms, 320, 60_000.0),
    "seconds": lambda rr_ms: rr_ms / 1000,
    "microseconds": lambda rr_ms: rr_ms * 1000,
    "beats a minute": lambda rr_ms: 60_000 / rr_ms,
}
AGAIN = tuple(device for device in DEVICES if device.startswith("each beat"))
SILENT = (*AGAIN, "seconds", "microseconds", "beats a minute")


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=6, derandomize=True, deadline=None)
@given(heart=HEARTS, seed=SEEDS)
def test_no_af_out_of_sinus_rhythm(detector, device, heart, seed):
    rr_ms = DEVICES[device](sinus(400, np.random.default_rng(seed), **heart))[:400]
    for mode in MODES:
        found = detector.detect(record_of(rr_ms), mode)
        assert found.verdict == ("cannot tell" if device in SILENT else "no AF")
        assert found.probability.max(initial=0.0) < 0.5


@pytest.mark.parametrize("mode", MODES)
def test_a_minute_without_a_beat_is_not_judged(detector, mode):
    rr_ms = DEVICES["stops for a minute"](sinus(650, np.random.default_rng(0)))
    found = detector.detect(record_of(rr_ms), mode)
    assert [one.end_s - one.start_s for one in found.not_judged if one.why == "no signal"] == [60]
    assert found.judged_s < 650 * 1.2
    assert np.all(found.end_s - found.start_s < 120)


@pytest.mark.parametrize("device", ["as it is", "stops for a minute"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("breath", [0.03, 0.06, 0.12])
def test_no_af_out_of_deep_breath(detector, mode, device, breath):
    for period in (3.0, 4.0, 7.0):
        rr_ms = sinus(650, np.random.default_rng(0), breath=breath, period=period)
        found = detector.detect(record_of(DEVICES[device](rr_ms)), mode)
        assert (found.verdict, breath, period) == ("no AF", breath, period)


AF = np.clip(620 * np.random.default_rng(0).lognormal(0, 0.22, 400), 250, 1900)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("longest_ms", [1e9, 1e15, 1e20])
def test_an_interval_of_more_than_a_day_is_refused(detector, mode, longest_ms):
    with refused(DetectError, "made up", f"{longest_ms:g}"):
        detector.detect(record_of([longest_ms, *AF]), mode)


def test_a_stream_refuses_more_than_a_day():
    stream = StreamDetector()
    with refused(DetectError, "1.7e+308"):
        stream.push(1.7e308)
    decisions, _ = pushed([86_400_000.0, *AF.tolist()])
    assert all(math.isfinite(one.time_s) for one in decisions)
