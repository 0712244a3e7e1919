"""What a cohort of plans looks like, against the numbers published of IRIDIA-AF's 167 records."""

import itertools
from datetime import datetime

import numpy as np
import pytest

from pacl.records import Rhythm, ValueRangeError
from pacl.records.simulate import Population, Run, Timeline, draw_timeline
from pacl.records.simulate.timeline import FILE_S
from support.refusals import refused

COUNT = 3000
PER_COHORT = 167 / COUNT


@pytest.fixture(scope="module")
def timelines() -> list[Timeline]:
    generator = np.random.default_rng(0)
    return [draw_timeline(Population(), generator) for _ in range(COUNT)]


def episodes(timeline: Timeline) -> list[tuple[float, float, float]]:
    """Start, stop and SR before each episode, in seconds."""
    found, at, before = [], 0.0, 0.0
    for run in timeline.runs:
        if run.rhythm is Rhythm.AF:
            found.append((at, at + run.seconds, before))
        before = run.seconds if run.rhythm is Rhythm.SR else 0.0
        at += run.seconds
    return found


def count(timelines: list[Timeline], holds) -> float:
    return PER_COHORT * sum(map(bool, map(holds, timelines)))


def test_runs_alternate_and_fill_the_recording(timelines):
    for timeline in timelines:
        rhythms = [run.rhythm for run in timeline.runs]
        assert all(a is not b for a, b in itertools.pairwise(rhythms))
        assert sum(run.seconds for run in timeline.runs) == pytest.approx(timeline.seconds)
        assert min(run.seconds for run in timeline.runs) >= 22


def test_files_and_lengths(timelines):
    files = [count(timelines, lambda t, n=n: t.files == n) for n in (1, 2, 3, 4)]
    assert files == pytest.approx([103, 27, 16, 21], abs=6)
    assert min(t.seconds for t in timelines) >= 71_000
    assert max(t.seconds for t in timelines) == 4 * FILE_S


def test_af_at_the_first_and_at_the_last_beat(timelines):
    assert count(timelines, lambda t: t.runs[0].rhythm is Rhythm.AF) == pytest.approx(24, abs=5)
    assert count(timelines, lambda t: t.runs[-1].rhythm is Rhythm.AF) == pytest.approx(48, abs=7)


def test_episodes_are_as_many_and_as_long(timelines):
    hours = np.array([(b - a) / 3600 for t in timelines for a, b, _ in episodes(t)])
    assert PER_COHORT * hours.size == pytest.approx(388, rel=0.07)
    assert PER_COHORT * (hours >= 1).sum() == pytest.approx(213, rel=0.12)
    published = {0.1: 0.022, 0.25: 0.13, 0.5: 1.37, 0.75: 4.09, 0.9: 12.0}
    for share, value in published.items():
        assert value / 1.5 < np.quantile(hours, share) < value * 1.5
    assert hours.max() == pytest.approx(54.5)
    assert hours.min() == pytest.approx(0.006, abs=0.001)


def test_burden(timelines):
    af = np.array([sum(b - a for a, b, _ in episodes(t)) for t in timelines])
    seconds = np.array([t.seconds for t in timelines])
    assert af.sum() / seconds.sum() == pytest.approx(0.24, abs=0.03)
    assert np.median(af / seconds) == pytest.approx(0.16, abs=0.03)
    assert (af / seconds).max() == pytest.approx(0.94, abs=0.01)


def test_episodes_across_files(timelines):
    spanned = np.array(
        [int((b - 1) // FILE_S - a // FILE_S) for t in timelines for a, b, _ in episodes(t)]
    )
    assert PER_COHORT * (spanned >= 1).sum() == pytest.approx(20, abs=9)
    assert PER_COHORT * (spanned >= 2).sum() == pytest.approx(5, abs=3)


def test_share_of_records_with_a_qualifying_episode(timelines):
    def qualifies(timeline: Timeline) -> bool:
        return any(
            b - a >= 3600 and before >= 14_400 and (a - 14_400) // FILE_S == (b - 1) // FILE_S
            for a, b, before in episodes(timeline)
        )

    assert count(timelines, qualifies) == pytest.approx(96, abs=10)


def test_ends_were_trimmed_or_wrong(timelines):
    assert count(timelines, lambda t: t.trimmed_s == 0) == pytest.approx(80, abs=12)
    assert count(timelines, lambda t: t.trimmed_s > 60) == pytest.approx(36, abs=10)
    assert -11 <= min(t.trimmed_s for t in timelines) < 0


def test_runs_that_do_not_fill_the_recording_are_refused():
    with refused(ValueRangeError, 50, 100):
        Timeline(datetime(2020, 1, 1), 100, (Run(Rhythm.SR, 50.0),))
