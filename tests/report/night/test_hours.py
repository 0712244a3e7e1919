from dataclasses import replace

import numpy as np
import pytest

from pacl.report.night import compute_hours, draw_hours


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


def test_bars_stay_within_the_recording(night):
    (axes,) = draw_hours(compute_hours(*night)).axes
    ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
    assert len(ends) == 8
    assert min(low for low, _ in ends) >= 0.0
    assert max(high for _, high in ends) <= 3.0
