"""The page of a recording as one file, in a browser: looked into, and printed."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pacl.detect import Detector, Mark
from pacl.ecg import Ecg, Segment
from pacl.report.recording import write_recording_page
from support.days import day_with
from support.rhythms import fibrillation, record_of, sinus
from support.shown_page import drawn, figures, ink, open_page, shown

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"


def pages_of(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def ecg_over(seconds, fs_hz=50.0):
    at_s = np.arange(int(seconds * fs_hz)) / fs_hz
    beats = np.where(at_s % 1 < 0.06, 1.0, 0.05 * np.sin(at_s)).astype(np.float32)
    return Ecg(fs_hz, ("I",), (Segment(0.0, beats[None]),), "digest", "made")


@pytest.fixture(scope="module")
def found():
    """Sinus rhythm and AF in turn: the recording, and what was found in it."""
    generator = np.random.default_rng(0)
    kinds = (sinus, fibrillation, sinus, fibrillation, sinus)
    record = record_of(np.concatenate([one(250, generator) for one in kinds]))
    return record, Detector().detect(record)


@pytest.fixture
def show(page, tmp_path):
    def shown_page(*parts, **more):
        path = tmp_path / "page.html"
        path.write_text(write_recording_page(*parts, **more), "utf-8")
        return open_page(page, path.as_uri())

    return shown_page


def test_it_needs_no_server_and_zooms(show, found):
    asked = []
    page = show(*found)
    page.on("request", lambda one: asked.append(one.url))
    assert figures(page)["Verdict"] == "AF"
    assert figures(page)["Episodes of AF"] == "2"
    assert ink(page, "#tachogram", "af") > 200
    before = shown(page)
    box = page.locator("#tachogram").bounding_box()
    page.mouse.move(box["x"] + 400, box["y"] + 100)
    page.mouse.wheel(0, -400)
    first, last = shown(page)
    assert last - first < (before[1] - before[0]) / 2
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 100, steps=3)
    page.mouse.up()
    assert shown(page)[0] > first
    page.keyboard.press("n")
    start_s = found[1].episodes[0].start_s
    assert shown(page)[0] < start_s < shown(page)[1]
    page.locator("#episodes .go").nth(1).click()
    assert shown(page)[0] > start_s
    page.keyboard.press("0")
    assert shown(page) == before
    assert asked == []


def test_it_takes_no_marks(show, found):
    page = show(*found)
    assert page.locator(".choice, #marks-list, #note, #undo").count() == 0
    page.keyboard.press("n")
    for key in ("a", "x", "r", "e", "m", "u", "Control+z"):
        page.keyboard.press(key)
    assert page.locator("#alert").inner_text() == ""
    page.keyboard.press("?")
    assert "exclude" not in page.locator("#help").inner_text()


def test_the_ecg_is_in_the_page(show, found):
    page = show(*found, ecg=ecg_over(600))
    page.keyboard.press("n")
    page.click("#ecg-near") if page.locator("#ecg-near").is_visible() else None
    page.locator("#ecg").wait_for()
    for _ in range(60):
        if ink(drawn(page), "#ecg", "ink"):
            break
    assert ink(page, "#ecg", "ink") > 100


def test_names_and_reasons_with_markup_stay_text(show, found):
    record, detection = found
    page = show(
        replace(record, record_id=HOSTILE, patient_id=f"{HOSTILE}!", source=HOSTILE),
        replace(detection, record_id=HOSTILE, source=HOSTILE),
    )
    assert page.locator("h1").first.inner_text() == f"Recording {HOSTILE}"
    assert f"patient {HOSTILE}!" in page.locator("header").inner_text()
    assert page.locator("img").count() == 0


def test_files_with_long_pauses_show_the_longest_part_first(show, make):
    make_record, make_detection = make
    record = make_record([1000] * 1000, files=(0, 200), onsets=(0.0, 90_000.0))
    page = show(record, make_detection(record, [(0.0, 200.0, 0.1), (90_000.0, 90_800.0, 0.9)]))
    assert shown(page) == (90_000, 90_800)
    page.keyboard.press("0")
    assert shown(page) == (0, 90_800)


@pytest.mark.parametrize("with_ecg", [False, True])
@pytest.mark.parametrize("episodes", [0, 1, 6, 100])
def test_it_prints_on_two_pages(show, make, episodes, with_ecg):
    record, detection = day_with(make, episodes, 60.0)
    page = show(record, detection, ecg=ecg_over(7200) if with_ecg else None)
    assert pages_of(page.pdf(format="A4")) == 2
    assert pages_of(page.pdf(format="Letter")) == 2


def test_the_longest_words_print_on_two_pages(show, make):
    """All that can be stated, at once."""
    record, detection = day_with(make, 100, 60.0)
    generator = np.random.default_rng(0)
    marked = record_of(np.concatenate([sinus(200, generator), fibrillation(200, generator)]))
    other = Detector().detect(marked, marks=(Mark("not-af", 5.0, 60.0),))
    name = "a name that is far longer than any that a person would give " * 3
    page = show(
        replace(record, patient_id=name, record_id=name),
        replace(
            detection,
            record_id=name,
            weights="af-beats",
            measured=other.measured,
            edits=other.edits,
            learned_from=True,
        ),
        ecg=ecg_over(7200),
    )
    assert other.measured
    assert pages_of(page.pdf(format="A4")) == 2
    assert pages_of(page.pdf(format="Letter")) == 2


def test_marks_by_hand_are_shown_with_the_result_without_them(show, found):
    record, before = found
    first = before.episodes[0]
    marks = [Mark("not-af", first.start_s, first.end_s)]
    page = show(record, Detector().detect(record, marks=marks))
    told = page.locator("#notices").inner_text()
    assert "With marks by hand. Without them: AF, AF burden" in told
    assert (
        page.evaluate("JSON.parse(document.getElementById('view').textContent).edits.length") == 1
    )
    assert figures(page)["Episodes of AF"] == "1"


def test_a_clock_with_a_fraction_of_a_second_is_read_as_it_is(show, found):
    page = show(*found)
    texts = page.evaluate(
        """() => {
          const clock = new pacl.Clock("2026-04-01T22:00:00.700000");
          return [clock.text(59), clock.text(3599), clock.text(0.25, { digits: 1 }),
            clock.text(59.4, { dated: true }), ...clock.ticks(0, 3600, 4).map((one) => one.label)];
        }"""
    )
    assert texts == [
        *("22:01:00", "23:00:00", "22:00:01.0", "2026-04-01 22:01:00"),
        *("22:15", "22:30", "22:45", "23:00"),
    ]
