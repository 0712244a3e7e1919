"""The print sheet, as it is computed."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.detect import Detector, Mark
from pacl.ecg import Ecg, Segment
from pacl.report.recording.sheet import HEIGHT, MOST_NAMED, MOST_STRIPS, WIDTH, compute_sheet
from support.days import day_with
from support.rhythms import fibrillation, record_of, sinus


def test_all_of_the_recording_lies_in_the_picture(night):
    sheet = compute_sheet(*night)
    assert sheet.title == "night"
    assert {one.kind for one in sheet.dots} == {"af", "not-af", "unknown"}
    places = np.array(
        [
            tuple(map(float, dot.removesuffix("h1").split()))
            for one in sheet.dots
            for dot in one.outline.split("M")[1:]
        ]
    )
    assert (places >= 0).all()
    assert (places <= [WIDTH, HEIGHT]).all()
    assert np.ptp(places[:, 0]) == pytest.approx(WIDTH, rel=0.01)
    (shade,) = sheet.shades
    assert (shade.x, shade.width) == pytest.approx((WIDTH / 3, WIDTH / 3), abs=0.2)
    assert sum(bar.height for bar in sheet.bars if bar.kind == "af") == pytest.approx(60)
    assert "Verdict" in dict(sheet.summary)


@pytest.mark.parametrize("episodes", [0, 1, 6, 16, 17, 100])
def test_the_longest_episodes_have_strips_and_others_are_named(make, episodes):
    record, detection = day_with(make, episodes)
    sheet = compute_sheet(record, detection)
    assert len(sheet.strips) == min(episodes, MOST_STRIPS[False])
    named = sheet.left_out.count("(")
    assert named == min(max(episodes - MOST_STRIPS[False], 0), MOST_NAMED)
    rest = episodes - len(sheet.strips) - named
    assert (f"and {rest} more" in sheet.left_out) == (rest > 0)
    starts = [one.title.rjust(8) for one in sheet.strips]
    assert starts == sorted(starts)
    if episodes:
        assert "2 min 00 s" in sheet.strips[0].facts.replace("\N{NO-BREAK SPACE}", " ")
        assert "confidence 90" in sheet.strips[0].facts


def test_an_ecg_is_drawn_to_scale_where_there_is_one(make):
    record, detection = day_with(make, 2)
    values = np.zeros((1, 2000), np.float32)
    values[0, 150] = 1.0
    sheet = compute_sheet(
        record, detection, Ecg(100.0, ("I",), (Segment(100.0, values),), "digest", "made")
    )
    first, second = sheet.strips
    assert sheet.with_ecg
    assert second.ecg is None
    points = [tuple(map(float, one.split())) for one in first.ecg[1:].split("L")]
    assert min(y for _, y in points) == pytest.approx(points[0][1] - 10)  # 10 mm a millivolt
    peak = next(x for x, y in points if y < points[0][1])
    assert peak == pytest.approx(25 * 1.5, abs=0.1)  # 25 mm a second


def test_a_short_recording_has_no_bars(make):
    make_record, make_detection = make
    record = make_record([1000] * 100)
    sheet = compute_sheet(record, make_detection(record, []))
    assert (sheet.bars, sheet.shades, sheet.strips, sheet.left_out) == ((), (), (), "")


def test_marks_and_reasons_are_stated():
    generator = np.random.default_rng(0)
    record = record_of(np.concatenate([sinus(200, generator), fibrillation(200, generator)]))
    detection = Detector().detect(record, marks=(Mark("not-af", 5.0, 60.0),))
    found = dict(compute_sheet(record, detection).summary)
    assert "without: AF" in found["Marked by hand"]
    short = replace(record, rr_ms=record.rr_ms[:20], spans=(replace(record.spans[0], stop=20),))
    found = dict(compute_sheet(short, Detector().detect(short)).summary)
    assert "needs 60 plausible beats" in found["Reason"]
