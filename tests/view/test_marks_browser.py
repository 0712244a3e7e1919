"""Marks by hand in a browser: made, seen, kept, taken back, exported, and never lost."""

import json
import re

import pytest

from pacl.edits import EditLog
from pacl.records import open_records
from pacl.view import ViewServer, server, view_app
from support.in_process import pacl
from support.shown_page import (
    drawn,
    figures,
    ink,
    look_for_marks,
    notices,
    open_page,
    percent,
    shown,
)
from support.viewing import served, shelf_of

expect = pytest.importorskip("playwright.sync_api", reason="no Playwright").expect
HOSTILE = "<img src=x onerror=alert(1)> </script><script>alert(2)</script>"
KINDS = {"af": "AF", "not-af": "Not AF", "sinus": "Sinus rhythm", "exclude": "Excluded"}


@pytest.fixture
def opened(one, page):  # the page is closed before its server stops
    return open_page(page, one.address)


def count(page, marks):
    """Wait until the page shows so many marks."""
    text = {0: "No marks yet.", 1: "1 mark"}.get(marks, f"{marks} marks")
    expect(page.locator("#marks-count")).to_have_text(text, timeout=15_000)


def kept(night):
    record = open_records(night).read("night")
    return EditLog.read(night.with_name("night.csv.edits.jsonl"), record)


def burden(page):
    return figures(page)["AF burden"]


def test_each_kind_changes_the_result_at_once(opened, one, night):
    first = one.values(one.below("night", "view"))
    before = figures(opened)
    item = opened.locator(".episode").first
    item.locator(".choice.not-af").click()
    count(opened, 1)
    after = figures(opened)
    assert after["Episodes of AF"] == "1"
    assert float(after["AF burden"].split()[0]) < float(before["AF burden"].split()[0])
    assert f"Without them: AF, AF burden {before['AF burden']}" in notices(opened)
    assert ink(opened, "#tachogram", "not-af") > 200
    opened.locator(".episode .choice.exclude").click()
    count(opened, 2)
    left = figures(opened)
    assert (left["Verdict"], left["AF burden"], left["Episodes of AF"]) == ("no AF", "0 %", "0")
    excluded = first["episodes"][1]
    share = (excluded["end_s"] - excluded["start_s"]) / first["recorded_s"]
    assert float(left["Not judged"].split()[0]) == pytest.approx(100 * share, abs=0.5)
    expect(opened.locator("#about")).to_contain_text("excluded by hand")
    assert "No episode of AF" in opened.locator("#episodes").inner_text()


def test_the_selected_stretch_is_marked_by_its_buttons(opened, night):
    opened.click("#minute")
    opened.click("#select-mode")
    for number, (kind, name) in enumerate(KINDS.items()):
        box = opened.locator("#tachogram").bounding_box()
        x = box["x"] + 100 + 250 * number
        opened.mouse.move(x, box["y"] + 100)
        opened.mouse.down()
        opened.mouse.move(x + 200, box["y"] + 110, steps=3)
        opened.mouse.up()
        opened.locator(f"#selection .choice.{kind}").click()
        count(opened, number + 1)
        assert opened.locator("#marks-list strong").first.inner_text() == name
        expect(opened.locator("#selection")).to_be_hidden()
    assert [one.kind for one in kept(night).edits] == list(KINDS)
    for colour in ("sinus", "exclude"):
        assert ink(opened, "#tachogram", colour) > 200


def test_a_reload_shows_the_same(opened, one):
    opened.locator(".episode .choice.not-af").first.click()
    count(opened, 1)
    before = figures(opened), notices(opened), opened.locator("#marks-list").inner_text()
    opened.reload()
    opened.locator("body[data-ready=yes]").wait_for()
    count(opened, 1)
    after = figures(opened), notices(opened), opened.locator("#marks-list").inner_text()
    assert after == before


def test_marks_are_taken_back_and_put_back(opened, night):
    results = [figures(opened)]
    assert opened.locator("#undo").is_disabled()
    for marks, kind in ((1, "not-af"), (2, "exclude")):
        opened.locator(f".episode .choice.{kind}").first.click()
        count(opened, marks)
        results.append(figures(opened))
    assert len({one["AF burden"] for one in results}) == 3
    opened.keyboard.press("u")  # both at once: the second waits for the first
    opened.keyboard.press("u")
    count(opened, 0)
    assert figures(opened) == results[0]
    assert opened.locator("#alert").inner_text() == ""
    opened.click("#redo")
    count(opened, 1)
    assert figures(opened) == results[1]
    opened.keyboard.press("Control+Shift+z")
    count(opened, 2)
    assert figures(opened) == results[2]
    opened.locator("#marks-list button").first.click()
    count(opened, 1)
    assert figures(opened) == results[1]
    opened.keyboard.press("Control+z")
    count(opened, 0)
    opened.keyboard.press("Control+y")
    count(opened, 1)
    assert [one.kind for one in kept(night).undone] == ["exclude"]


def test_keys_alone_suffice(opened, night):
    opened.keyboard.press("x")
    expect(opened.locator("#alert")).to_contain_text("Select a stretch first")
    opened.keyboard.press("n")
    opened.keyboard.press("x")
    count(opened, 1)
    opened.keyboard.press("u")
    count(opened, 0)
    opened.keyboard.press("0")
    opened.keyboard.press("+")
    first, last = shown(opened)
    for key in (",", ",", "[", ".", ".", ".", ".", "]"):
        opened.keyboard.press(key)
    expect(opened.locator("#selection")).to_be_visible()
    opened.keyboard.press("r")
    count(opened, 1)
    (mark,) = kept(night).edits
    middle, step = (first + last) / 2, (last - first) / 100
    assert mark.kind == "sinus"
    assert (mark.start_s, mark.end_s) == pytest.approx(
        (middle - 2 * step, middle + 2 * step), abs=1
    )
    opened.keyboard.press("n")
    opened.keyboard.press("m")
    expect(opened.locator("#note")).to_be_visible()
    opened.keyboard.type("n x u: letters, not commands")
    opened.keyboard.press("Tab")
    opened.keyboard.press("Enter")
    count(opened, 2)
    assert kept(night).edits[-1].note == "n x u: letters, not commands"
    opened.keyboard.press("n")
    opened.keyboard.press("m")
    opened.keyboard.type("left out")
    opened.keyboard.press("Escape")
    expect(opened.locator("#note")).to_be_hidden()
    drawn(opened)  # only then does the field of the note lose the keys
    opened.keyboard.press("u")
    count(opened, 1)


def test_a_note_with_markup_stays_text(opened, night):
    dialogs = []
    opened.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
    opened.keyboard.press("n")
    opened.click("#note-open")
    opened.fill("#note-text", HOSTILE)
    opened.click("#note button[value=save]")
    count(opened, 1)
    assert opened.locator("#marks-list q").inner_text() == HOSTILE
    opened.reload()
    opened.locator("body[data-ready=yes]").wait_for()
    assert opened.locator("#marks-list q").inner_text() == HOSTILE
    assert opened.locator("img").count() == 0
    assert kept(night).edits[0].note == HOSTILE
    assert dialogs == []


def test_exports_are_files_that_detect_takes(opened, night, tmp_path):
    opened.locator(".episode .choice.not-af").first.click()
    count(opened, 1)
    files = {}
    for name in ("Marks as a file", "This person's profile", "Result as JSON"):
        with opened.expect_download() as download:
            opened.get_by_role("link", name=name).click()
        found = download.value
        files[found.suggested_filename] = tmp_path / f"exported-{found.suggested_filename}"
        found.save_as(files[found.suggested_filename])
    # the browser may name a file of JSON lines by its last ending
    edits = files.pop(next(one for one in files if "edits" in one))
    assert set(files) == {"person.json", "detection.json"}
    assert edits.read_bytes() == night.with_name("night.csv.edits.jsonl").read_bytes()
    done = pacl("detect", night, "--edits", edits, "--format", "json")
    assert done.returncode == 0, done.stderr
    told, shown_here = json.loads(done.stdout), figures(opened)
    assert told["verdict"] == shown_here["Verdict"]
    assert percent(told["af_burden"]) == shown_here["AF burden"]
    assert str(len(told["episodes"])) == shown_here["Episodes of AF"]
    stated = json.loads(files["detection.json"].read_text())
    assert {name: stated[name] for name in ("verdict", "af_burden", "episodes")} == {
        name: told[name] for name in ("verdict", "af_burden", "episodes")
    }
    done = pacl("detect", night, "--person", files["person.json"])
    assert done.returncode == 0, done.stderr


def test_two_pages_at_once_lose_nothing_and_show_the_same(opened, night):
    other = open_page(opened.context.new_page(), opened.url)
    opened.locator(".episode .choice.not-af").first.click()
    other.locator(".episode .choice.af").nth(1).click()
    other.keyboard.press("n")
    other.keyboard.press("r")
    count(other, 3)
    look_for_marks(opened)
    count(opened, 3)
    assert figures(opened) == figures(other)
    assert sorted(one.kind for one in kept(night).edits) == ["af", "not-af", "sinus"]


def test_what_is_selected_survives_marks_of_others(opened, one):
    opened.keyboard.press("n")
    before = opened.locator("#selection-text").inner_text(), shown(opened)
    one.mark("night", kind="note", start_s=1, end_s=2, note="seen elsewhere")
    count(opened, 1)
    assert (opened.locator("#selection-text").inner_text(), shown(opened)) == before


def test_a_page_says_that_the_server_is_away_and_goes_on_when_it_is_back(page, night, monkeypatch):
    monkeypatch.setattr(server, "new_token", lambda: "the-same-secret")
    shelf = shelf_of(night)
    first = ViewServer(view_app(shelf, "night"))
    first.start()
    open_page(page, first.address)
    page.locator(".episode .choice.not-af").first.click()
    count(page, 1)
    first.stop()
    page.keyboard.press("n")
    page.keyboard.press("x")
    alert = page.locator("#alert")
    expect(alert).to_contain_text("Not saved")
    expect(alert).to_contain_text("does not answer")
    assert page.locator("#selection").is_visible()
    expect(page.locator("body.busy")).to_have_count(0)
    again = ViewServer(view_app(shelf_of(night), "night"), port=first.port)
    again.start()
    try:
        page.keyboard.press("x")
        count(page, 2)
        assert alert.inner_text() == ""
        assert [one.kind for one in kept(night).edits] == ["not-af", "not-af"]
    finally:
        again.stop()
        shelf.stop()
    page.goto("about:blank")  # it asks no more
    page.goto("about:blank")
    page.faults.clear()  # the browser prints each request that failed


def test_a_page_says_that_the_server_is_away_without_being_asked(page, night):
    with served(night) as found:
        open_page(page, found.address)
    alert = page.locator("#alert")
    look_for_marks(page)
    expect(alert).to_contain_text("does not answer", timeout=10_000)
    with served(night, port=found.port):
        look_for_marks(page)
        expect(alert).to_contain_text("open the address", timeout=10_000)
        page.keyboard.press("n")
        page.keyboard.press("x")
        expect(alert).to_contain_text("Not saved")
        expect(alert).to_contain_text("open the address")
    page.goto("about:blank")
    page.goto("about:blank")
    page.faults.clear()


def test_a_mark_that_cannot_be_kept_says_why(one, page, night):
    open_page(page, one.address)
    night.with_name("night.csv.edits.jsonl").write_text('{"format": "something else"}\n')
    page.keyboard.press("n")
    page.keyboard.press("x")
    expect(page.locator("#alert")).to_contain_text("Not saved")
    expect(page.locator("#alert")).to_contain_text("night.csv.edits.jsonl: line 1")
    assert page.locator("#selection").is_visible()
    page.goto("about:blank")
    page.faults.clear()


def test_a_mark_that_was_saved_is_never_called_unsaved(one, page, night):
    open_page(page, one.address)
    page.route(re.compile(r"/beats$"), lambda route: route.abort())
    page.keyboard.press("n")
    page.keyboard.press("x")
    expect(page.locator("#alert")).to_contain_text("Saved.")
    assert len(kept(night).edits) == 1
    page.unroute_all()
    look_for_marks(page)
    count(page, 1)
    expect(page.locator("#alert")).to_have_text("")
    page.goto("about:blank")
    page.faults.clear()


def test_after_a_mark_the_next_key_goes_to_the_next_episode(opened, one):
    episodes = one.values(one.below("night", "view"))["episodes"]
    for number, episode in enumerate(episodes, 1):
        opened.keyboard.press("n")
        opened.keyboard.press("a")
        count(opened, number)
        marks = one.values(one.below("night", "view"))["edits"]
        assert marks[-1]["start_s"] == pytest.approx(episode["start_s"], abs=0.01)
    opened.keyboard.press("n")  # round to the first
    opened.keyboard.press("p")
    first, last = shown(opened)
    assert first < episodes[-1]["start_s"] < last


def test_the_focus_stays_in_the_list(opened):
    opened.locator(".episode .choice.sinus").first.focus()
    opened.keyboard.press("Enter")
    count(opened, 1)
    focused = "document.activeElement.closest('.episode') !== null"
    expect(opened.locator("#outcome")).to_contain_text("Now: ")
    assert opened.evaluate(focused)


def test_a_note_that_could_not_be_saved_is_not_lost(opened):
    opened.route(re.compile(r"/edits$"), lambda route: route.abort())
    opened.keyboard.press("n")
    opened.keyboard.press("m")
    opened.fill("#note-text", "seen in the ECG")
    opened.click("#note button[value=save]")
    expect(opened.locator("#alert")).to_contain_text("Not saved")
    opened.keyboard.press("m")
    assert opened.input_value("#note-text") == "seen in the ECG"
    opened.faults.clear()
