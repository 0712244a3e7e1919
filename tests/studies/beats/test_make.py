"""From cohorts to a folder that detects."""

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from pacl.af.beats import BeatTraining
from pacl.detect import Artifact, DetectError, Detector
from pacl.studies.beats import BeatFit, LeftOut
from pacl.studies.beats.make import (
    NOBODY,
    SEEDS,
    _begin,
    _fit,
    choose,
    first_fits,
    make_detector,
    more_seeds,
    seeds_of,
    write_left_out,
)
from pacl.studies.beats.measured import measure_left_out
from pacl.studies.beats.recipe import FIRST, STREAM
from pacl.studies.beats.write import write_detector
from pacl.studies.errors import RunError
from support.beat_cohorts import cohort, patient
from support.refusals import refused

TINY = {"channels": 4, "kernel": 3, "dilations": (1, 2), "mean_beats": 9}
FEW = BeatTraining(steps=3, subjects=4, crops=2, beats=64)
SMALL = replace(FIRST, name="small", network=TINY, training=FEW, augmentations=())
SMALL_STREAM = replace(STREAM, network={**TINY, "widest_ahead": 2}, training=FEW, augmentations=())


@pytest.fixture(scope="module")
def cohorts():
    return [
        cohort("a", 10),
        cohort("b", 10, seed=1),
        cohort("c", 10, seed=2),
        cohort("sinus", 2, af=False),
    ]


@pytest.fixture(scope="module")
def study(cohorts, tmp_path_factory):
    target = tmp_path_factory.mktemp("study")
    for fit in first_fits(cohorts, [SMALL], SMALL_STREAM):
        fit.run(cohorts, target / "fits", "cpu")
    choice = choose(cohorts, target, [SMALL])
    for fit in more_seeds(cohorts, choice):
        fit.run(cohorts, target / "fits", "cpu")
    networks = write_left_out(cohorts, target, "made", choice, SMALL_STREAM)
    write_detector(target / "made", "made", networks, cohorts, card="# made\n")
    return target


def test_a_fit_judges_only_what_it_left_out(study, cohorts):
    assert set(BeatFit(SMALL, LeftOut(("a",)), 1).scores(study / "fits")) == {"a"}
    inner = BeatFit(SMALL, LeftOut(("a", "b", "sinus")), 1).scores(study / "fits")
    assert set(inner) == {"a", "b", "sinus"}


def test_what_is_there_is_not_made_again(study, cohorts):
    fit = BeatFit(SMALL, LeftOut(("a",)), 1)
    path = study / "fits" / fit.slug / "network.safetensors"
    before = path.stat().st_mtime_ns
    fit.run(cohorts, study / "fits", "cpu")
    assert path.stat().st_mtime_ns == before


def test_another_recipe_under_the_same_name_is_noticed(study):
    other = replace(SMALL, training=replace(FEW, steps=4))
    with refused(RunError, "recipe."):
        BeatFit(other, LeftOut(("a",)), 1).scores(study / "fits")
    with refused(RunError, "recipe."):
        BeatFit(other, NOBODY, SEEDS[1]).network(study / "fits")


def test_a_cohort_is_recognised_by_its_intervals_and_labels():
    assert cohort("a", 2).digest == cohort("b", 2).digest
    assert cohort("a", 2).digest != cohort("a", 2, seed=1).digest
    other = cohort("a", 2)
    other.records[0].label[0] = 2
    assert other.digest != cohort("a", 2).digest


def test_it_detects(study):
    found = Detector(study / "made").detect(patient(0))
    assert found.weights == "made"
    assert found.judged_share == 1.0
    assert found.learned_from in (True, False)
    causal = Detector(study / "made").detect(patient(0), "causal")
    assert causal.probability.size == found.probability.size


def test_it_says_what_it_learned_from(study):
    artifact = Artifact.read(study / "made")
    assert [(one.cohort, one.patients) for one in artifact.learned_from] == [
        ("a", 10),
        ("b", 10),
        ("c", 10),
        ("sinus", 2),
    ]
    assert artifact.networks == len(SEEDS)
    left = Artifact.read(study / "left-out" / "a")
    assert [one.cohort for one in left.learned_from] == ["b", "c", "sinus"]


def test_left_out_cohorts_are_measured_in_both_modes(study, cohorts):
    found = measure_left_out(cohorts[:1], study / "left-out")
    assert set(found) == {"look-ahead", "causal"}
    assert set(found["causal"]) == {"sensitive", "balanced", "specific"}
    assert found["look-ahead"]["balanced"]["a"]["patients"] == 10


def test_the_same_networks_give_the_same_bytes(study, cohorts, tmp_path):
    choice = choose(cohorts, study, [SMALL])
    networks = write_left_out(cohorts, study, "made", choice, SMALL_STREAM)
    write_detector(tmp_path / "again", "made", networks, cohorts, card="# made\n")
    for path in (study / "made").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


def test_cohorts_that_are_only_reported_have_one_seed(cohorts):
    assert seeds_of(cohorts[0]) == SEEDS
    assert seeds_of(cohort("few", 2)) == SEEDS[:1]


def test_two_cohorts_are_too_few_to_choose_by(tmp_path):
    with refused(RunError, "--data"):
        make_detector(lambda: [cohort("a", 10), cohort("b", 10)], tmp_path, "x")


def test_a_file_that_is_gone_is_named(study, tmp_path):
    with refused(DetectError, "detector.json"):
        Artifact.read(tmp_path)


def test_a_line_of_long_recordings_is_cut_to_their_middle(cohorts):
    from pacl.af.beats import BeatLine

    line = BeatLine.of(cohorts[0].records, apart=3, most_beats=100)
    assert int(line.present.sum()) == 1000
    first = cohorts[0].records[0].record.rr_ms
    np.testing.assert_array_equal(line.rr_ms.numpy()[3:103], first[100:200])


def test_what_a_process_is_given_can_be_sent_to_it(cohorts, tmp_path):
    fit = BeatFit(SMALL, LeftOut(("a",)), 1)
    begin, work, task = pickle.loads(
        pickle.dumps((partial(_begin, partial(list, cohorts)), partial(_fit, tmp_path, "cpu"), fit))
    )
    begin()
    work(task, print)
    assert set(task.scores(tmp_path)) == {"a"}
