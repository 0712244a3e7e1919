from datetime import datetime

import numpy as np
import pytest

from pacl.records import Rhythm
from pacl.records.simulate import Kind, Population, Run, Timeline, simulate_record
from pacl.records.simulate.timeline import FILE_S

SEVERAL = Timeline(
    datetime(2020, 3, 1, 10, 0, 0),
    2 * FILE_S + 20_000,
    (
        Run(Rhythm.SR, 40_000.0),
        Run(Rhythm.AF, 100_000.0),
        Run(Rhythm.SR, 2 * FILE_S + 20_000 - 140_030.0),
        Run(Rhythm.AF, 30.0),
    ),
)


def simulate(timeline: Timeline, seed: int = 0):
    generator = np.random.default_rng(seed)
    return simulate_record(Population().draw(generator), timeline, generator)


@pytest.fixture(scope="module")
def several():
    return simulate(SEVERAL)


def test_rhythms_last_as_long_as_planned(several):
    record = several.record
    edges = np.append(record.onset_s(), record.duration_s)
    planned = np.cumsum([run.seconds for run in SEVERAL.runs])
    for span, run, until in zip(record.spans, SEVERAL.runs, planned, strict=True):
        assert span.rhythm is run.rhythm
        assert 0 <= edges[span.stop] - until < 47


def test_files_break_at_full_days(several):
    record = several.record
    assert record.file_starts.size == 3
    onsets = record.onset_s()[record.file_starts]
    np.testing.assert_allclose(onsets, record.file_onset_s)
    assert np.all(onsets - FILE_S * np.arange(3) < 47)
    assert np.all(onsets >= FILE_S * np.arange(3))


def test_kinds_agree_with_rhythms(several):
    rhythm = several.record.rhythm()
    assert np.all(rhythm[several.kind == Kind.FIBRILLATION] == Rhythm.AF)
    assert np.all(rhythm[several.kind == Kind.SINUS] == Rhythm.SR)
    assert several.kind.size == len(several.record)


def test_it_begins_with_half_a_minute_of_calibration(several):
    garbage = np.flatnonzero(several.kind == Kind.CALIBRATION)
    assert np.array_equal(garbage, np.arange(garbage.size))
    assert 30 <= several.record.rr_ms[garbage].sum() / 1000 < 32
    assert several.record.lead_in_s == 30


def test_the_sinus_node_pauses_after_af(several):
    after = several.record.spans[2].start
    assert several.kind[after] in (Kind.PAUSE, Kind.EXTRA, Kind.MISSED, Kind.LOST)


def test_intervals_are_whole_samples(several):
    assert several.record.rr_ms.dtype == np.int32
    assert not np.any(several.record.rr_ms % 5)


def test_af_shorter_than_the_calibration_may_come_first():
    timeline = Timeline(datetime(2020, 1, 1), 3600, (Run(Rhythm.AF, 20.0), Run(Rhythm.SR, 3580.0)))
    record = simulate(timeline).record
    assert record.spans[0].rhythm is Rhythm.AF
    assert 3600 <= record.duration_s < 3647


def test_same_generator_same_record_and_another_one_another():
    timeline = Timeline(datetime(2020, 1, 1), 3600, (Run(Rhythm.SR, 3600.0),))
    first, again, other = simulate(timeline, 1), simulate(timeline, 1), simulate(timeline, 2)
    assert np.array_equal(first.record.rr_ms, again.record.rr_ms)
    assert first.record.digest == again.record.digest != other.record.digest
