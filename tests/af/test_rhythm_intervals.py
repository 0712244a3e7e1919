"""Intervals of how well AF is detected: against jackknife loops, and what has none."""

import numpy as np
import pytest

from pacl.af.rhythm_intervals import LEAST, rhythm_intervals
from pacl.detect.scoring.agreement import MEASURES, Agreement, TrueEpisode
from pacl.detect.scoring.counts import Counts
from pacl.detect.scoring.cpsc import LEAST_SCORE, CpscScore
from pacl.detect.scoring.scores import rhythm_scores
from pacl.evaluation.interval import SubjectSpread, effective_limits


def cohort(patients=12, seed=0):
    """Patients of whom every third has no AF, and some of those none called either."""
    generator = np.random.default_rng(seed)
    found = []
    for at in range(patients):
        af, called = 3600.0 * np.sort(generator.uniform(1, 24, 2))[::-1]
        counted = af + called
        has, calls = at % 3 > 0, at % 4 > 0
        both = float(generator.uniform(0.7, 0.99) * min(af, called)) if has and calls else 0.0
        episodes = [TrueEpisode(60.0, calls and bool(generator.random() < 0.8)) for _ in range(9)]
        found.append(
            Agreement(
                float(counted),
                float(af) if has else 0.0,
                float(called) if calls else 0.0,
                both,
                tuple(episodes) if has else (),
                7 if calls else 0,
                int(generator.integers(4, 7)) if has and calls else 0,
                *((Counts(100.0, 40.0, 30.0, both / 1e5),) * 2 if has else ()),
                cpsc=(CpscScore(1.0, float(at)), CpscScore(0.0, 1.0)) if has else (),
            )
        )
    return found


@pytest.fixture(scope="module")
def intervals():
    return rhythm_intervals(cohort())


@pytest.mark.parametrize("measure", MEASURES)
def test_against_leaving_out_each_patient_in_a_loop(measure, intervals):
    patients, found = cohort(), intervals[measure]
    having = [one for one in patients if one.value(measure) is not None]
    without = {"gross": [], "average": []}
    for at in range(len(having)):
        ratio = rhythm_scores([*having[:at], *having[at + 1 :]]).ratios[measure]
        without["gross"].append(ratio.gross)
        without["average"].append(ratio.average)
    scored = rhythm_scores(patients).ratios[measure]
    for kind in ("gross", "average"):
        interval, estimate = getattr(found, kind), getattr(scored, kind)
        spread = SubjectSpread(estimate, np.array(without[kind]), np.empty(0))
        if measure in LEAST:  # not a share: on the values as they are, down to the least
            low, high = effective_limits(spread, 0.95, None)
            assert [interval.low, interval.high] == pytest.approx([max(low, LEAST[measure]), high])
        else:
            low, high = effective_limits(spread, 0.95, (0.0, 1.0))
            assert [interval.low, interval.high] == pytest.approx([low, high])
            assert 0 < interval.low < interval.high < 1
        assert interval.estimate == pytest.approx(estimate)
        assert interval.subjects == scored.patients == len(having)
        assert interval.low < estimate < interval.high


def test_a_rate_is_never_below_nothing_nor_a_score_below_the_least():
    patients = [Agreement(3600.0, called_episodes=alarms) for alarms in (0, 0, 0, 9)]
    found = rhythm_intervals(patients)["false_alarms_per_day"]
    assert (found.gross.low, found.average.low) == (0.0, 0.0)
    assert found.gross.estimate == found.average.estimate == 24 * 9 / 4
    scored = [Agreement(3600.0, cpsc=(CpscScore(LEAST_SCORE, ends),)) for ends in (0.0, 0.1, 9.0)]
    assert rhythm_intervals(scored)["cpsc2021_score"].gross.low == LEAST_SCORE


def test_a_wider_level_is_wider():
    narrow = rhythm_intervals(cohort(), level=0.8)["duration_sensitivity"].gross
    wide = rhythm_intervals(cohort(), level=0.99)["duration_sensitivity"].gross
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(
    "patients",
    [
        [],
        [Agreement(3600.0)] * 3,
        [Agreement(3600.0, 60.0, 60.0, 30.0, (TrueEpisode(60.0, True),), 2, 1)],
        [Agreement(3600.0, 60.0, 60.0, 60.0, (TrueEpisode(60.0, True),), 1, 1)] * 4,
    ],
    ids=["nobody", "no AF", "one patient", "all perfect"],
)
def test_without_a_spread_there_is_none(patients):
    for found in rhythm_intervals(patients).values():
        assert (found.gross, found.average) == (None, None)
