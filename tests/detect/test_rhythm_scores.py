"""Scores over patients: by hand, and what has no value."""

import json
import math

import numpy as np
import pytest

from pacl.detect import DetectError
from pacl.detect.rhythm_agreement import MEASURES, Agreement, TrueEpisode
from pacl.detect.rhythm_scores import LENGTH_EDGES_S, Ratio, rhythm_scores

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
    assert found.ratios == {
        "duration_sensitivity": Ratio(3.5 / 5, (3 / 4 + 0.5) / 2, 2),
        "duration_predictivity": Ratio(3.5 / 6, (1 + 0.25 + 0) / 3, 3),
        "episode_sensitivity": Ratio(2 / 3, (1 / 2 + 1) / 2, 2),
        "episode_predictivity": Ratio(3 / 6, (1 + 1 / 3 + 0) / 3, 3),
    }
    # Off by 10, 20, 20 and 0 points; the last patient has nothing that counts.
    error = found.burden_error
    assert (error.median, error.lower_quartile, error.upper_quartile) == (15.0, 7.5, 20.0)
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
    assert set(found.ratios.values()) == {Ratio(None, None, 0)}
    assert found.false_af_h_per_day == 0.0
    assert all(one.sensitivity is None for one in found.by_length)
    assert rhythm_scores([Agreement(HOUR, HOUR)]).false_af_h_per_day is None


def test_a_perfect_detector():
    found = rhythm_scores(
        [Agreement(HOUR, 600.0, 600.0, 600.0, (TrueEpisode(600.0, True),), 1, 1)] * 3
    )
    assert set(found.ratios.values()) == {Ratio(1.0, 1.0, 3)}
    assert (found.burden_error.mean, found.false_af_h_per_day) == (0.0, 0.0)


def test_the_order_of_patients_does_not_matter():
    order = np.random.default_rng(0).permutation(len(PATIENTS))
    one, other = (
        rhythm_scores(each).to_dict() for each in (PATIENTS, [PATIENTS[at] for at in order])
    )
    assert one == other


@pytest.mark.parametrize("patients", [[], [Agreement()] * 2])
def test_nothing_to_count_is_an_error(patients):
    message = f"none of {len(patients)} patients has time that is both annotated and judged"
    with pytest.raises(DetectError, match=message):
        rhythm_scores(patients)


def test_plain_values_are_json_without_infinity():
    told = rhythm_scores(PATIENTS).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert list(told["measures"]) == list(MEASURES)
    assert told["counted_h"] == 24.0
    assert told["episode_sensitivity_by_length"][-1]["below_s"] is None
