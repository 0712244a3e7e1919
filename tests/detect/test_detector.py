"""Recordings and streams: the same decisions, the right times, nothing said without ground."""

import subprocess
import sys
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from pacl.detect import DetectError, Detector, StreamDetector
from pacl.detect.steps import STRIDE, is_fit, step_logits
from pacl.records import Record, RecordError, Rhythm, Span
from pacl.records.simulate import simulate_cohort

WINDOW = 200


@pytest.fixture(scope="module")
def detector():
    return Detector()


def record_of(rr_ms, **more):
    rr_ms = np.asarray(rr_ms, dtype=np.float32)
    return Record(
        patient_id="p",
        record_id="r",
        rr_ms=rr_ms,
        file_starts=np.array([0]),
        file_onset_s=np.array([0.0]),
        spans=(Span(0, rr_ms.size, Rhythm.UNKNOWN),),
        digest="0",
        source="made up",
        **more,
    )


def sinus(beats, generator):
    wave = np.sin(np.arange(beats) * 0.3)
    return 850 * (1 + 0.02 * wave + generator.normal(0, 0.012, beats))


def fibrillation(beats, generator):
    return np.clip(620 * generator.lognormal(0, 0.22, beats), 250, 1900)


@pytest.fixture(scope="module")
def mixed():
    """Sinus rhythm, AF, a gap, AF, a few beats between two gaps, sinus rhythm, stray beats."""
    generator = np.random.default_rng(3)
    rr_ms = np.concatenate(
        [
            sinus(1500, generator),
            fibrillation(1203, generator),
            [60_000.0],
            fibrillation(611, generator),
            [15_000.0],
            sinus(120, generator),
            [15_000.0],
            sinus(777, generator),
        ]
    )
    rr_ms[generator.integers(0, 1400, 30)] = 2500.0
    return record_of(rr_ms)


def test_it_finds_what_is_there(detector, mixed):
    found = detector.detect(mixed)
    af_s = mixed.seconds(1500, 2703) + mixed.seconds(2704, 3315)
    assert found.verdict == "AF"
    assert len(found.episodes) == 2  # a gap parts them
    assert found.af_s == pytest.approx(af_s, rel=0.1)
    assert found.af_burden == pytest.approx(found.af_s / found.judged_s)
    assert found.episodes[0].start_s == pytest.approx(mixed.seconds(0, 1500), abs=90)
    assert min(one.confidence for one in found.episodes) > 0.8


@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
def test_what_is_not_judged_is_told(detector, mixed, mode):
    found = detector.detect(mixed, mode)
    whys = [one.why for one in found.not_judged]
    assert whys.count("no signal") == 3
    assert ("before the first window was whole" in whys) == (mode == "causal")
    assert "fewer than 200 plausible beats in a row" in whys
    assert found.quality.gaps == 3
    told_s = sum(one.end_s - one.start_s for one in found.not_judged)
    assert told_s + found.judged_s == pytest.approx(found.duration_s)
    assert 0 < found.quality.not_judged < 0.3


@pytest.mark.parametrize("name", ["mixed", "simulated"])
def test_stream_and_batch_agree_to_the_bit(detector, mixed, name):
    record = mixed if name == "mixed" else next(iter(simulate_cohort(patients=1, seed=5))).record
    first_file = slice(*record.file_bounds()[0])  # a stream knows no files
    record = record_of(record.rr_ms[first_file])
    batch = detector.detect(record, "causal")
    stream = StreamDetector()
    heard = [stream.push(float(rr_ms)) for rr_ms in record.rr_ms]
    decisions = [one for one in heard if one is not None]
    assert [one.probability for one in decisions] == batch.probability.tolist()
    np.testing.assert_allclose([one.time_s for one in decisions], batch.end_s, atol=1e-6)


def test_the_causal_mode_does_not_look_ahead(detector, mixed):
    whole = detector.detect(mixed, "causal")
    cut = record_of(mixed.rr_ms[:2000])
    part = detector.detect(cut, "causal")
    assert part.probability.tolist() == whole.probability[: part.probability.size].tolist()


def test_simulated_patients_are_judged_as_they_are(detector):
    for made in simulate_cohort(patients=3, seed=4):
        record = made.record
        truth = sum(record.seconds(s.start, s.stop) for s in record.spans if s.rhythm is Rhythm.AF)
        found = detector.detect(record)
        assert found.af_burden == pytest.approx(truth / record.duration_s, abs=0.03)


@pytest.mark.parametrize(
    ("rr_ms", "why", "reason"),
    [
        ([800.0], "fewer than 200", "needs 200 plausible beats (200-2000 ms) in a row"),
        ([800.0] * 143 + [11_000.0] + [790.0] * 120, "fewer than 200", "longest run has 143"),
        ([0.8] * 500, "fewer than 200", "none of 500 intervals lies within 200-2000 ms"),
        ([800.0] * 500, "repeats itself", "7 with a signal that repeats itself"),
        ([800.0, 2500.0, 810.0] * 200, "implausible beats", "5 with more than 20 % implausible"),
        ([60_000.0] * 5, "no signal", "every interval is longer than 10 s"),
    ],
    ids=["one beat", "too few", "seconds", "a test signal", "half lost", "gaps alone"],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
def test_it_cannot_tell(detector, rr_ms, why, reason, mode):
    found = detector.detect(record_of(rr_ms), mode)
    assert found.verdict == "cannot tell"
    assert found.af_burden is None
    assert found.episodes == ()
    assert found.quality.not_judged == 1.0
    assert any(why in one.why for one in found.not_judged)
    assert reason in found.reason
    told = found.to_dict()
    assert (told["af_burden"], told["reason"]) == (None, found.reason)
    assert (told["judged_share"], told["quality"]["window_beats"]) == (0.0, WINDOW)


def test_the_number_of_beats_is_that_of_the_weights(detector):
    cut = Detector()
    cut.scorer = replace(detector.scorer, window_beats=150)
    found = cut.detect(record_of([800.0] * 143))
    assert "needs 150 plausible beats" in found.reason
    assert "fewer than 150" in found.not_judged[0].why


JUNK = [2500.0, 100.0] * 300


def test_little_that_was_judged_is_no_ground_to_say_no_af(detector):
    generator = np.random.default_rng(5)
    calm = sinus(250, generator).tolist()
    found = detector.detect(record_of([*calm, *JUNK]))
    assert found.af_burden == 0.0
    assert found.seen_share < 0.5
    assert found.verdict == "cannot tell"
    assert f"{100 * found.seen_share:.0f}." in found.reason
    assert "50 %" in found.reason
    assert "fewer than 200" not in found.reason
    assert found.to_dict()["least_seen_share"] == 0.5
    more = detector.detect(record_of([*sinus(1200, generator), *JUNK]))
    assert more.seen_share > 0.5
    assert (more.verdict, more.reason) == ("no AF", None)


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


def test_af_that_was_found_stays_af_however_little_was_judged(detector):
    rr_ms = fibrillation(250, np.random.default_rng(5)).tolist()
    found = detector.detect(record_of([*rr_ms, *JUNK]))
    assert found.seen_share < 0.5
    assert (found.verdict, found.reason) == ("AF", None)


def test_pauses_between_files_are_not_recorded(detector):
    rr_ms = sinus(600, np.random.default_rng(0))
    record = replace(
        record_of(rr_ms), file_starts=np.array([0, 300]), file_onset_s=np.array([0.0, 1e6])
    )
    found = detector.detect(record)
    assert found.recorded_s == pytest.approx(rr_ms.sum() / 1000, rel=1e-6)
    assert found.duration_s > 1e6
    assert found.verdict == "no AF"


def test_a_gap_that_is_most_of_a_recording_is_no_ground_to_say_no_af(detector):
    rr_ms = sinus(600, np.random.default_rng(0))
    found = detector.detect(record_of([*rr_ms[:300], 3_600_000.0, *rr_ms[300:]]))
    assert found.verdict == "cannot tell"
    assert "no signal" in found.reason


def test_smoothed_intervals_are_refused_unless_asked_for(detector):
    rr_ms = fibrillation(3000, np.random.default_rng(1))
    smooth = np.convolve(rr_ms, np.ones(10) / 10, "valid")
    with pytest.raises(RecordError, match="allow_smoothed"):
        detector.detect(smooth)
    assert detector.detect(smooth, allow_smoothed=True).verdict


def test_an_unknown_mode_is_refused():
    """In a process of its own: here types are checked before the detector can."""
    code = "import pacl; pacl.detect([800, 810, 790], 'forward')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "DetectError" in done.stderr
    assert "look-ahead" in done.stderr


@pytest.mark.parametrize("started", ["9999-12-31T23:00:00", "9998-12-31T23:59:00"])
def test_a_clock_that_leaves_the_calendar_is_refused(detector, started):
    record = record_of(
        sinus(300, np.random.default_rng(0)), started=datetime.fromisoformat(started)
    )
    with pytest.raises(DetectError, match=r"made up: it starts at 999.*correct the date"):
        detector.detect(record)


def test_a_pause_that_leaves_the_calendar_is_refused(detector):
    record = record_of(sinus(300, np.random.default_rng(0)), started=datetime(2024, 1, 1))
    record = replace(record, file_starts=np.array([0, 9]), file_onset_s=np.array([0.0, 1e15]))
    with pytest.raises(DetectError, match="correct the date"):
        detector.detect(record)


def test_a_pause_between_files_ends_an_episode(detector):
    rr_ms = fibrillation(1200, np.random.default_rng(2)).astype(np.float32)
    record = record_of(rr_ms)
    second_s = record.seconds(0, 600) + 3600.0
    parted = replace(record, file_starts=np.array([0, 600]), file_onset_s=np.array([0.0, second_s]))
    found = detector.detect(parted)
    assert len(found.episodes) == 2
    assert sum(one.duration_s for one in found.episodes) == pytest.approx(found.af_s)


def test_a_stream_restarts_after_a_gap():
    stream = StreamDetector()
    generator = np.random.default_rng(0)
    first = [stream.push(x) for x in fibrillation(400, generator).tolist()]
    assert sum(one is not None for one in first) == 5
    assert stream.push(20_000.0) is None
    again = [stream.push(x) for x in sinus(199, generator).tolist()]
    assert all(one is None for one in again)
    assert stream.push(850.0) is not None


@pytest.mark.parametrize("rr_ms", [float("nan"), float("inf"), -1.0])
def test_a_stream_refuses_what_is_no_interval(rr_ms):
    with pytest.raises(DetectError, match="finite numbers from 0 up"):
        StreamDetector().push(rr_ms)


def test_a_stream_does_not_grow():
    stream = StreamDetector()
    for rr_ms in np.tile(sinus(1000, np.random.default_rng(1)), 3).tolist():
        stream.push(rr_ms)
    assert len(stream._kept) == len(stream._at) == WINDOW


def test_steps_take_the_mean_of_the_windows_that_hold_them():
    logits = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    everything = np.ones(5, dtype=bool)
    expected = [1, 1.5, 7 / 3, 15 / 4, 30 / 4, 28 / 3, 12, 16]
    np.testing.assert_allclose(step_logits(logits, everything, WINDOW), expected)
    without = np.array([False, True, True, True, True])
    told = step_logits(logits, without, WINDOW)
    assert np.isnan(told[0])
    np.testing.assert_allclose(told[1:4], [2, 3, 14 / 3])
    assert STRIDE == 50


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
