import numpy as np
import pytest

from pacl.report.recording.probability import COLUMNS, compute_probability, draw_probability


def test_steps_go_on_until_something_was_not_judged(night):
    picture = compute_probability(*night)
    assert picture.linked.tolist() == [False, True, False]
    hours, likely = picture.outline()
    nan = np.nan
    assert hours == pytest.approx([nan, 0, 1, 1, 2, nan, 2.5, 3], nan_ok=True)
    assert likely == pytest.approx([nan, 0.1, 0.1, 0.9, 0.9, nan, 0.2, 0.2], nan_ok=True)
    assert picture.not_judged_h == ((2.0, 2.5),)


def test_of_many_beats_the_ends_and_extremes_of_each_column_are_drawn(make):
    make_record, make_detection = make
    beats, generator = 60_000, np.random.default_rng(0)
    record = make_record([1000] * beats)
    likely = generator.uniform(0.2, 0.8, beats)
    likely[[17, 30_000, beats - 1]] = [0.99, 0.01, 0.97]
    onset = np.arange(beats, dtype=float)
    steps = np.stack([onset, onset + 1, likely], axis=1)
    steps = np.delete(steps, np.arange(40_000, 40_100), axis=0)  # not judged
    picture = compute_probability(record, make_detection(record, steps))
    assert picture.probability.size < 4 * COLUMNS + 10
    assert {0.99, 0.01, 0.97} <= set(picture.probability.tolist())
    broken = picture.start_h[~picture.linked] * 3600
    np.testing.assert_allclose(broken, [0, 40_100])
    at = np.flatnonzero(~picture.linked)[1]
    assert picture.end_h[at - 1] * 3600 == pytest.approx(40_000)
    width_s = beats / COLUMNS
    for column in (3, 700, 1400):
        inside = (steps[:, 0] >= column * width_s) & (steps[:, 0] < (column + 1) * width_s)
        shown = picture.start_h * 3600
        drawn = (shown >= column * width_s - 1e-6) & (shown < (column + 1) * width_s - 1e-6)
        for extreme in (np.min, np.max):
            assert extreme(picture.probability[drawn]) == extreme(steps[inside, 2])


def test_a_short_recording_is_drawn_as_it_is(make):
    make_record, make_detection = make
    record = make_record([1000] * 900)
    steps = [(at, at + 1, 0.1 + at / 1000) for at in range(900)]
    assert compute_probability(record, make_detection(record, steps)).probability.size == 900


def test_the_line_of_one_half_is_drawn(night):
    (axes,) = draw_probability(compute_probability(*night)).axes
    assert [0.5, 0.5] in [list(line.get_ydata()) for line in axes.lines]
