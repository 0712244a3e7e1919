"""Choosing a recipe: by what was left out, and never by the cohort it is reported on."""

import pytest

from pacl.studies.beats import LeftOut, inner_folds, outer_folds
from pacl.studies.beats.choose import (
    chosen,
    inner_false_h,
    inner_scalar,
    outer_false_h,
    outer_scalar,
)
from pacl.studies.beats.judge import BeatScores
from support.beat_cohorts import cohort


@pytest.fixture(scope="module")
def cohorts():
    return [
        cohort("a", 10),
        cohort("b", 10, seed=1),
        cohort("c", 12, seed=2),
        cohort("sinus", 3, af=False),
        cohort("few", 3, seed=3),
    ]


def scores(loss, false_h=0.0):
    return BeatScores({"p": loss}, 0.9, 0.9, false_h)


def test_what_each_cohort_can_decide(cohorts):
    roles = {one.name: one.role for one in cohorts}
    assert roles == {
        "a": "decides",
        "b": "decides",
        "c": "decides",
        "sinus": "constrains",
        "few": "reported",
    }


def test_each_is_left_out_once_and_pairs_with_all_that_constrain(cohorts):
    assert [one.names for one in outer_folds(cohorts)] == [(one.name,) for one in cohorts]
    assert [one.names for one in inner_folds(cohorts)] == [
        ("a", "b", "sinus"),
        ("a", "c", "sinus"),
        ("b", "c", "sinus"),
    ]


def test_a_cohort_is_reported_by_fits_that_have_not_seen_it_and_by_the_others_alone(cohorts):
    judged = {
        LeftOut(("a", "b", "sinus")): {
            "a": scores(9.0),
            "b": scores(0.2),
            "sinus": scores(0.0, 0.1),
        },
        LeftOut(("a", "c", "sinus")): {
            "a": scores(9.0),
            "c": scores(0.4),
            "sinus": scores(0.0, 0.3),
        },
        LeftOut(("b", "c", "sinus")): {
            "b": scores(9.0),
            "c": scores(9.0),
            "sinus": scores(0.0, 9.0),
        },
    }
    assert inner_scalar(judged, cohorts, "a") == pytest.approx(0.3)
    assert inner_false_h(judged, cohorts, "a") == pytest.approx(0.2)


def test_what_ships_is_chosen_by_each_that_decides(cohorts):
    judged = {
        fold: {fold.names[0]: scores({"a": 0.1, "b": 0.2, "c": 0.6}.get(fold.names[0], 9.0), 0.5)}
        for fold in outer_folds(cohorts)
    }
    assert outer_scalar(judged, cohorts) == pytest.approx(0.3)
    assert outer_false_h(judged, cohorts) == pytest.approx(0.5)


def test_too_much_false_af_is_not_chosen_while_another_has_less():
    losses = {"best": 0.1, "next": 0.2, "worst": 0.3}
    assert chosen(losses, {"best": 0.03, "next": 0.02, "worst": 0.0}) == "next"
    assert chosen(losses, {"best": 0.03, "next": 0.05, "worst": 0.04}) == "best"
    assert chosen(losses, dict.fromkeys(losses, 0.0)) == "best"
