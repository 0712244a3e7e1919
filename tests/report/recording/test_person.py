"""The section about a person's profile."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.adaptation import Correction, Evidence, Unlabelled
from pacl.detect import Detector, PersonEvidence, new_person
from pacl.report.recording import write_recording_page
from pacl.report.recording.person import (
    _both_table,
    compute_baseline,
    draw_baseline,
    person_blocks,
)
from pacl.report.wording import percent
from support.rhythms import fibrillation, record_of, sinus


@pytest.fixture(scope="module")
def night():
    generator = np.random.default_rng(0)
    parts = [sinus(400, generator), fibrillation(300, generator), sinus(400, generator)]
    return record_of(np.round(np.concatenate(parts)))


def judged(night, **evidence):
    one = PersonEvidence(**evidence)
    person = replace(new_person(), evidence={"look-ahead": one})
    return Detector(person=person).detect(night)


@pytest.mark.parametrize(("mean", "to_the_right"), [(-4.0, True), (-9.5, False)])
def test_the_person_lies_beside_the_population(night, mean, to_the_right):
    result = judged(night, sinus=Evidence(60.0, mean)).person
    picture = compute_baseline(result)
    everybody, own = picture.population, picture.person
    assert (everybody[0].place < own[0].place) == to_the_right
    assert own[0].sd < everybody[0].sd
    assert own[2] == result.own.boundary
    assert (own[2] > everybody[2]) == to_the_right
    assert everybody[0].height(np.array([everybody[0].place])).tolist() == [1.0]
    upper, lower = draw_baseline(picture).axes
    assert [upper.get_ylabel(), lower.get_ylabel()] == ["population", "profile"]
    assert lower.lines[1].get_xdata()[0] == own[2]


def test_both_results_and_what_changed(night):
    wrong = (Correction(False, 3.0),) * 5
    found = judged(night, sinus=Evidence(60.0, -3.5), corrections=wrong)
    assert not np.array_equal(found.person.without.af, found.person.adapted.af)
    page = write_recording_page(night, found)
    assert "60 minutes marked as sinus rhythm" in page
    assert "With and without the profile." in page
    assert "all decisions are the same" not in page
    rows = [[cell.text for cell in row] for row in _both_table(found.person).rows]
    assert rows[0][0] == "without the profile"
    assert rows[0][2] == percent(found.person.without.af_burden)
    assert rows[1][2] == percent(found.person.adapted.af_burden)
    assert rows[0][2] != rows[1][2]


def test_nothing_changed(night):
    found = judged(night, sinus=Evidence(60.0, -6.7))
    assert np.array_equal(found.person.without.af, found.person.adapted.af)
    assert "all decisions are the same" in write_recording_page(night, found)


def test_why_a_profile_is_not_used(night):
    found = judged(night, wearing=Unlabelled(600.0, Evidence(10.0, -5.0)))
    page = write_recording_page(night, found)
    assert "Nothing learned" in page
    assert "Mostly AF" in page
    assert "does <strong>not</strong> use it" in page


def test_without_a_profile_there_is_no_section(night):
    found = Detector().detect(night)
    assert person_blocks(night, found) == []
    assert ">The profile of this person<" not in write_recording_page(night, found)
