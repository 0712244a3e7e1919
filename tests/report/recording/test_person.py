"""The section about a person's profile."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.adaptation import Evidence, Unlabelled
from pacl.detect import Detector, PersonEvidence, new_person
from pacl.report.recording import write_recording_page
from pacl.report.recording.person import compute_baseline, draw_baseline, person_blocks
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


def test_the_person_lies_beside_the_population(night):
    result = judged(night, sinus=Evidence(60.0, -4.0)).person
    picture = compute_baseline(result)
    everybody, own = picture.population, picture.person
    assert everybody[0].place < own[0].place < -4.0 + 0.5
    assert own[0].sd < everybody[0].sd
    assert own[2] > everybody[2] == 0.0
    assert everybody[0].height(np.array([everybody[0].place])).tolist() == [1.0]
    figure = draw_baseline(picture)
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["population", "this person"]


def test_both_results_and_what_changed(night):
    found = judged(night, sinus=Evidence(60.0, -3.5))
    page = write_recording_page(night, found)
    for words in ("This person", "without the profile", "with the profile", "60 minutes of known"):
        assert words in page
    assert "What the profile changed" in page or "changes no decision" in page


def test_why_a_profile_is_not_used(night):
    found = judged(night, wearing=Unlabelled(600.0, Evidence(10.0, -5.0)))
    page = write_recording_page(night, found)
    assert "Nothing learned" in page
    assert "Mostly AF" in page
    assert "does <strong>not</strong> use the profile" in page


def test_without_a_profile_there_is_no_section(night):
    found = Detector().detect(night)
    assert person_blocks(night, found) == []
    assert "This person" not in write_recording_page(night, found)
