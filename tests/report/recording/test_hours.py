from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from pacl.report.recording.hours import MOST_BARS, compute_hours


def test_hours_are_those_of_the_clock(night):
    """From 22:30 to 1:30; AF from 23:30 to 0:30, not judged until 1:00."""
    bars = compute_hours(*night)
    assert bars.start_h.tolist() == [-0.5, 0.5, 1.5, 2.5]
    assert bars.judged_min.tolist() == pytest.approx([30, 60, 30, 30])
    assert bars.af_min.tolist() == pytest.approx([0, 30, 30, 0])
    assert bars.burden.tolist() == pytest.approx([0, 0.5, 1, 0])
    assert bars.af_min.sum() * 60 == pytest.approx(night[1].af_s)


def test_or_those_of_the_recording(night):
    record, detection = (replace(one, started=None) for one in night)
    bars = compute_hours(record, detection)
    assert bars.start_h.tolist() == [0, 1, 2]
    assert bars.af_min.tolist() == pytest.approx([0, 60, 0])
    assert bars.judged_min.tolist() == pytest.approx([60, 60, 30])


def test_an_hour_that_was_not_judged_has_no_burden(make):
    make_record, make_detection = make
    record = make_record([1000] * 4000)
    bars = compute_hours(record, make_detection(record, [(3600.0, 4000.0, 0.6)]))
    assert np.isnan(bars.burden[0])
    assert bars.burden[1] == pytest.approx(1.0)


def test_a_clock_that_jumps_by_years_has_few_bars(make):
    make_record, make_detection = make
    later = 24 * 365 * 86_400.0
    record = make_record(
        [1000] * 8000, "jump", datetime(2000, 1, 1, 10, 30), (0, 4000), (0.0, later)
    )
    steps = [(0.0, 4000.0, 0.9), (later, later + 4000.0, 0.2)]
    bars = compute_hours(record, make_detection(record, steps))
    assert bars.width_h == 1
    assert bars.start_h.size == 4
    assert bars.judged_min.tolist() == pytest.approx([30, 4000 / 60 - 30] * 2)
    assert bars.af_min.sum() == pytest.approx(4000 / 60)


def test_there_are_never_more_bars_than_stated(make):
    """A beat, 20 hours of no signal, a beat, and so on for years."""
    make_record, make_detection = make
    record = make_record([1000, 72_000_000] * 5000, "slow", datetime(2000, 1, 1))
    steps = [(0.0, 3600.0, 0.9)]
    bars = compute_hours(record, make_detection(record, steps))
    assert bars.start_h.size <= MOST_BARS
    assert bars.width_h > 24
    assert bars.af_min[0] * bars.width_h == pytest.approx(60)


def test_hours_are_shared_out_as_a_loop_would(make):
    make_record, make_detection = make
    generator = np.random.default_rng(0)
    edges = np.sort(generator.uniform(0, 30_000, 80)).reshape(-1, 2)
    record = make_record([1000] * 30_000, started=datetime(2024, 2, 28, 22, 17, 5))
    detection = make_detection(record, [(*one, generator.uniform()) for one in edges.tolist()])
    bars = compute_hours(record, detection)
    for low_h, judged, af in zip(bars.start_h, bars.judged_min, bars.af_min, strict=True):
        low, high = 3600 * low_h, 3600 * low_h + 3600
        inside = [
            (max(0.0, min(end, high) - max(start, low)), likely >= 0.5)
            for start, end, likely in zip(
                detection.start_s, detection.end_s, detection.probability, strict=True
            )
        ]
        assert judged * 60 == pytest.approx(sum(s for s, _ in inside), abs=1e-6)
        assert af * 60 == pytest.approx(sum(s for s, is_af in inside if is_af), abs=1e-6)
