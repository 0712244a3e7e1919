"""Learning one person from recordings: marks, unlabelled wearing, corrections."""

import math
from dataclasses import replace

import numpy as np
import pytest

import pacl
from pacl.adaptation import Unlabelled
from pacl.detect import (
    BeatJudge,
    DetectError,
    Detector,
    Person,
    SinusRhythm,
    adapt,
    groups_of,
)
from pacl.detect.learn_evidence import Marks
from support.persons import GENERATOR, night
from support.refusals import refused
from support.rhythms import fibrillation, record_of, sinus


def test_the_minutes_that_were_marked_are_learned(me):
    for mode in ("look-ahead", "causal"):
        found = me.of(mode)
        assert 9.5 < found.sinus.amount <= 10.0
        assert found.sinus.mean < -2.2
        assert found.wearing == Unlabelled()
        assert found.baseline.minutes == found.sinus.amount
    assert me.of("look-ahead").baseline.rate == pytest.approx(60_000 / 850, rel=0.01)


def test_near_marks_the_same_is_seen_as_in_the_whole_recording(first, artifact):
    judge = BeatJudge(artifact)
    for mode in ("look-ahead", "causal"):
        whole = groups_of(judge, first, mode)
        part = groups_of(judge, first, mode, Marks(sinus=[(900, 1200)]))
        inside = np.flatnonzero((whole.first >= 1100) & (whole.first < 1300))
        same = np.isin(part.first, whole.first[inside])
        assert same.sum() == inside.size
        np.testing.assert_array_equal(part.log_odds[same], whole.log_odds[inside])


def test_evidence_of_two_recordings_adds_up(me):
    both = adapt(night(1), sinus=[(0, 300)], person=me)
    assert both.of("causal").sinus.amount == pytest.approx(
        me.of("causal").sinus.amount + 5, abs=0.3
    )
    assert len(both.recordings) == 2
    assert both.recordings[1].sinus_min == pytest.approx(5, abs=0.3)


def test_the_same_beats_count_once(first, me):
    elsewhere = replace(first, source="another file", digest="other")
    with refused(DetectError, "another file", "already", "0:01:00"):
        adapt(elsewhere, sinus=[(60, 660)], person=me)
    with refused(DetectError, "already"):
        adapt(first, person=me)
    worn = adapt(first)
    with refused(DetectError, "already", "wearing"):
        adapt(first, person=worn)


def test_a_recording_of_the_profile_can_be_corrected_later(first, me):
    more = adapt(first, not_af=[(700, 800)], person=me)
    (recording,) = more.recordings
    assert recording.corrections == 1
    assert recording.marks == ((60.0, 660.0), (700.0, 800.0))
    assert more.of("causal").sinus == me.of("causal").sinus
    assert len(adapt(first, not_af=[(100, 200)], person=adapt(first)).recordings) == 1


def test_without_marks_all_is_unlabelled(first):
    found = adapt(first).of("look-ahead")
    assert found.sinus.amount == 0
    assert found.wearing.amount == pytest.approx(first.duration_s / 60, abs=1)
    assert 0.7 < found.wearing.share < 0.95  # the rest is AF
    assert found.wearing.usable


def test_marks_and_the_rest_are_kept_apart(first):
    found = adapt(first, sinus=[(60, 660)], wearing=True).of("look-ahead")
    total = found.sinus.amount + found.wearing.amount
    assert total <= first.duration_s / 60
    assert total == pytest.approx(first.duration_s / 60, abs=1)


def test_corrections_keep_their_log_odds(first):
    found = adapt(first, af=[(1300, 1400)], not_af=[(100, 200)]).of("look-ahead")
    wrong, right = found.corrections[1], found.corrections[0]
    assert (right.target, wrong.target) == (True, False)
    assert right.log_odds > 0 > wrong.log_odds
    assert found.wearing.amount == 0


@pytest.mark.parametrize(
    ("marks", "facts"),
    [
        ({"sinus": [(300, 300)]}, ("--sinus", "0:05:00", "empty")),
        ({"af": [(99_000, 99_900)]}, ("--af", "27:30:00", "not in the recording")),
        ({"sinus": [(0, 300)], "not_af": [(200, 400)]}, ("--sinus", "--not-af", "0:03:20")),
        ({"sinus": [(10, 12)]}, ("--sinus", "12 s")),
        ({"sinus": [(0, math.nan)]}, ("--sinus", "nan")),
        ({"sinus": [(2000, 9000)]}, ("--sinus", "2:30:00", "not in the recording")),
    ],
)
def test_marks_that_cannot_be_used(first, marks, facts):
    with refused(DetectError, "made up", *facts):
        adapt(first, **marks)


def test_what_teaches_nothing_is_refused():
    for rr_ms, why in ((sinus(30, GENERATOR(0)), "60"), (np.full(900, 800.0), "repeats")):
        with refused(DetectError, "made up", "nothing can be learned", why):
            adapt(record_of(rr_ms))


def test_implausible_beats_do_not_describe_a_person(first):
    spoilt = first.rr_ms.copy()
    spoilt[::15] = 3000.0
    clean, dirty = (
        adapt(one).of("look-ahead").baseline
        for one in (first, replace(first, rr_ms=spoilt, digest="spoilt"))
    )
    assert dirty.rate == pytest.approx(clean.rate, rel=0.02)
    assert dirty.variation == pytest.approx(clean.variation, rel=0.2)


def test_weights_that_cannot_learn_a_person(first, me):
    with refused(DetectError, "af-rr200", "af-beats"):
        adapt(first, weights="af-rr200")
    with refused(DetectError, "af-rr200", "profile"):
        Detector("af-rr200", person=me)
    with refused(DetectError, "other weights"):
        Detector(person=replace(me, networks="0"))


@pytest.mark.parametrize("point", ["sensitive", "balanced", "specific"])
def test_the_operating_point_is_no_evidence(first, artifact, point):
    balanced = groups_of(BeatJudge(artifact), first, "look-ahead").log_odds
    np.testing.assert_array_equal(
        groups_of(BeatJudge(artifact, point), first, "look-ahead").log_odds, balanced
    )


def test_permanent_af_teaches_nothing_and_changes_nothing():
    always = replace(record_of(np.round(fibrillation(4000, GENERATOR(5)))), digest="always")
    person = adapt(always)
    assert not person.of("look-ahead").wearing.usable
    found = Detector(person=person).detect(night(9))
    np.testing.assert_array_equal(found.person.adapted.af, found.person.without.af)
    assert "mostly AF" in [one.kind for one in found.person.check.notices]


def test_from_plain_intervals(first):
    person = pacl.adapt(first.rr_ms, sinus=[(60, 660)])
    assert pacl.detect(first.rr_ms, person=person).person.applied
    assert person.of("causal") == adapt(first, sinus=[(60, 660)]).of("causal")


def test_a_profile_may_be_a_file(first, me, tmp_path):
    path = tmp_path / "me.json"
    path.write_text(me.to_json())
    assert len(adapt(night(1), person=path).recordings) == 2
    assert Detector(person=path).person == Person.read(path)
    assert Detector().of(str(path)).person == Person.read(path)


def test_the_same_groups_in_parts_describe_the_same_rhythm(first, artifact):
    groups = groups_of(BeatJudge(artifact), first, "look-ahead")
    half = np.arange(groups.first.size) % 2 == 0
    once = SinusRhythm().plus(groups)
    twice = SinusRhythm().plus(groups.those(half)).plus(groups.those(~half))
    assert twice.minutes == pytest.approx(once.minutes)
    assert twice.log_variation == pytest.approx(once.log_variation)
    assert once.variation > 0


def test_corrections_are_bounded(first, me, monkeypatch):
    monkeypatch.setattr("pacl.detect.learn_person.MOST_CORRECTIONS", 1)
    with refused(DetectError, "made up", 1, "corrections"):
        adapt(first, not_af=[(700, 760), (800, 860)], person=me)


def test_a_span_ends_where_its_beats_end(first):
    """Also where some of them are implausible: their time passes, but teaches nothing."""
    spoilt = first.rr_ms.copy()
    spoilt[100:400:10] = 2500.0
    record = replace(first, rr_ms=spoilt, digest="spoilt")
    ends_s = record.onset_s()[400]
    found = adapt(record, sinus=[(0.0, float(ends_s))]).of("look-ahead").sinus
    plausible = spoilt[:400][spoilt[:400] <= 2000]
    assert found.amount == pytest.approx(plausible.sum() / 60_000, rel=1e-4)
