"""One person in a stream: the same decisions, the same checks, and learning."""

import numpy as np
import pytest

from pacl.adaptation import Correction, Evidence
from pacl.detect import (
    DetectError,
    Detector,
    StreamDetector,
    adapt,
    new_person,
)
from pacl.detect.stream_person import UPDATE_GROUPS
from support.persons import GENERATOR, night, with_evidence
from support.refusals import refused
from support.rhythms import heard, sinus


@pytest.fixture(scope="module")
def me(first):
    return adapt(first, sinus=[(60, 960)])


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
    calm, noise = sinus(900, generator), np.tile([800.0, 2500.0], 300)  # half is plausible
    person = with_evidence(sinus=Evidence(60.0, -3.5))
    streams = [StreamDetector(person=one, learn=True) for one in (person, new_person())]
    for stream in streams:
        heard(stream, np.concatenate([calm, noise]))
    moved, plain = (stream.person.of("causal").wearing for stream in streams)
    assert moved == plain  # the log odds that are learned are those of everybody
    assert 11.0 < plain.amount < 900 * 0.85 / 60  # of the calm part, less what is not yet learned


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
    in_af = StreamDetector(person=with_evidence(sinus=Evidence(20.0, -2.0)))
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


def test_a_stream_waits_until_enough_is_learned():
    record = night(4, 1500, 200)
    little = StreamDetector(person=with_evidence(sinus=Evidence(5.0, -4.0)))
    assert [one.kind for one in little.notices] == ["too little"]
    plain = [one.probability for one in heard(StreamDetector(), record.rr_ms)]
    assert [one.probability for one in heard(little, record.rr_ms)] == plain
    learning = StreamDetector(person=new_person(), learn=True)
    own = [one.probability for one in heard(learning, record.rr_ms)]
    first = next(at for at, (one, other) in enumerate(zip(own, plain, strict=True)) if one != other)
    assert 12 < first * 0.85 / 60 < 16  # minutes
