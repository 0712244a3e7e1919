"""How people differ, by groups of beats with their rhythm; which detector gets which prior."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pacl.adaptation import AdaptationError
from pacl.detect import (
    Artifact,
    BeatJudge,
    Groups,
    PersonPrior,
    bundled_folder,
    find_artifact,
)
from pacl.records import Rhythm, Span
from pacl.studies.beats.priors import (
    day_to_day,
    judge_patients,
    learn_priors,
    person_prior,
    rescaled,
    slopes_of,
)
from pacl.studies.beats.write import add_priors
from pacl.studies.progress import StudyReport
from support.beat_cohorts import cohort as beat_cohort
from support.refusals import refused
from support.rhythms import record_of

GROUPS = 2000


def patient(sinus, af, *, seed, groups=GROUPS):
    """A recording of sinus rhythm, AF and sinus rhythm, with log odds around these places."""
    generator = np.random.default_rng(seed)
    beats = 10 * groups
    record = record_of(np.full(beats, 800.0))
    third = beats // 3 // 10 * 10 + 5  # a group in which the rhythm changes is neither
    spans = (
        Span(0, third, Rhythm.SR),
        Span(third, 2 * third, Rhythm.AF),
        Span(2 * third, beats, Rhythm.SR),
    )
    record = replace(record, spans=spans)
    first = np.arange(0, beats, 10.0)
    in_af = (first + 5 >= third) & (first + 5 < 2 * third)
    log_odds = np.where(in_af, af, sinus) + generator.normal(0, 0.5, groups)
    nothing = np.zeros(groups)
    found = Groups(first, nothing + 10, nothing + 8 / 60, log_odds, nothing + 6.7, nothing - 3)
    return record, found


def cohort(places):
    return {f"{seed}": [patient(low, high, seed=seed)] for seed, (low, high) in enumerate(places)}


TWO = [beat_cohort("a", 10), beat_cohort("b", 10, seed=1)]
PLACES = [(-7.0, 4.0), (-6.0, 5.0), (-5.0, 4.5), (-8.0, 4.5), (-6.5, 5.0), (-5.5, 4.0)]


def test_places_of_people_are_found():
    found = person_prior([cohort(PLACES)]).subject
    sinus, af = np.array(PLACES).T
    assert found.subjects == len(PLACES)
    assert found.reference == pytest.approx(sinus.mean(), abs=0.1)
    assert found.reference_sd == pytest.approx(sinus.std(ddof=1), abs=0.1)
    assert found.target == pytest.approx(af.mean(), abs=0.1)
    assert max(found.known.variance) < 0.2  # these people do not vary


def test_log_odds_of_a_detector_with_another_slope():
    plain, twice = (person_prior([rescaled(cohort(PLACES), factor)]) for factor in (1.0, 1.5))
    assert twice.subject.reference == pytest.approx(1.5 * plain.subject.reference, rel=0.05)
    assert twice.subject.target == pytest.approx(1.5 * plain.subject.target, rel=0.01)
    assert twice.day_to_day.log_rr == plain.day_to_day.log_rr


def test_how_much_one_person_varies():
    _, groups = patient(-6.0, 4.0, seed=0)
    early = np.arange(GROUPS) < GROUPS // 2
    changed = replace(groups, log_rr=np.where(early, 6.7, 6.9))
    assert day_to_day([changed, changed]).log_rr == pytest.approx(0.2, abs=0.02)
    with refused(AdaptationError, "sinus rhythm", 2):
        day_to_day([changed])


def test_too_few_people():
    with refused(AdaptationError, "5"):
        person_prior([cohort(PLACES[:3])])


@pytest.fixture
def left_out(tmp_path):
    """The bundled detector as the one that left each cohort out."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for file in bundled_folder().iterdir():
            (tmp_path / name / file.name).write_bytes(file.read_bytes())
        stated = json.loads((tmp_path / name / "detector.json").read_text())
        del stated["priors"]
        (tmp_path / name / "detector.json").write_text(json.dumps(stated))
    return tmp_path


class Report(StudyReport):
    """Keeps all notes."""

    def __init__(self):
        self.notes = []

    def on_note(self, text):
        self.notes.append(text)


def test_a_detector_learns_nothing_from_the_cohort_that_it_left_out(left_out, monkeypatch):
    lower = [(low - 2.0, high) for low, high in PLACES]
    judged = {"a": cohort(PLACES), "b": cohort(lower)}
    monkeypatch.setattr(
        "pacl.studies.beats.priors.judge_patients",
        lambda judge, one: dict.fromkeys(("look-ahead", "causal"), judged[one.name]),
    )
    slopes = slopes_of(Artifact.read(left_out / "a"))
    everybody = learn_priors(TWO, left_out, slopes)
    without = {name: Artifact.read(left_out / name).prior("causal") for name in judged}
    assert without["a"].subject.reference == pytest.approx(np.mean(lower, axis=0)[0], abs=0.1)
    assert without["b"].subject.reference == pytest.approx(np.mean(PLACES, axis=0)[0], abs=0.1)
    assert everybody["causal"].subject.subjects == 12
    assert everybody["causal"].subject.reference_sd > without["b"].subject.reference_sd


def test_where_too_few_have_both_rhythms_that_is_reported(left_out, monkeypatch):
    few = dict.fromkeys(("look-ahead", "causal"), cohort(PLACES[:2]))
    monkeypatch.setattr("pacl.studies.beats.priors.judge_patients", lambda judge, one: few)
    slopes = slopes_of(Artifact.read(left_out / "a"))
    report = Report()
    assert learn_priors(TWO, left_out, slopes, report) == {}
    (note,) = report.notes
    assert "cannot learn a person" in note
    assert Artifact.read(left_out / "a").priors == {}


def test_priors_are_added_and_nothing_else_changes(left_out):
    prior = person_prior([cohort(PLACES)])
    before = json.loads((left_out / "a" / "detector.json").read_text())
    add_priors(left_out / "a", {"causal": prior})
    after = json.loads((left_out / "a" / "detector.json").read_text())
    assert {key: value for key, value in after.items() if key != "priors"} == before
    found = Artifact.read(left_out / "a").prior("causal")
    assert isinstance(found, PersonPrior)
    assert found == prior


def test_patients_of_several_recordings_are_one():
    small = beat_cohort("small", 3)
    again = replace(small.records[0], record=replace(small.records[0].record, record_id="again"))
    both = replace(small, records=(*small.records, again))
    found = judge_patients(BeatJudge(find_artifact("af-beats")), both)
    assert sorted(len(some) for some in found["causal"].values()) == [1, 1, 2]
    assert all(groups.first.size for some in found["look-ahead"].values() for _, groups in some)
