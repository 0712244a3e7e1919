"""Recordings judged beat by beat: the right times, nothing said without ground."""

import math
import subprocess
import sys
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from pacl.detect import DetectError, Detector
from pacl.records import RecordError, Rhythm, open_records
from pacl.records.simulate import simulate_cohort
from support.refusals import refused
from support.rhythms import fibrillation, record_of, sinus

NEEDED = 60
JUNK = [2500.0, 100.0] * 300


@pytest.fixture(scope="module")
def detector():
    return Detector()


@pytest.fixture(scope="module")
def mixed():
    """Sinus rhythm, AF, a gap, AF, a few beats between two gaps, sinus rhythm, stray beats."""
    generator = np.random.default_rng(3)
    rr_ms = np.concatenate(
        [
            sinus(500, generator),
            fibrillation(403, generator),
            [60_000.0],
            fibrillation(211, generator),
            [15_000.0],
            sinus(40, generator),
            [15_000.0],
            sinus(277, generator),
        ]
    )
    rr_ms[generator.integers(0, 450, 10)] = 2500.0
    return record_of(rr_ms)


def test_it_finds_what_is_there(detector, mixed):
    found = detector.detect(mixed)
    af_s = mixed.seconds(500, 903) + mixed.seconds(904, 1115)
    assert (found.verdict, found.weights) == ("AF", "af-beats")
    assert len(found.episodes) == 2  # a gap parts them
    assert found.af_s == pytest.approx(af_s, rel=0.1)
    assert found.af_burden == pytest.approx(found.af_s / found.judged_s)
    assert found.episodes[0].start_s == pytest.approx(mixed.seconds(0, 500), abs=20)
    assert min(one.confidence for one in found.episodes) > 0.8


@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
def test_every_beat_is_judged_and_what_is_not_is_told(detector, mixed, mode):
    found = detector.detect(mixed, mode)
    whys = [one.why for one in found.not_judged]
    assert sorted(whys) == ["fewer than 60 plausible beats in a row", *["no signal"] * 3]
    assert found.probability.size == len(mixed) - 3 - 40
    assert found.quality.not_judged == pytest.approx(43 / len(mixed))
    assert found.quality.gaps == 3
    told_s = sum(one.end_s - one.start_s for one in found.not_judged)
    assert told_s + found.judged_s == pytest.approx(found.duration_s)
    assert found.seen_s == pytest.approx(found.judged_s)


@pytest.mark.parametrize("beats", [59, 60, 61, 69, 70, 71, 79, 80, 200, 201])
@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
def test_sixty_beats_are_enough_to_judge_all_of_them(detector, beats, mode):
    found = detector.detect(fibrillation(beats, np.random.default_rng(1)), mode)
    assert found.probability.size == (beats if beats >= NEEDED else 0)
    assert (found.af_burden is None) == (beats < NEEDED)
    assert np.all((found.probability > 0) & (found.probability < 1))
    if beats >= NEEDED:
        assert found.verdict == "AF"


@pytest.mark.parametrize(
    ("rr_ms", "why", "reason"),
    [
        ([800.0], "fewer than 60", "needs 60 plausible beats (200-2000 ms) in a row"),
        ([800.0] * 43 + [11_000.0] + [790.0] * 20, "fewer than 60", "longest run has 43"),
        ([0.8] * 500, "fewer than 60", "none of 500 intervals lies within 200-2000 ms"),
        ([800.0] * 500, "repeats itself", "100 % of it: the signal repeats itself"),
        ([800.0, 2500.0, 810.0] * 99, "implausible beats", "more than 20 implausible"),
        ([60_000.0] * 5, "no signal", "every interval is longer than 10 s"),
    ],
    ids=["one beat", "too few", "seconds", "a test signal", "a third lost", "gaps alone"],
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
    assert (told["judged_share"], told["quality"]["needed_beats"]) == (0.0, NEEDED)


def test_little_that_was_judged_is_no_ground_to_say_no_af(detector):
    generator = np.random.default_rng(5)
    found = detector.detect(record_of([*sinus(250, generator), *JUNK]))
    assert found.af_burden == 0.0
    assert found.seen_share < 0.5
    assert found.verdict == "cannot tell"
    assert f"{math.floor(1000 * found.seen_share) / 10:.1f} %" in found.reason
    assert "50 %" in found.reason
    assert "too many implausible beats" in found.reason
    assert found.to_dict()["least_seen_share"] == 0.5
    more = detector.detect(record_of([*sinus(1200, generator), *JUNK]))
    assert more.seen_share > 0.5
    assert (more.verdict, more.reason) == ("no AF", None)


def test_smoothed_intervals_are_refused_unless_asked_for(detector):
    rr_ms = fibrillation(1000, np.random.default_rng(1))
    smooth = np.convolve(rr_ms, np.ones(10) / 10, "valid")
    with refused(RecordError, "allow_smoothed"):
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
    with refused(DetectError, "made up", started[:4], 9999):
        detector.detect(record)


def test_a_pause_that_leaves_the_calendar_is_refused(detector):
    record = record_of(sinus(300, np.random.default_rng(0)), started=datetime(2024, 1, 1))
    record = replace(record, file_starts=np.array([0, 9]), file_onset_s=np.array([0.0, 1e15]))
    with refused(DetectError, "2024", 9999):
        detector.detect(record)


def test_a_pause_between_files_ends_an_episode(detector):
    rr_ms = fibrillation(400, np.random.default_rng(2)).astype(np.float32)
    record = record_of(rr_ms)
    second_s = record.seconds(0, 200) + 3600.0
    parted = replace(record, file_starts=np.array([0, 200]), file_onset_s=np.array([0.0, second_s]))
    found = detector.detect(parted)
    assert len(found.episodes) == 2
    assert sum(one.duration_s for one in found.episodes) == pytest.approx(found.af_s)


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


def test_simulated_patients_are_judged_as_they_are(detector):
    for made in simulate_cohort(patients=2, seed=4):
        record = made.record
        truth = sum(record.seconds(s.start, s.stop) for s in record.spans if s.rhythm is Rhythm.AF)
        found = detector.detect(record)
        assert found.af_burden == pytest.approx(truth / record.duration_s, abs=0.03)


def test_af_that_was_found_stays_af_however_little_was_judged(detector):
    rr_ms = fibrillation(250, np.random.default_rng(5)).tolist()
    found = detector.detect(record_of([*rr_ms, *JUNK]))
    assert found.seen_share < 0.5
    assert (found.verdict, found.reason) == ("AF", None)


@pytest.mark.parametrize("rhythm", [sinus, fibrillation])
def test_intervals_as_whole_numbers_are_judged_alike(detector, rhythm):
    rr_ms = rhythm(300, np.random.default_rng(0)).astype(np.int32)
    whole = replace(record_of(rr_ms), rr_ms=rr_ms)
    one, other = detector.detect(whole), detector.detect(record_of(rr_ms))
    assert one.probability.tolist() == other.probability.tolist()


@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
def test_stretches_are_judged_as_if_alone(detector, mode):
    """Nothing is seen across a gap, or across files."""
    generator = np.random.default_rng(0)
    one, other = fibrillation(150, generator), sinus(137, generator)
    alone = [detector.detect(record_of(each), mode).probability for each in (one, other)]
    gap = detector.detect(record_of([*one, 20_000.0, *other]), mode)
    assert gap.probability.tolist() == np.concatenate(alone).tolist()
    both = record_of([*one, *other])
    onset_s = np.array([0.0, both.seconds(0, 150)])
    files = replace(both, file_starts=np.array([0, 150]), file_onset_s=onset_s)
    assert detector.detect(files, mode).probability.tolist() == np.concatenate(alone).tolist()
    assert detector.detect(both, mode).probability.tolist() != np.concatenate(alone).tolist()


@pytest.mark.parametrize("least_s", [-1.0, float("nan"), float("inf")])
def test_a_shortest_duration_must_be_seconds(least_s):
    with refused(DetectError, "min_duration_s", str(least_s)):
        Detector(min_duration_s=least_s)


def test_operating_points_differ_in_how_much_is_called(detector):
    generator = np.random.default_rng(2)
    rr_ms = np.concatenate([sinus(200, generator), fibrillation(14, generator)] * 6)
    burdens = [
        Detector(operating_point=point).detect(rr_ms).af_burden
        for point in ("sensitive", "balanced", "specific")
    ]
    assert burdens == sorted(burdens, reverse=True)
    assert burdens[0] > burdens[2]


@pytest.mark.real
def test_recordings_that_were_learned_from_are_known(detector, data):
    reader = open_records(data / "mitdb" / "201")
    record = reader.read(reader.record_ids[0])
    assert detector.detect(record).learned_from
    assert detector.detect(record.rr_ms[300:1500] * 2).learned_from  # a part, by another clock
    assert not detector.detect(next(iter(simulate_cohort(patients=1, seed=5))).record).learned_from
