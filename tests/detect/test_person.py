"""One person: learned from a recording, kept as a small file, used for others."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import pacl
from pacl.adaptation import Correction, Evidence, Unlabelled
from pacl.detect import (
    BeatJudge,
    DetectError,
    Detector,
    Person,
    PersonEvidence,
    SinusRhythm,
    StreamDetector,
    adapt,
    find_artifact,
    groups_of,
    new_person,
)
from pacl.detect.learn_person import Marks
from pacl.detect.person_check import MOST_UNLIKE, check_person, step_ms
from pacl.detect.stream_person import UPDATE_GROUPS
from support.refusals import refused
from support.rhythms import fibrillation, heard, record_of, sinus

GENERATOR = np.random.default_rng


def night(seed=0, sinus_beats=1500, af_beats=600):
    """Sinus rhythm, AF, sinus rhythm; AF from minute 21 on."""
    generator = GENERATOR(seed)
    parts = [
        sinus(sinus_beats, generator),
        fibrillation(af_beats, generator),
        sinus(sinus_beats, generator),
    ]
    return replace(record_of(np.round(np.concatenate(parts))), digest=f"night {seed}")


@pytest.fixture(scope="module")
def first():
    return night(0)


@pytest.fixture(scope="module")
def me(first):
    return adapt(first, sinus=[(60, 660)])


@pytest.fixture(scope="module")
def artifact():
    return find_artifact("af-beats")


def with_evidence(**evidence):
    """A profile with the same evidence in both modes."""
    one = PersonEvidence(**evidence)
    return replace(new_person(), evidence={"look-ahead": one, "causal": one})


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


def test_the_file_is_small_and_read_back(me, tmp_path):
    path = tmp_path / "me.json"
    path.write_text(me.to_json())
    assert Person.read(path).to_json() == me.to_json()
    assert path.stat().st_size < 4000
    stated = json.loads(path.read_text())
    assert stated["format"] == "pacl person 1"
    assert stated["weights"] == "af-beats"
    assert len(_numbers(stated)) < 60, "more than sums: is a recording in it?"


def _numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [one for inner in value for one in _numbers(inner)]
    return [value] if isinstance(value, float | int) and not isinstance(value, bool) else []


@pytest.mark.parametrize(
    "change",
    [
        {"format": "pacl person 9"},
        {"weights": 3},
        {"evidence": {"sideways": {}}},
        {"evidence": {"causal": {"sinus": {"amount": -1.0, "mean": 0.0}}}},
        {
            "evidence": {
                "causal": {"wearing": {"amount": 1.0, "sure": {"amount": 2.0, "mean": -3.0}}}
            }
        },
        {"recordings": [{"digest": "0", "started": "soon", "added": "now", "step_ms": 1.0}]},
        {"more": 1},
        {"evidence": {"causal": {"sinus": {"amount": 9.0, "mean": -1e6}}}},
        {
            "evidence": {
                "causal": {"wearing": {"amount": 9.0, "sure": {"amount": 1.0, "mean": 9.0}}}
            }
        },
        {"evidence": {"causal": {"baseline": {"minutes": 9.0, "log_rr": 1e4}}}},
        {"evidence": {"causal": {"corrections": [{"target": True, "log_odds": 1e300}]}}},
        {"evidence": {"causal": {"corrections": [{"target": True, "log_odds": 1.0}] * 1001}}},
    ],
)
def test_a_profile_that_was_spoilt_is_refused(me, tmp_path, change):
    path = tmp_path / "me.json"
    path.write_text(json.dumps(json.loads(me.to_json()) | change))
    with refused(DetectError, path, "pacl adapt"):
        Person.read(path)


def test_without_evidence_the_result_is_the_same_to_the_bit(first):
    plain, empty = Detector().detect(first), Detector(person=new_person()).detect(first)
    for one in (empty.person.without, empty.person.adapted):
        np.testing.assert_array_equal(one.probability, plain.probability)
        np.testing.assert_array_equal(one.af, plain.af)
    assert not empty.person.applied
    assert empty.person.check.notices[0].kind == "nothing learned"


def test_sinus_rhythm_near_af_moves_the_boundary_up_and_far_from_it_down(first):
    for mean, higher in ((-4.0, True), (-9.0, False)):
        person = with_evidence(sinus=Evidence(60.0, mean))
        found = Detector(person=person).detect(first).person
        assert (found.own.boundary > 0) == higher
        assert (found.adapted.probability < found.without.probability)[
            (found.without.probability > 0.01) & (found.without.probability < 0.9)
        ].all() == higher


def test_corrections_move_all_log_odds(first):
    called = with_evidence(corrections=(Correction(False, 3.0),) * 5)
    found = Detector(person=called).detect(first).person
    assert found.own.shift < -0.5
    assert found.adapted.af_s <= found.without.af_s


@pytest.mark.parametrize(("target", "log_odds"), [(False, 6.0), (True, -7.0)])
def test_mistaken_corrections_are_noticed_and_bounded(first, target, log_odds):
    person = with_evidence(corrections=(Correction(target, log_odds),) * 50)
    found = Detector(person=person).detect(first).person
    assert abs(found.own.shift) <= 3.0
    assert "corrections in doubt" in [one.kind for one in found.check.notices]
    assert found.adapted.verdict == "AF"
    right = with_evidence(corrections=(Correction(target, -log_odds),))
    kinds = [one.kind for one in Detector(person=right).detect(first).person.check.notices]
    assert "corrections in doubt" not in kinds


@pytest.mark.parametrize("point", ["sensitive", "balanced", "specific"])
def test_the_operating_point_is_no_evidence(first, artifact, point):
    balanced = groups_of(BeatJudge(artifact), first, "look-ahead").log_odds
    np.testing.assert_array_equal(
        groups_of(BeatJudge(artifact, point), first, "look-ahead").log_odds, balanced
    )


def test_both_results_are_given_and_it_can_be_switched_off(me):
    later = night(7)
    used, off = (Detector(person=me, use_person=on).detect(later) for on in (True, False))
    assert used.person.applied
    assert used.probability.tolist() == used.person.adapted.probability.tolist()
    assert off.person.why_not == "switched off"
    assert off.probability.tolist() == off.person.without.probability.tolist()
    stated = used.to_dict()["person"]
    assert stated["with_profile"]["verdict"] == "AF"
    assert stated["without_profile"]["af_burden"] == used.person.without.af_burden
    assert stated["evidence"]["sinus_min"] == pytest.approx(10, abs=0.5)
    assert "person" not in Detector().detect(later).to_dict()
    json.dumps(stated, allow_nan=False)


def test_where_the_detector_cannot_tell_a_profile_decides_nothing(me):
    generator = GENERATOR(3)
    noise = generator.choice([100.0, 150.0, 2500.0], 6000)
    rr_ms = np.concatenate([sinus(200, generator), noise])
    found = Detector(person=me).detect(record_of(rr_ms))
    assert found.verdict == "cannot tell"
    assert not found.person.applied
    assert "cannot tell" in found.person.why_not


def test_a_profile_learned_in_af_is_set_aside(first):
    person = with_evidence(sinus=Evidence(10.0, -2.0))
    found = Detector(person=person).detect(first)
    assert not found.person.applied
    assert "looks like AF" in found.person.why_not
    assert found.verdict == found.person.without.verdict == "AF"


def test_permanent_af_teaches_nothing_and_changes_nothing():
    always = replace(record_of(np.round(fibrillation(4000, GENERATOR(5)))), digest="always")
    person = adapt(always)
    assert not person.of("look-ahead").wearing.usable
    found = Detector(person=person).detect(night(9))
    np.testing.assert_array_equal(found.person.adapted.af, found.person.without.af)
    assert "mostly AF" in [one.kind for one in found.person.check.notices]


def test_an_unlike_sinus_rhythm_is_noticed(me, artifact):
    judge = BeatJudge(artifact)
    prior = artifact.prior("look-ahead")
    same = night(11)
    other = replace(record_of(np.round(1.9 * sinus(3000, GENERATOR(1)))), digest="another person")
    for record, unlike in ((same, False), (other, True)):
        groups = groups_of(judge, record, "look-ahead")
        found = check_person(me, "look-ahead", prior, record, groups)
        assert (found.unlike > MOST_UNLIKE) == unlike
        assert found.fits != unlike
        assert ("unlike" in [one.kind for one in found.notices]) == unlike


def test_too_little_sinus_rhythm_is_not_compared(me):
    found = Detector(person=me).detect(record_of(np.round(fibrillation(900, GENERATOR(2)))))
    assert found.person.check.unlike is None
    assert "not compared" in [one.kind for one in found.person.check.notices]


@pytest.mark.parametrize(("days", "old"), [(10, False), (500, True), (-500, True)])
def test_a_profile_long_out_of_date_is_noticed(me, days, old):
    then = datetime(2026, 3, 1, 22, 0, tzinfo=UTC)
    dated = replace(me, recordings=(replace(me.recordings[0], started=then.isoformat()),))
    record = replace(night(2), started=then + timedelta(days=days))
    kinds = [one.kind for one in Detector(person=dated).detect(record).person.check.notices]
    assert ("out of date" in kinds) == old


def test_another_device_and_the_same_recording_are_noticed(me, first):
    kinds = [one.kind for one in Detector(person=me).detect(first).person.check.notices]
    assert "same recording" in kinds
    assert "another device" not in kinds
    coarse = replace(first, rr_ms=np.round(first.rr_ms / 8).astype(np.float32) * 8, digest="8 ms")
    assert step_ms(first) == 1.0
    assert step_ms(coarse) == 8.0
    kinds = [one.kind for one in Detector(person=me).detect(coarse).person.check.notices]
    assert "another device" in kinds
    assert "same recording" not in kinds


def test_a_stream_of_a_person_is_as_the_causal_mode():
    person = with_evidence(sinus=Evidence(30.0, -4.0), corrections=(Correction(True, -1.0),))
    record = night(4, 300, 200)
    whole = Detector(person=person).detect(record, "causal").person.adapted
    plain = heard(StreamDetector(), record.rr_ms)
    found = heard(StreamDetector(person=person), record.rr_ms)
    assert [one.probability for one in found] == whole.probability.tolist()
    assert [one.af for one in found] == whole.af.tolist()
    assert [one.probability for one in found] != [one.probability for one in plain]


def test_a_stream_goes_on_learning():
    record = night(4, 900, 300)
    stream = StreamDetector(person=new_person(), learn=True)
    found = heard(stream, record.rr_ms)
    learned = stream.person.of("causal")
    whole = adapt(record).of("causal")
    plain = [one.probability for one in heard(StreamDetector(), record.rr_ms)]
    own = [one.probability for one in found]
    assert own[:50] == plain[:50]  # before anything was learned
    assert own[-300:] != plain[-300:]  # what was learned acts on later beats
    assert learned.wearing.amount == pytest.approx(whole.wearing.amount, rel=0.05)
    assert learned.wearing.sure.mean == pytest.approx(whole.wearing.sure.mean, abs=0.3)
    assert learned.baseline.rate == pytest.approx(whole.baseline.rate, rel=0.02)
    still = StreamDetector(person=new_person())
    assert [one.af for one in heard(still, record.rr_ms)] == [
        one.af for one in heard(StreamDetector(), record.rr_ms)
    ]
    assert still.person == new_person()


def test_a_stream_learns_from_the_population_and_only_from_what_can_be_judged():
    generator = GENERATOR(8)
    calm, noise = sinus(900, generator), generator.choice([100.0, 2500.0], 600)
    person = with_evidence(sinus=Evidence(60.0, -3.5))
    streams = [StreamDetector(person=one, learn=True) for one in (person, new_person())]
    for stream in streams:
        heard(stream, np.concatenate([calm, noise]))
    moved, plain = (stream.person.of("causal").wearing for stream in streams)
    assert moved == plain  # the log odds that are learned are those of everybody
    assert plain.amount < 900 * 0.85 / 60


def test_a_stream_learns_across_a_gap_in_bounded_memory():
    record = night(4, 900, 300)
    stream = StreamDetector(person=new_person(), learn=True)
    for part in (record.rr_ms[:1000], [20_000.0], record.rr_ms[1000:]):
        for rr_ms in part:
            stream.push(float(rr_ms))
    whole = adapt(record).of("causal").wearing
    assert stream.person.of("causal").wearing.amount == pytest.approx(whole.amount, rel=0.1)
    assert len(stream._who._waiting) <= UPDATE_GROUPS


def test_the_beats_of_a_stream_are_recognised_later():
    record = night(4, 900, 300)
    stream = StreamDetector(person=new_person(), learn=True)
    heard(stream, record.rr_ms)
    (recording,) = stream.person.recordings
    assert recording.wearing_min == stream.person.of("causal").wearing.amount
    with refused(DetectError, "already", "wearing"):
        adapt(record, person=stream.person)
    kinds = [
        one.kind for one in Detector(person=stream.person).detect(night(5)).person.check.notices
    ]
    assert kinds[0] == "nothing learned"  # in a stream, so for streams


def test_a_stream_sets_a_profile_aside_as_a_recording_does(me):
    record = night(4, 300, 200)
    plain = [one.probability for one in heard(StreamDetector(), record.rr_ms)]
    in_af = StreamDetector(person=with_evidence(sinus=Evidence(10.0, -2.0)))
    assert [one.probability for one in heard(in_af, record.rr_ms)] == plain
    assert [one.kind for one in in_af.notices] == ["learned in AF"]
    other = StreamDetector(person=me)
    slow = np.round(2.2 * sinus(1200, GENERATOR(1)))
    found = [one.probability for one in heard(other, slow)]
    assert [one.kind for one in other.notices] == ["unlike"]
    plain = [one.probability for one in heard(StreamDetector(), slow)]
    assert found[-200:] == plain[-200:]
    assert found[:100] != plain[:100]  # before there was enough to compare


def test_learning_needs_a_profile():
    with refused(DetectError, "person="):
        StreamDetector(learn=True)
    assert StreamDetector().person is None


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
