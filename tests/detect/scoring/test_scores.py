"""Scores over patients: by hand, and what has no value."""

import json
import math

import numpy as np
import pytest

from pacl.detect import DetectError
from pacl.detect.scoring.agreement import MEASURES, Agreement, TrueEpisode
from pacl.detect.scoring.cpsc import CpscScore
from pacl.detect.scoring.endpoints import EndError
from pacl.detect.scoring.scores import (
    LENGTH_EDGES_S,
    CpscMeans,
    EndErrors,
    Quartiles,
    Ratio,
    rhythm_scores,
)
from support.detections import counts
from support.refusals import refused

HOUR = 3600.0
PATIENTS = (
    Agreement(
        10 * HOUR,
        4 * HOUR,
        3 * HOUR,
        3 * HOUR,
        (TrueEpisode(3 * HOUR, True), TrueEpisode(HOUR, False)),
        2,
        2,
    ),
    Agreement(5 * HOUR, 1 * HOUR, 2 * HOUR, 0.5 * HOUR, (TrueEpisode(HOUR, True),), 3, 1),
    Agreement(5 * HOUR, 0.0, 1 * HOUR, 0.0, (), 1, 0),
    Agreement(4 * HOUR),
    Agreement(),
)


def test_by_hand():
    found = rhythm_scores(PATIENTS)
    expected = {
        "duration_sensitivity": (3.5 / 5, (3 / 4 + 0.5) / 2, 2),
        "duration_specificity": (16.5 / 19, (1 + 2.5 / 4 + 4 / 5 + 1) / 4, 4),
        "duration_predictivity": (3.5 / 6, (1 + 0.25 + 0) / 3, 3),
        "episode_sensitivity": (2 / 3, (1 / 2 + 1) / 2, 2),
        "episode_predictivity": (3 / 6, (1 + 1 / 3 + 0) / 3, 3),
        "false_alarms_per_day": (3.0, 24 * (2 / 5 + 1 / 5) / 4, 4),
        "false_alarms_per_day_without_af": (24 * 3 / 19, 24 * (2 / 4 + 1 / 5) / 4, 4),
    }
    for name, one in found.ratios.items():
        if name in expected:
            assert (one.gross, one.average, one.patients) == pytest.approx(expected[name])
        else:
            assert one == Ratio(None, None, 0)
    # Off by 10, 20, 20 and 0 points; the last patient has nothing that counts.
    error = found.burden_error
    assert error.quartiles == Quartiles(15.0, 7.5, 20.0)
    assert (error.mean, error.patients) == (12.5, 4)
    assert found.false_af_h_per_day == pytest.approx(24 * 2.5 / 19)


def test_lengths_on_the_edge_belong_to_the_class_above():
    lengths = [29.999, 30.0, 119.9, 120.0, 299.0, 300.0, 1799.0, 1800.0, 86_400.0]
    episodes = tuple(TrueEpisode(length, at % 2 == 0) for at, length in enumerate(lengths))
    found = rhythm_scores([Agreement(10.0, true_episodes=episodes)]).by_length
    assert [(one.episodes, one.found) for one in found] == [(1, 1), (2, 1), (2, 1), (2, 1), (2, 1)]
    assert [one.sensitivity for one in found] == [1.0, 0.5, 0.5, 0.5, 0.5]
    assert (found[0].low_s, found[-1].high_s) == (0.0, math.inf)
    assert len(found) == len(LENGTH_EDGES_S) - 1


def test_what_nobody_has_is_none():
    found = rhythm_scores([Agreement(HOUR), Agreement(HOUR)])
    ratios = dict(found.ratios)
    assert ratios.pop("duration_specificity") == Ratio(1.0, 1.0, 2)
    for name in ("false_alarms_per_day", "false_alarms_per_day_without_af"):
        assert ratios.pop(name) == Ratio(0.0, 0.0, 2)
    assert set(ratios.values()) == {Ratio(None, None, 0)}
    nothing = Quartiles(None, None, None)
    assert set(found.end_errors.values()) == {EndErrors(0, nothing, nothing)}
    assert found.cpsc == CpscMeans(None, None, None, 0)
    assert found.false_af_h_per_day == 0.0
    assert all(one.sensitivity is None for one in found.by_length)
    assert rhythm_scores([Agreement(HOUR, HOUR)]).false_af_h_per_day is None


def test_a_perfect_detector():
    right = TrueEpisode(600.0, True, EndError(0.0, 0), EndError(0.0, 0))
    amounts = {"beats": counts(4000, 900, 900, 900), "segments": counts(120, 20, 20, 20)}
    one = Agreement(HOUR, 600.0, 600.0, 600.0, (right,), 1, 1, **amounts)
    found = rhythm_scores([one] * 3)
    shares = {name: each for name, each in found.ratios.items() if each.patients}
    for name in ("false_alarms_per_day", "false_alarms_per_day_without_af"):
        assert shares.pop(name) == Ratio(0.0, 0.0, 3)
    assert set(shares.values()) == {Ratio(1.0, 1.0, 3)}
    assert len(shares) == len(MEASURES) - 3
    nought = Quartiles(0.0, 0.0, 0.0)
    assert set(found.end_errors.values()) == {EndErrors(3, nought, nought)}
    assert (found.burden_error.mean, found.false_af_h_per_day) == (0.0, 0.0)


def test_ends_and_challenge_scores_of_all_patients_are_one_list():
    # Onsets late by -2, 0, 4 and 10 s; one episode has no onset that anybody could see.
    onsets = [EndError(-2.0, -3), EndError(0.0, 0), None, EndError(4.0, None), EndError(10.0, 9)]
    episodes = [TrueEpisode(60.0, True, one) for one in onsets]
    first = Agreement(HOUR, true_episodes=tuple(episodes[:1]), cpsc=(CpscScore(1.0, 2.0),))
    other = Agreement(
        HOUR, true_episodes=tuple(episodes[1:]), cpsc=(CpscScore(0.0, 1.0), CpscScore(-1.0, 0.0))
    )
    found = rhythm_scores([first, other])
    assert found.end_errors["onset"] == EndErrors(
        4, Quartiles(2.0, -0.5, 5.5), Quartiles(0.0, -1.5, 4.5)
    )
    assert found.end_errors["offset"].episodes == 0
    assert found.cpsc == CpscMeans(1.0, 0.0, 1.0, 3)
    assert found.ratios["cpsc2021_score"] == Ratio(1.0, (3.0 + 0.0) / 2, 2)


def test_the_order_of_patients_does_not_matter():
    order = np.random.default_rng(0).permutation(len(PATIENTS))
    one, other = (
        rhythm_scores(each).to_dict() for each in (PATIENTS, [PATIENTS[at] for at in order])
    )
    assert one == other


@pytest.mark.parametrize("patients", [[], [Agreement()] * 2])
def test_nothing_to_count_is_an_error(patients):
    with refused(DetectError, len(patients), "af-beats"):
        rhythm_scores(patients)


def test_plain_values_are_json_without_infinity():
    told = rhythm_scores(PATIENTS).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert list(told["measures"]) == list(MEASURES)
    assert told["counted_h"] == 24.0
    assert (told["patients_with_af"], told["false_episodes"]) == (2, 3)
    assert told["episode_sensitivity_by_length"][-1]["below_s"] is None
    assert told["onset_error"]["seconds"]["median"] is None
    assert told["cpsc2021"]["records"] == 0
