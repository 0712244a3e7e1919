"""Weights of windows: steps of 50 beats, the same from a stream as from a recording."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.detect import Detector, StreamDetector
from pacl.detect.window_judge import WindowJudge
from pacl.detect.window_steps import STRIDE_BEATS, is_fit, step_logits
from support.rhythms import fibrillation, heard, record_of, sinus

WINDOW = 200
JUNK = [2500.0, 100.0] * 300


@pytest.fixture(scope="module")
def detector():
    return Detector("af-rr200")


@pytest.fixture(scope="module")
def mixed():
    """Sinus rhythm, AF, a gap, AF, a few beats between two gaps, sinus rhythm, stray beats."""
    generator = np.random.default_rng(3)
    parts = [sinus(900, generator), fibrillation(803, generator), [60_000.0]]
    parts += [fibrillation(411, generator), [15_000.0], sinus(120, generator), [15_000.0]]
    rr_ms = np.concatenate([*parts, sinus(377, generator)])
    rr_ms[generator.integers(0, 800, 20)] = 2500.0
    return record_of(rr_ms)


def test_it_finds_what_is_there(detector, mixed):
    found = detector.detect(mixed)
    assert (found.verdict, found.weights, len(found.episodes)) == ("AF", "af-rr200", 2)
    assert found.to_dict()["learned_from"] is None  # it does not say what it learned from
    assert found.af_s == pytest.approx(
        mixed.seconds(900, 1703) + mixed.seconds(1704, 2115), rel=0.1
    )
    assert found.af.tolist() == (found.probability >= 0.5).tolist()


@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
def test_what_is_not_judged_is_told(detector, mixed, mode):
    found = detector.detect(mixed, mode)
    whys = [one.why for one in found.not_judged]
    assert whys.count("no signal") == 3
    assert ("before the first window was whole" in whys) == (mode == "causal")
    assert "fewer than 200 plausible beats in a row" in whys
    told_s = sum(one.end_s - one.start_s for one in found.not_judged)
    assert told_s + found.judged_s == pytest.approx(found.duration_s)


def test_stream_and_batch_agree_to_the_bit(detector, mixed):
    batch, stream = detector.detect(mixed, "causal"), StreamDetector("af-rr200")
    decisions = heard(stream, mixed.rr_ms)
    assert [one.probability for one in decisions] == batch.probability.tolist()
    assert [one.af for one in decisions] == batch.af.tolist()
    np.testing.assert_allclose([one.start_s for one in decisions], batch.start_s, atol=1e-6)
    np.testing.assert_allclose([one.time_s for one in decisions], batch.end_s, atol=1e-6)
    assert stream.offered == batch.offered


def test_a_stream_decides_every_fifty_beats_from_the_two_hundredth_on():
    stream, generator = StreamDetector("af-rr200"), np.random.default_rng(0)
    said = [len(stream.push(x)) for x in fibrillation(400, generator).tolist()]
    assert np.flatnonzero(said).tolist() == [199, 249, 299, 349, 399]
    assert stream.push(20_000.0) == ()
    assert not any(stream.push(x) for x in sinus(199, generator).tolist())
    assert len(stream.push(850.0)) == 1


@pytest.mark.parametrize(
    ("rr_ms", "why", "reason"),
    [
        ([800.0] * 143, "fewer than 200", "needs 200 plausible beats (200-2000 ms) in a row"),
        ([800.0] * 500, "repeats itself", "100 % of it: the signal repeats itself"),
        ([800.0, 2500.0, 810.0] * 200, "implausible beats", "more than 20 implausible"),
    ],
)
def test_it_cannot_tell(detector, rr_ms, why, reason):
    for mode in ("look-ahead", "causal"):
        found = detector.detect(record_of(rr_ms), mode)
        assert found.verdict == "cannot tell"
        assert any(why in one.why for one in found.not_judged)
        assert reason in found.reason


def test_the_number_of_beats_is_that_of_the_weights():
    cut = Detector("af-rr200")
    cut.judge = WindowJudge(replace(cut.judge.scorer, window_beats=150))
    found = cut.detect(record_of([800.0] * 143))
    assert "needs 150 plausible beats" in found.reason
    assert "fewer than 150" in found.not_judged[0].why


def test_what_a_window_saw_counts_though_it_was_decided_at_its_end(detector):
    """A causal answer begins with the 200th beat, but speaks of all 200."""
    record = record_of(sinus(249, np.random.default_rng(5)))
    found = detector.detect(record, "causal")
    assert found.judged_s < 0.5 * found.recorded_s
    assert found.seen_s == pytest.approx(record.seconds(0, 200))
    assert found.seen_share == pytest.approx(record.seconds(0, 200) / record.duration_s)
    assert found.verdict == "no AF"


def test_noise_before_the_first_window_is_no_warming_up(detector):
    record = record_of([*JUNK, *sinus(250, np.random.default_rng(5))])
    for mode in ("look-ahead", "causal"):
        found = detector.detect(record, mode)
        assert found.seen_s == pytest.approx(record.seconds(600, 850))
        assert found.verdict == "cannot tell"
    mixed = [
        *sinus(60, np.random.default_rng(5)),
        *JUNK[:150],
        *sinus(400, np.random.default_rng(5)),
    ]
    found = detector.detect(record_of(mixed), "causal")
    assert "too many implausible beats" in found.not_judged[0].why


def test_steps_take_the_mean_of_the_windows_that_hold_them():
    logits = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    everything = np.ones(5, dtype=bool)
    expected = [1, 1.5, 7 / 3, 15 / 4, 30 / 4, 28 / 3, 12, 16]
    np.testing.assert_allclose(step_logits(logits, everything, WINDOW), expected)
    without = np.array([False, True, True, True, True])
    told = step_logits(logits, without, WINDOW)
    assert np.isnan(told[0])
    np.testing.assert_allclose(told[1:4], [2, 3, 14 / 3])
    assert STRIDE_BEATS == 50


def test_unfit_windows():
    varied = np.tile(np.arange(200.0, 400.0, dtype=np.float32), (3, 1))
    varied[2] = 800.0
    assert is_fit(varied, np.array([240, 241, 200])).tolist() == [True, False, False]


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_device_that_sends_each_beat_again_is_noticed(times, first):
    random = np.random.default_rng(times)
    heard = (8 * np.rint(random.normal(100, 8, 300))).astype(np.float32)
    sent = np.repeat(heard, times)[first:][:200][None]
    assert not is_fit(sent, np.array([200]))[0]
    sent[0, 80:83] = [701, 702, 703]  # not all of it need be so
    assert not is_fit(sent, np.array([200]))[0]
    assert is_fit(heard[None, :200], np.array([200]))[0]


def test_a_steady_rhythm_seen_coarsely_is_no_device_that_repeats():
    random = np.random.default_rng(0)
    for sd in np.linspace(0.5, 30, 60):
        rr_ms = (8 * np.rint(random.normal(800, sd, (20, 200)) / 8)).astype(np.float32)
        varies = (rr_ms != rr_ms[:, :1]).any(axis=1)
        assert is_fit(rr_ms, np.full(20, 200)).tolist() == varies.tolist()
