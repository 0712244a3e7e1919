"""The page of a recording: what it says, of whatever it is given, and that it needs nothing."""

import re
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser

import numpy as np
import pytest

from pacl.detect import Detector
from pacl.report.page import PageError
from pacl.report.recording import write_recording_page
from pacl.report.wording import SPACE
from support.refusals import refused


class Reading(HTMLParser):
    """The words of a page, and the addresses it names."""

    def __init__(self, html):
        super().__init__()
        self.words, self.addresses, self.images, self.inside = [], [], [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.inside = tag
        self.addresses += [value for name, value in attrs if name in ("src", "href", "srcset")]
        self.images += [dict(attrs)["alt"]] if tag == "img" else []

    def handle_data(self, data):
        if self.inside not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).replace(SPACE, " ").split())


def test_the_page_has_the_results(night):
    reading = Reading(write_recording_page(*night))
    text = reading.text
    for words in (
        "Recording night",
        "Not a medical device.",
        "Verdict AF",
        "AF burden 40 %, 1 h 00 min",
        "Episodes 1, the longest 1 h 00 min",
        "Duration 3 h 00 min, 10,800 beats",
        "Not judged 17 %",
        "Wed 23:30:00 1 h 00 min, confidence 90 %",
        "too <noisy>",
        "look-ahead :",
        "causal :",
        "70 beats",
        "weights af-rr200",
        "Operating point balanced",
        "step of 50 beats",
    ):
        assert words in text
    assert "Among the reference patients" not in text
    assert not reading.images


def test_the_page_of_af_lies_among_af(make):
    make_record, _ = make
    beats = np.clip(620 * np.random.default_rng(1).lognormal(0, 0.22, 2000), 250, 1900)
    record, detector = make_record(beats), Detector("af-rr200")
    reading = Reading(write_recording_page(record, detector.detect(record), detector.place(record)))
    assert "10 reference rhythms" in reading.text
    assert "all are AF" in reading.text
    assert "Unlike the reference patients" not in reading.text
    assert "reference patients" in " ".join(reading.images)


def test_nothing_comes_from_outside_and_every_time_the_same(night):
    html = write_recording_page(*night)
    assert html == write_recording_page(*night)
    assert all(one.startswith(("data:", "#")) for one in Reading(html).addresses)
    assert not re.search(r"https?://", html)


@pytest.mark.parametrize("name", ["<b>bold</b>", "`a` **b** [c](javascript:d)", "{title} %s", "夜"])
def test_any_name_is_only_a_name(make, name):
    make_record, make_detection = make
    record = make_record([1000] * 300, record_id=name)
    html = write_recording_page(record, make_detection(record, [(0.0, 300.0, 0.1)]))
    assert "<b>" not in html
    assert f"Recording {name}" in Reading(html).text
    assert 'href="javascript' not in html


def test_without_af_the_page_says_so_and_short_ones_have_no_hours(make):
    make_record, make_detection = make
    record = make_record([1000] * 300)
    reading = Reading(write_recording_page(record, make_detection(record, [(0.0, 300.0, 0.1)])))
    assert "Verdict no AF" in reading.text
    assert "AF burden 0 %" in reading.text
    assert "No episode of AF" in reading.text
    assert "There is no result" not in reading.text
    assert "AF by hour" not in reading.text


@pytest.mark.parametrize("rr_ms", [[800], [800] * 50, [20_000], [0], [50, 20_000, 3000]])
def test_where_nothing_could_be_judged_it_says_why(make, rr_ms):
    make_record, make_detection = make
    record = make_record(rr_ms)
    found = make_detection(record, [], not_judged=[(0.0, 0.5, "too [few](x:y)")], mode="causal")
    reading = Reading(write_recording_page(record, found))
    assert "cannot tell" in reading.text
    assert "needs 200 plausible beats" in reading.text
    assert f"the longest run has {len(rr_ms)}" in reading.text
    assert "too [few](x:y)" in reading.text
    assert "Not judged 100 %" in reading.text


def test_where_too_little_was_judged_it_says_how_much(make):
    make_record, make_detection = make
    record = make_record([1000] * 3000)
    found = make_detection(record, [(0.0, 300.0, 0.1)], not_judged=[(300.0, 3000.0, "noise")])
    text = Reading(write_recording_page(record, found)).text
    assert "Verdict cannot tell" in text
    assert "only 10.0 % of the recorded time" in text
    assert "Not judged 90 %" in text


def test_a_clock_that_jumps_by_years_makes_a_small_page(make):
    """One bar for each hour in between would be 210,000, and never come to an end."""
    make_record, _ = make
    later = 24 * 365 * 86_400.0
    beats = np.random.default_rng(0).normal(1000, 20, 16_000)
    started = datetime(2000, 1, 1, 10, 30)
    record, detector = make_record(beats, "jump", started, (0, 8000), (0.0, later)), Detector()
    reading = Reading(write_recording_page(record, detector.detect(record), detector.place(record)))
    assert "Duration 4 h 27 min, 16,000 beats" in reading.text
    assert len(reading.text) < 20_000


def test_every_beat_that_is_judged_is_said_to_be(make):
    make_record, _ = make
    record = make_record(np.clip(620 * np.random.default_rng(1).lognormal(0, 0.22, 70), 250, 1900))
    detection = Detector(min_duration_s=120.0).detect(record)
    text = Reading(write_recording_page(record, detection)).text
    assert "for each beat" in text
    assert "step of 50 beats" not in text
    assert "Verdict possible AF" in text
    assert "120 s" in text
    known = Reading(write_recording_page(record, replace(detection, learned_from=True))).text
    assert "learned from this recording" in known
    assert "learned from this recording" not in text


def test_the_detection_of_another_record_is_refused(make, night):
    other, _ = make
    with refused(PageError, "other", "night"):
        write_recording_page(other([800], record_id="other"), night[1])


def test_no_torch_is_needed():
    code = """
import sys
import numpy as np
from pacl.detect import Detector
from pacl.records import Record, Rhythm, Span
from pacl.report import recording
print({"matplotlib", "jinja2"} & set(sys.modules))
rr_ms = np.random.default_rng(0).integers(500, 1100, 600).astype(np.int32)
record = Record("a", "a", rr_ms, np.array([0]), np.array([0.0]),
                (Span(0, 600, Rhythm.UNKNOWN),), "", "a.txt")
detector = Detector()
html = recording.write_recording_page(record, detector.detect(record), detector.place(record))
print([name for name in ("torch", "sklearn", "scipy") if name in sys.modules], len(html) > 10_000)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.split("\n")[:2] == ["set()", "[] True"], done.stdout + done.stderr
