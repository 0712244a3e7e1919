"""How far detected AF agrees with true AF: by hand, against loops over seconds, and in general."""

from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest

from pacl.detect import DetectError
from pacl.detect.scoring.agreement import (
    MEASURES,
    Agreement,
    TrueEpisode,
    agreement,
    recording_agreement,
)
from pacl.detect.scoring.compared import Compared
from pacl.detect.scoring.counts import Counts
from pacl.detect.scoring.cpsc import CpscScore
from pacl.detect.scoring.endpoints import EndError
from pacl.records import Rhythm
from pacl.spans import joined
from support.detections import counts, detection
from support.recordings import make_record
from support.refusals import refused

SECONDS = 300
EC57 = (
    "duration_sensitivity",
    "duration_predictivity",
    "episode_sensitivity",
    "episode_predictivity",
)
RATES = ("false_alarms_per_day", "false_alarms_per_day_without_af", "cpsc2021_score")


def compared(true, detected, counted=((0, SECONDS),)):
    """Spans of a recording with a beat a second."""
    return Compared(
        *(joined((float(a), float(b)) for a, b in spans) for spans in (true, detected, counted)),
        beats_s=np.arange(SECONDS) + 0.5,
    )


def values(found, measures=EC57):
    return [found.value(measure) for measure in measures]


def late(seconds):
    return EndError(float(seconds), seconds)


def test_by_hand():
    # Counted 0-200 and 220-300. AF 10-50 is found from 30 on, 100-120 is missed, 190-230 is found
    # in what counts of it, 10 of 20 s; 250-260 is called and no AF; 205-215 does not count. Of
    # the segments, the first and those from 30, 90, 180 and 210 on are AF; of the last two 20 s
    # count, and 10 of them are AF. Those from 30 and 180 on are called.
    found = agreement(
        compared(
            [(10, 50), (100, 120), (190, 230)],
            [(30, 60), (180, 200), (205, 215), (250, 260)],
            [(0, 200), (220, 300)],
        )
    )
    assert found == Agreement(
        counted_s=280.0,
        af_s=80.0,
        called_s=60.0,
        both_s=30.0,
        true_episodes=(
            TrueEpisode(40.0, True, late(20), late(10)),
            TrueEpisode(20.0, False),
            TrueEpisode(40.0, True, late(-10), late(-15)),
        ),
        called_episodes=3,
        right_episodes=2,
        beats=counts(280, 80, 60, 30),
        segments=counts(10, 5, 2, 2),
    )
    assert values(found) == [30 / 80, 30 / 60, 2 / 3, 2 / 3]
    assert (found.true_burden, found.called_burden) == (80 / 280, 60 / 280)
    assert found.burden_error == pytest.approx(100 * 20 / 280)


def test_an_overlap_that_does_not_count_is_none():
    found = agreement(compared([(0, 100)], [(50, 150)], [(0, 50), (100, 300)]))
    assert values(found) == [0.0, 0.0, 0.0, 0.0]
    assert (found.af_s, found.called_s) == (50.0, 50.0)


def test_an_episode_outside_what_counts_takes_no_part():
    found = agreement(compared([(0, 50)], [(20, 50)], [(50, 300)]))
    assert found == Agreement(counted_s=250.0, beats=counts(250.0), segments=counts(8))
    assert values(found) == [None] * 4
    assert found.burden_error == 0.0


def test_nothing_counted_has_no_burden():
    found = agreement(compared([(0, 50)], [(20, 50)], []))
    assert found == Agreement()
    assert (found.true_burden, found.called_burden, found.burden_error) == (None, None, None)


def test_recordings_of_a_patient_add_up():
    one = agreement(compared([(0, 50)], [(25, 75)]))
    other = agreement(compared([(0, 100)], []))
    both = one + other
    assert (both.counted_s, both.af_s, both.called_s, both.both_s) == (600.0, 150.0, 50.0, 25.0)
    assert values(both) == [25 / 150, 0.5, 0.5, 1.0]


@pytest.mark.parametrize("name", ["true", "detected", "counted"])
def test_spans_out_of_order_are_refused(name):
    bad = replace(compared([], []), **{name: np.array([[5.0, 9.0], [1.0, 2.0]])})
    with refused(DetectError, name):
        agreement(bad)


def grid(spans):
    seconds = [False] * SECONDS
    for start, end in spans:
        for at in range(int(start), int(end)):
            seconds[at] = True
    return seconds


def runs(seconds):
    """Lists of seconds that follow each other and are all in."""
    marked = groupby(range(SECONDS), key=lambda at: seconds[at])
    return [list(run) for inside, run in marked if inside]


def drawn(generator, most):
    starts = generator.integers(0, SECONDS, int(generator.integers(most)))
    return [(int(at), int(min(at + generator.integers(0, 60), SECONDS))) for at in starts]


def segments(true, called, counted):
    """Counts of segments of 30 s, one second after the other."""
    found = [0, 0, 0, 0]
    for first in range(0, SECONDS, 30):
        inside = [at for at in range(first, first + 30) if counted[at]]
        if len(inside) < 15:
            continue
        is_af, is_called = (
            2 * sum(one[at] for at in inside) >= len(inside) for one in (true, called)
        )
        for at, of_it in enumerate((True, is_af, is_called, is_af and is_called)):
            found[at] += of_it
    return counts(*found)


def ends(run, called_runs, counted):
    """How late the onset and the offset of a run of AF that was found were called."""
    over = [one for one in called_runs if set(one) & set(run)]
    onset, offset = late(over[0][0] - run[0]), late(over[-1][-1] - run[-1])
    seen_on = run[0] > 0 and counted[run[0] - 1] and counted[run[0]]
    seen_off = run[-1] + 1 < SECONDS and counted[run[-1]] and counted[run[-1] + 1]
    return onset if seen_on else None, offset if seen_off else None


@pytest.mark.parametrize("seed", range(50))
def test_against_loops_over_seconds(seed):
    generator = np.random.default_rng(seed)
    spans = [drawn(generator, most) for most in (8, 16, 24)]
    found = agreement(compared(*spans))
    true, called, counted = map(grid, spans)
    af_s = called_s = both_s = 0
    for at in range(SECONDS):
        af_s += true[at] and counted[at]
        called_s += called[at] and counted[at]
        both_s += true[at] and called[at] and counted[at]
    episodes = []
    for run in runs(true):
        if any(counted[at] for at in run):
            hit = any(counted[at] and called[at] for at in run)
            errors = ends(run, runs(called), counted) if hit else ()
            episodes.append(TrueEpisode(float(len(run)), hit, *errors))
    called_episodes = right_episodes = 0
    for run in runs(called):
        called_episodes += any(counted[at] for at in run)
        right_episodes += any(counted[at] and true[at] for at in run)
    assert found == Agreement(
        float(sum(counted)),
        float(af_s),
        float(called_s),
        float(both_s),
        tuple(episodes),
        called_episodes,
        right_episodes,
        counts(sum(counted), af_s, called_s, both_s),
        segments(true, called, counted),
    )


@pytest.mark.parametrize("seed", range(20))
def test_in_general(seed):
    generator = np.random.default_rng(seed)
    true, detected, counted = (drawn(generator, most) for most in (8, 8, 12))
    found = agreement(compared(true, detected, counted))

    assert set(MEASURES) - set(RATES) >= set(EC57)

    swapped = values(agreement(compared(detected, true, counted)))
    sensitivity, predictivity, episodes_found, episodes_right = values(found)
    assert swapped == [predictivity, sensitivity, episodes_right, episodes_found]

    shares = [one for one in MEASURES if one not in RATES]
    perfect = agreement(compared(true, true, counted))
    assert set(values(perfect, shares)) <= {1.0, None}
    assert perfect.false_episodes == 0
    assert perfect.burden_error in (0.0, None)
    assert all(one.found for one in perfect.true_episodes)
    assert all(0 <= value <= 1 for value in values(found, shares) if value is not None)


def test_specificity_f1_accuracy_and_false_alarms_by_hand():
    # Half a day: 2 h of AF, 3 h called, 1 h of it right; two of three episodes are false.
    hour = 3600.0
    found = Agreement(
        *(12 * hour, 2 * hour, 3 * hour, 1 * hour, (), 3, 1),
        beats=counts(1000, 100, 150, 90),
        segments=counts(40, 10, 8, 6),
        cpsc=(CpscScore(1.0, 2.0), CpscScore(-1.0, 0.5)),
    )
    assert found.value("duration_specificity") == pytest.approx(8 / 10)
    assert found.value("beat_sensitivity") == 90 / 100
    assert found.value("beat_specificity") == (900 - 60) / 900
    assert found.value("beat_predictivity") == 90 / 150
    assert found.value("beat_f1") == pytest.approx(2 * 0.9 * 0.6 / (0.9 + 0.6))
    assert found.value("beat_accuracy") == (90 + 840) / 1000
    assert found.value("segment_specificity") == 28 / 30
    assert found.value("false_alarms_per_day") == pytest.approx(4.0)
    assert found.value("false_alarms_per_day_without_af") == pytest.approx(2 * 24 / 10)
    assert found.value("cpsc2021_score") == 2.5 / 2


def test_rounding_keeps_specificity_within_its_bounds():
    found = Counts(counted=0.3, af=0.1 + 0.2, called=0.1, both=0.1)
    assert found.parts("specificity") == (0.0, 0.0)
    above, below = Counts(counted=1.0, af=0.9, called=1.0, both=0.9 - 1e-16).parts("specificity")
    assert 0.0 <= above <= below


@pytest.mark.parametrize(
    ("true", "onset", "offset"),
    [
        ((20, 50), 2, 3),
        ((10, 50), None, 3),  # what counts begins with it
        ((5, 50), None, 3),  # and within it
        ((20, 90), 2, None),  # ends with it
        ((20, 95), 2, None),
    ],
)
def test_an_end_that_nobody_could_see_has_no_error(true, onset, offset):
    start, end = true
    called = [(start + 2, end + 3)]
    (found,) = agreement(compared([true], called, [(10, 90), (100, 200)])).true_episodes
    assert found.onset == (None if onset is None else late(onset))
    assert found.offset == (None if offset is None else late(offset))


def test_ends_are_those_of_the_first_and_the_last_call_that_overlap():
    called = [(0, 20), (25, 35), (40, 45), (60, 90), (100, 120)]
    (found,) = agreement(compared([(30, 80)], called)).true_episodes
    assert (found.onset, found.offset) == (late(-5), late(10))
    (found,) = agreement(compared([(20, 60)], called)).true_episodes  # to touch is not to overlap
    assert (found.onset, found.offset) == (late(5), late(-15))


def test_without_beats_seconds_are_all_that_is_known():
    found = agreement(replace(compared([(10, 50)], [(30, 60)]), beats_s=np.empty(0)))
    assert found.beats == Counts()
    assert found.true_episodes == (
        TrueEpisode(40.0, True, EndError(20.0, None), EndError(10.0, None)),
    )


def test_a_recording_is_compared_whole():
    record = make_record([(Rhythm.SR, 40), (Rhythm.AF, 60), (Rhythm.SR, 50)], 500)
    found = recording_agreement(record, detection([(0, 75)], [(20.5, 51.0)]))
    assert found.true_episodes == (TrueEpisode(30.0, True, EndError(0.5, 1), EndError(1.0, 2)),)
    assert found.beats == counts(150, 60, 61, 59)
    assert found.segments == counts(3, 1, 1, 1)
    assert found.cpsc == (CpscScore(1.0, 1.5),)
