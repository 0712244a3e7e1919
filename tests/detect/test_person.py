"""A profile: its file, what it changes, and when it is set aside."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from pacl.adaptation import Correction, Evidence
from pacl.detect import (
    BeatJudge,
    DetectError,
    Detector,
    Person,
    groups_of,
    new_person,
)
from pacl.detect.person_check import MOST_UNLIKE, check_person, step_ms
from support.persons import GENERATOR, night, with_evidence
from support.refusals import refused
from support.rhythms import fibrillation, record_of, sinus


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
