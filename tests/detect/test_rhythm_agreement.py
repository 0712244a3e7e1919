"""How far detected AF agrees with true AF: by hand, against loops over seconds, and in general."""

from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest

from pacl.detect import DetectError
from pacl.detect.rhythm_agreement import MEASURES, Agreement, TrueEpisode, agreement
from pacl.detect.rhythm_spans import Compared, joined

SECONDS = 300


def compared(true, detected, counted=((0, SECONDS),)):
    return Compared(
        *(joined((float(a), float(b)) for a, b in spans) for spans in (true, detected, counted))
    )


def values(found):
    return [found.value(measure) for measure in MEASURES]


def test_by_hand():
    # Counted 0-200 and 220-300. AF 10-50 is found from 30 on, 100-120 is missed, 190-230 is found
    # in what counts of it, 10 of 20 s; 250-260 is called and no AF; 205-215 does not count.
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
        true_episodes=(TrueEpisode(40.0, True), TrueEpisode(20.0, False), TrueEpisode(40.0, True)),
        called_episodes=3,
        right_episodes=2,
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
    assert found == Agreement(counted_s=250.0)
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
    with pytest.raises(DetectError, match=f"{name} spans are not in order; join them before"):
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


@pytest.mark.parametrize("seed", range(80))
def test_against_loops_over_seconds(seed):
    generator = np.random.default_rng(seed)
    spans = [drawn(generator, most) for most in (6, 6, 12)]
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
            episodes.append(TrueEpisode(float(len(run)), hit))
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
    )


@pytest.mark.parametrize("seed", range(20))
def test_in_general(seed):
    generator = np.random.default_rng(seed)
    true, detected, counted = (drawn(generator, most) for most in (8, 8, 12))
    found = agreement(compared(true, detected, counted))

    def later(spans):
        return [(start + 4096, end + 4096) for start, end in spans]

    assert agreement(compared(later(true), later(detected), later(counted))) == found

    swapped = values(agreement(compared(detected, true, counted)))
    sensitivity, predictivity, episodes_found, episodes_right = values(found)
    assert swapped == [predictivity, sensitivity, episodes_right, episodes_found]

    perfect = agreement(compared(true, true, counted))
    assert set(values(perfect)) <= {1.0, None}
    assert perfect.burden_error in (0.0, None)
    assert all(one.found for one in perfect.true_episodes)
    assert all(0 <= value <= 1 for value in values(found) if value is not None)
