import numpy as np
import pytest

from pacl.report.night import compute_probability, draw_probability


def test_steps_go_on_until_something_was_not_judged(night):
    picture = compute_probability(*night)
    assert picture.linked.tolist() == [False, True, False]
    hours, likely = picture.outline()
    nan = np.nan
    assert hours == pytest.approx([nan, 0, 1, 1, 2, nan, 2.5, 3], nan_ok=True)
    assert likely == pytest.approx([nan, 0.1, 0.1, 0.9, 0.9, nan, 0.2, 0.2], nan_ok=True)
    assert picture.silent_h == ((2.0, 2.5),)


def test_the_line_of_one_half_is_drawn(night):
    (axes,) = draw_probability(compute_probability(*night)).axes
    assert [0.5, 0.5] in [list(line.get_ydata()) for line in axes.lines]
