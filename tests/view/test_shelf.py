"""All recordings that were named: judged one by one, kept, opened once."""

import threading

import pytest

from pacl.detect import Detector
from pacl.edits import Edit, append
from pacl.records import open_records
from pacl.stored import Kept
from pacl.view.opened import Opened
from pacl.view.shelf import MOST_OPEN
from support.viewing import shelf_of, write_night


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "nights"
    found.mkdir()
    write_night(found / "a.csv", 1, (300, 150))
    write_night(found / "b.csv", 2, (300,))
    (found / "torn.csv").write_text("rr_ms\n800\nwrong\n")
    return found


@pytest.fixture
def opened(monkeypatch):
    """Names of the recordings that were read and judged."""
    names, opening = [], Opened.open

    def counted(place, *rest):
        names.append(place.record_id)
        return opening(place, *rest)

    monkeypatch.setattr("pacl.view.shelf.Opened.open", counted)
    return names


@pytest.fixture
def kept(tmp_path):
    return Kept(tmp_path / "kept")


def judged(shelf):
    shelf.start()
    shelf._worker.join()
    return {one["name"]: one for one in shelf.rows_since(0)["rows"]}


def key_of(shelf, name):
    return next(key for key, one in shelf.places.items() if one.record_id == name)


def test_rows_are_kept_from_one_time_to_the_next(folder, opened, kept):
    first = judged(shelf_of(folder, kept=kept))
    assert sorted(opened) == ["a", "b", "torn"]
    assert {name: one["status"] for name, one in first.items()} == {
        "a": "ready",
        "b": "ready",
        "torn": "failed",
    }
    opened.clear()
    assert judged(shelf_of(folder, kept=kept)) == first
    assert opened == ["torn"]


@pytest.mark.parametrize("change", ["beats", "marks", "mode", "point"])
def test_a_row_is_computed_anew_after_any_change(folder, opened, kept, change):
    judged(shelf_of(folder, kept=kept))
    opened.clear()
    options = {"kept": kept}
    if change == "beats":
        write_night(folder / "a.csv", 9, (300, 150))
    if change == "marks":
        append(folder / "a.csv.edits.jsonl", open_records(folder / "a.csv").read("a"), [_mark()])
    if change == "mode":
        options["mode"] = "causal"
    if change == "point":
        options["detector"] = Detector(operating_point="sensitive")
    judged(shelf_of(folder, **options))
    assert set(opened) == ({"a", "torn"} if change in ("beats", "marks") else {"a", "b", "torn"})


def _mark():
    return Edit("af", 1, 60)


def test_a_row_follows_marks_and_is_kept_with_them(folder, opened, kept):
    shelf = shelf_of(folder, kept=kept)
    before = judged(shelf)["a"]
    one = shelf.opened(key_of(shelf, "a"))
    one.add(Edit("exclude", 1, 60))
    shelf.update(one)
    after = {row["name"]: row for row in shelf.rows_since(0)["rows"]}["a"]
    assert (before["edits"], after["edits"]) == (0, 1)
    assert after["judged_s"] < before["judged_s"]
    opened.clear()
    assert judged(shelf_of(folder, kept=kept))["a"] == after
    assert opened == ["torn"]


def test_a_row_follows_marks_of_another_program(folder):
    shelf = shelf_of(folder)
    judged(shelf)
    key = key_of(shelf, "a")
    shelf.opened(key)
    append(folder / "a.csv.edits.jsonl", open_records(folder / "a.csv").read("a"), [_mark()])
    before = shelf.rows_since(0)["revision"]
    shelf.opened(key)
    (row,) = shelf.rows_since(before)["rows"]
    assert (row["name"], row["edits"]) == ("a", 1)
    shelf.opened(key)
    assert shelf.rows_since(row["edits"] + before)["rows"] == []


def test_without_a_place_to_keep_all_is_judged(folder, opened):
    judged(shelf_of(folder))
    judged(shelf_of(folder))
    assert len(opened) == 6


def test_a_recording_is_opened_once_however_many_ask(folder, opened, monkeypatch):
    shelf = shelf_of(folder)
    key = key_of(shelf, "a")
    together, found = threading.Barrier(4), []

    def ask():
        together.wait()
        found.append(shelf.opened(key))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert opened == ["a"]
    assert len({id(one) for one in found}) == 1
    judged(shelf)  # a row that is there is not judged again
    assert sorted(opened) == ["a", "b", "torn"]


def test_one_recording_is_opened_once_by_its_page_and_in_the_background(folder, opened):
    shelf = shelf_of(folder / "a.csv")
    shelf.start()
    (key,) = shelf.places
    one = shelf.opened(key)
    shelf._worker.join()
    assert opened == ["a"]
    assert shelf.opened(key) is one


def test_few_recordings_are_held_in_memory(tmp_path):
    for number in range(MOST_OPEN + 2):
        write_night(tmp_path / f"n{number}.csv", number, (70,))
    shelf = shelf_of(tmp_path)
    for key in shelf.places:
        shelf.opened(key)
    assert list(shelf._open) == list(shelf.places)[-MOST_OPEN:]


def test_it_stops_before_the_next_recording(folder, opened, monkeypatch):
    shelf = shelf_of(folder)
    monkeypatch.setattr(shelf, "update", lambda one: shelf._stop.set())
    shelf.start()
    shelf.stop()
    assert opened == ["a"]


def test_a_recording_that_fails_to_open_is_a_failed_row(folder):
    shelf = shelf_of(folder)
    with pytest.raises(Exception, match=r"torn\.csv line 3"):
        shelf.opened(key_of(shelf, "torn"))
    (row,) = shelf.rows_since(1)["rows"]
    assert (row["name"], row["status"]) == ("torn", "failed")
    assert "torn.csv line 3" in row["error"]
