"""Decisions with marks by hand: computed again from what the networks saw."""

from dataclasses import fields, replace

import numpy as np
import pytest

from pacl.detect import Detector, Mark, NotJudged
from pacl.detect.not_judged import DetectError
from pacl.records import open_records
from support.persons import night
from support.refusals import refused
from support.rhythms import fibrillation, record_of, sinus

GENERATOR = np.random.default_rng


@pytest.fixture(scope="module")
def detector():
    return Detector()


@pytest.fixture(scope="module")
def looked(detector):
    return detector.look(night(0))


def same(one, other):
    """Whether two results are the same to the last bit."""
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if field.name in ("person", "edits"):
            assert a is None
            assert b is None
        elif isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b)
        else:
            assert a == b, field.name
    return True


def edges_s(record, *beats):
    """When beats begin."""
    return [float(one) for one in record.begins_s(np.array(beats))]


def test_looking_and_deciding_is_detecting(detector, looked):
    assert same(detector.decide(looked), detector.detect(night(0)))


def test_without_marks_the_result_is_that_of_before(detector, looked):
    before = detector.decide(looked)
    detector.decide(looked, [Mark("af", 0, 300), Mark("exclude", 400, 500)])
    assert same(detector.decide(looked, []), before)


def test_burden_changes_by_the_marked_beats(detector, looked):
    """AF from beat 1500 to 2100; beats 100 to 200 are marked AF, 1500 to 1800 as no AF."""
    record = looked.record
    before = detector.decide(looked)
    low, high, first, last = edges_s(record, 100, 200, 1500, 1800)
    marks = [Mark("af", low, high), Mark("not-af", first, last)]
    found = detector.decide(looked, marks, learn=False)
    was_s = sum(before.end_s[before.af] - before.start_s[before.af])
    inside = (before.start_s >= first - 1e-6) & (before.end_s <= last + 1e-6) & before.af
    lost_s = (before.end_s - before.start_s)[inside].sum()
    assert lost_s > 100
    assert found.af_s == pytest.approx(was_s + (high - low) - lost_s, abs=1e-6)
    assert found.judged_s == pytest.approx(before.judged_s)
    assert found.af_burden == pytest.approx(found.af_s / found.judged_s)
    assert found.edits is not None
    assert found.edits.without.af_burden == before.af_burden
    assert found.edits.given == 2


def test_a_marked_episode_is_certain(detector):
    """Sinus rhythm that a person calls AF, of 30 s and more; less is possible AF."""
    record = record_of(np.round(sinus(400, GENERATOR(3))))
    looked = detector.look(record)
    assert detector.decide(looked).verdict == "no AF"
    found = detector.decide(looked, [Mark("af", 20, 60)], learn=False)
    assert found.verdict == "AF"
    (episode,) = found.episodes
    assert episode.by_hand
    assert episode.confidence == 1.0
    assert found.to_dict()["episodes"][0]["by_hand"] is True
    short = detector.decide(looked, [Mark("af", 20, 35)], learn=False)
    assert short.verdict == "possible AF"
    assert "by_hand" not in detector.decide(detector.look(night(0))).to_dict()["episodes"][0]


def test_a_mark_makes_a_doubtful_episode_certain(detector, looked):
    """An episode of low confidence, of which 40 s are marked."""
    found = detector.decide(looked, [Mark("af", 20, 60)], learn=False)
    one = replace(found.episodes[0], start_s=0.0, end_s=600.0, confidence=0.6)
    assert replace(found, episodes=(one,)).verdict == "AF"
    assert replace(found, episodes=(replace(one, by_hand_s=20.0),)).verdict == "possible AF"


def test_what_a_person_called_af_is_not_flutter(detector):
    """Two lengths in changing order."""
    generator = GENERATOR(0)
    lengths = generator.choice([440.0, 660.0], 500) + generator.integers(-3, 4, 500)
    record = record_of(np.concatenate([sinus(300, generator), lengths, sinus(300, generator)]))
    looked = detector.look(np.round(record.rr_ms))
    before = detector.decide(looked)
    assert before.verdict == "AF or flutter"
    marks = [Mark("af", one.start_s, one.end_s) for one in before.episodes]
    found = detector.decide(looked, marks, learn=False)
    assert found.verdict == "AF"
    assert not any(one.may_be_flutter for one in found.episodes)


def test_excluded_time_is_not_judged(detector, looked):
    before = detector.decide(looked)
    low, high = edges_s(looked.record, 300, 500)
    found = detector.decide(looked, [Mark("exclude", low, high)])
    (aside,) = found.not_judged
    assert (aside.start_s, aside.end_s, aside.why) == (low, high, "excluded by hand")
    assert found.judged_s == pytest.approx(before.judged_s - (high - low))
    assert found.seen_share == pytest.approx(1 - (high - low) / before.recorded_s, abs=1e-6)
    assert found.recorded_s == before.recorded_s
    assert found.edits is not None
    assert not found.edits.learned


def test_a_recording_that_is_excluded_cannot_be_told(detector, looked):
    found = detector.decide(looked, [Mark("exclude", -5, 1e6)])
    assert found.verdict == "cannot tell"
    assert "excluded by hand" in (found.reason or "")
    assert found.af_burden is None


def test_what_is_excluded_is_the_reason_before_all_others(detector):
    """A third of it has too many implausible beats."""
    bad = np.where(np.arange(200) % 2, 100.0, 900.0)
    rr_ms = np.concatenate([sinus(400, GENERATOR(1)), bad])
    looked = detector.look(record_of(np.round(rr_ms)))
    found = detector.decide(looked, [Mark("exclude", -5, 1e6)])
    assert found.reason == "nothing can be judged: excluded by hand"
    assert [one.why for one in found.not_judged] == ["excluded by hand"]


def test_a_gap_in_noise_stays_as_it_is(detector):
    """A person marks AF over noise in which there is no signal for 20 s."""
    rr_ms = np.concatenate([sinus(100, GENERATOR(0)), [20_000.0], sinus(100, GENERATOR(1))])
    record = record_of(np.round(rr_ms))
    low, first, last, high = edges_s(record, 80, 100, 101, 120)
    record = replace(record, not_judged=(NotJudged(low, high, "noise"),))
    found = detector.decide(detector.look(record), [Mark("af", 0, 1000)], learn=False)
    assert [(one.start_s, one.end_s, one.why) for one in found.not_judged] == [
        (first, last, "noise")
    ]


def test_noise_that_a_person_marked_is_judged(detector):
    """Noise from beat 200 to 400; a person has seen AF from beat 300 to 450 in it."""
    record = record_of(np.round(sinus(800, GENERATOR(1))))
    low, high, first, last = edges_s(record, 200, 400, 300, 450)
    record = replace(record, not_judged=(NotJudged(low, high, "noise"),))
    looked = detector.look(record)
    found = detector.decide(looked, [Mark("af", first, last)], learn=False)
    assert [(one.start_s, one.end_s, one.why) for one in found.not_judged] == [
        (low, first, "noise")
    ]
    assert found.af_s == pytest.approx(last - first)
    assert found.judged_s == pytest.approx(found.recorded_s - (first - low))
    assert found.seen_s == pytest.approx(found.judged_s)


def test_excluding_over_noise_keeps_stretches_apart(detector):
    record = record_of(np.round(sinus(800, GENERATOR(1))))
    low, high, first, last = edges_s(record, 200, 400, 300, 450)
    record = replace(record, not_judged=(NotJudged(low, high, "noise"),))
    found = detector.decide(detector.look(record), [Mark("exclude", first, last)])
    assert [(one.start_s, one.end_s, one.why) for one in found.not_judged] == [
        (low, first, "noise"),
        (first, last, "excluded by hand"),
    ]


def test_too_few_beats_that_a_person_marked_are_judged_but_no_gap(detector):
    """30 beats, a gap of 20 s, 30 beats: too few for the detector."""
    rr_ms = np.concatenate([sinus(30, GENERATOR(0)), [20_000.0], sinus(30, GENERATOR(1))])
    looked = detector.look(record_of(np.round(rr_ms)))
    assert detector.decide(looked).verdict == "cannot tell"
    found = detector.decide(looked, [Mark("af", 0, 1000)])
    assert found.af_s == pytest.approx(looked.record.duration_s - 20.0, abs=1e-3)
    assert found.seen_s == pytest.approx(found.af_s)
    assert [one.why for one in found.not_judged] == ["no signal"]
    assert len(found.episodes) == 2
    assert found.edits is not None
    assert "too short" in found.edits.notices[0]


def test_weights_of_windows_follow_the_marks_beat_by_beat():
    detector = Detector("af-rr200")
    generator = GENERATOR(0)
    record = record_of(np.round(sinus(600, generator)))
    looked = detector.look(record)
    before = detector.decide(looked)
    low, high, first, last = edges_s(record, 213, 341, 400, 417)
    found = detector.decide(looked, [Mark("af", low, high), Mark("exclude", first, last)])
    assert found.af_s == pytest.approx(before.af_s + high - low)
    assert found.judged_s == pytest.approx(before.judged_s - (last - first))
    assert [one.why for one in found.not_judged] == ["excluded by hand"]
    assert found.edits is not None
    assert "cannot learn a person" in found.edits.notices[0]


@pytest.mark.parametrize("mode", ["look-ahead", "causal"])
def test_a_profile_is_learned_from_marks(detector, first, mode):
    looked = detector.look(first, mode)
    found = detector.decide(looked, [Mark("sinus", 60, 960), Mark("af", 70, 75)])
    assert found.edits is not None
    assert found.edits.learned
    assert found.person is not None
    assert found.person.applied
    assert found.person.evidence.sinus.amount > 14
    assert len(found.edits.notices) == 1
    unlearned = detector.decide(looked, [Mark("sinus", 60, 960)], learn=False)
    assert unlearned.person is None


def test_a_detector_that_did_not_look_cannot_decide(looked):
    with refused(DetectError, "made up", "look"):
        Detector(operating_point="specific").decide(looked)


def test_marks_count_over_a_pause_between_files(detector):
    """A pause of 100 s between two files: no excluded stretch lies in it."""
    rr_ms = np.round(sinus(400, GENERATOR(2)))
    record = record_of(rr_ms)
    begins = float(record.begins_s(np.array([200]))[0])
    record = replace(
        record,
        file_starts=np.array([0, 200]),
        file_onset_s=np.array([0.0, begins + 100.0]),
    )
    found = detector.decide(detector.look(record), [Mark("exclude", begins - 20, begins + 120)])
    assert [one.why for one in found.not_judged] == ["excluded by hand"] * 2
    assert found.not_judged[0].end_s == pytest.approx(begins)
    assert found.not_judged[1].start_s == pytest.approx(begins + 100)


@pytest.mark.real
def test_a_real_verdict_follows_the_marks(detector, data):
    """LTAFDB 08: a few short episodes of AF, marked as none; then one marked as AF again."""
    record = open_records(data / "ltafdb" / "08").read("08")
    looked = detector.look(record)
    before = detector.decide(looked)
    assert before.verdict == "AF"
    denied = [Mark("not-af", one.start_s, one.end_s) for one in before.episodes]
    found = detector.decide(looked, denied, learn=False)
    assert (found.verdict, found.af_burden) == ("no AF", 0.0)
    longest = max(before.episodes, key=lambda one: one.duration_s)
    marks = [*denied, Mark("af", longest.start_s, longest.end_s)]
    again = detector.decide(looked, marks, learn=False)
    assert again.verdict == "AF"
    assert again.af_s == pytest.approx(longest.judged_s)
    assert same(detector.decide(looked), before)


def test_what_is_denied_has_the_probability_0(detector):
    looked = detector.look(record_of(np.round(fibrillation(300, GENERATOR(1)))))
    assert detector.decide(looked).verdict == "AF"
    found = detector.decide(looked, [Mark("sinus", 0, 1000)], learn=False)
    assert found.verdict == "no AF"
    assert not found.probability.any()
