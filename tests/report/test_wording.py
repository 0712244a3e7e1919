from datetime import datetime

import pytest

from pacl.report.page import Page, Text, without_markup
from pacl.report.wording import (
    SPACE,
    counted,
    duration,
    listed,
    moment,
    percent,
    short_duration,
    slug,
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
    ("part", "shown"),
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
def test_shares_are_nothing_or_all_only_where_they_are(part, shown):
    assert percent(part).replace(SPACE, " ") == shown


def test_moments():
    assert moment(3725.6, None) == "1:02:06"
    late = datetime(2024, 2, 28, 23, 59)
    assert moment(61.0, late) == "00:00:01"
    assert moment(61.0, late, 100.0) == "Thu 00:00:01"
    assert moment(61.0, late, 8 * 86_400.0) == "2024-02-29 00:00:01"


def test_nothing_is_markup_in_words_from_elsewhere():
    text = Text(without_markup("`a` **b** [c](javascript:d)\n\n- e"))
    html = Page("x", (text,)).to_html()
    assert "<p>&#39;a&#39; ··b·· (c](javascript:d) - e</p>" in html


def test_lists_counts_and_file_names():
    assert listed(["A"]) == "A"
    assert listed(["A", "B", "C"], "or") == "A, B or C"
    assert listed(["A", "B, C", "D"]) == "A; B, C; and D"
    assert [counted(number, "seed") for number in (0, 1, 1200)] == [
        "0 seeds",
        "1 seed",
        "1,200 seeds",
    ]
    assert slug("Zoë to <LTAFDB>, 2.") == "zoe-to-ltafdb-2"
    assert slug("中") == ""
