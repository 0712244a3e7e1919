from datetime import datetime

import pytest

from pacl.report.page import Text
from pacl.report.recording.formatting import (
    SPACE,
    duration,
    moment,
    share,
    short_duration,
    unmarked,
)


@pytest.mark.parametrize(
    ("seconds", "long", "short"),
    [
        (9.4, "9 s", "9 s"),
        (59.7, "1 min 00 s", "1 min"),
        (250.0, "4 min 10 s", "4 min"),
        (3599.0, "59 min 59 s", "1.0 h"),
        (7530.0, "2 h 06 min", "2.1 h"),
        (100_000.0, "27 h 47 min", "27.8 h"),
    ],
)
def test_durations(seconds, long, short):
    assert duration(seconds).replace(SPACE, " ") == long
    assert short_duration(seconds).replace(SPACE, " ") == short


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (0.0, "0 %"),
        (0.0002, "< 0.1 %"),
        (0.0341, "3.4 %"),
        (0.31, "31 %"),
        (0.992, "99.2 %"),
        (0.9996, "> 99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_shares_are_nothing_or_all_only_where_they_are(part, said):
    assert share(part).replace(SPACE, " ") == said


def test_moments():
    assert moment(3725.6, None) == "1:02:06"
    late = datetime(2024, 2, 28, 23, 59)
    assert moment(61.0, late) == "00:00:01"
    assert moment(61.0, late, 100.0) == "Thu 00:00:01"
    assert moment(61.0, late, 8 * 86_400.0) == "2024-02-29 00:00:01"


def test_nothing_is_markup_in_words_from_elsewhere():
    html = Text(unmarked("`a` **b** [c](javascript:d)\n\n- e")).to_html()
    assert html == "<p>&#x27;a&#x27; ··b·· (c](javascript:d) - e</p>"
