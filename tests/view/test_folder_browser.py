"""A folder in `pacl view`, in a browser: the index, its progress, a page and back."""

import threading

import pytest

from pacl.view.opened import Opened
from support.viewing import served, write_night

expect = pytest.importorskip("playwright.sync_api", reason="no Playwright").expect
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def folder(tmp_path):
    """Three nights, one with much more AF, and a file that is none."""
    write_night(tmp_path / "a-little.csv", 1, (600, 100, 600))
    write_night(tmp_path / "b-much.csv", 2, (100, 900, 100))
    write_night(tmp_path / f"{HOSTILE}.csv", 3, (900,))
    (tmp_path / "torn.csv").write_text("rr_ms\n800\nwrong\n")
    return tmp_path


def names(page):
    return page.locator("#table tbody th").all_inner_texts()


def test_rows_come_one_by_one_and_lead_to_pages_and_back(page, folder, monkeypatch):
    may_go_on, opening = threading.Semaphore(0), Opened.open

    def slowly(place, *rest):
        may_go_on.acquire()
        return opening(place, *rest)

    monkeypatch.setattr("pacl.view.shelf.Opened.open", slowly)
    with served(folder, page=page) as found:
        try:
            page.goto(found.address)
            progress = page.get_by_role("progressbar")
            expect(progress).to_be_visible()
            expect(page.locator("#table tbody tr")).to_have_count(4)
            may_go_on.release()
            expect(page.locator("#counts")).to_contain_text("1 judged")
        finally:
            may_go_on.release(100)
        expect(progress).to_be_hidden()
        expect(page.locator("#counts")).to_contain_text("3 judged, 1 failed")
        assert "torn.csv" in page.locator("tr.failed").inner_text()
        page.get_by_role("button", name="AF burden", exact=True).click()
        assert names(page)[:2] == ["b-much", "a-little"]
        page.get_by_role("link", name="a-little").click()
        page.locator("body[data-ready=yes]").wait_for()
        assert page.locator("h1").inner_text() == "Recording a-little"
        page.locator(".episode .choice.not-af").first.click()
        expect(page.locator("#marks-count")).to_have_text("1 mark")
        page.get_by_role("link", name="All recordings").click()
        row = page.locator("#table tbody tr", has_text="a-little")
        expect(row).to_contain_text("no AF")
        page.get_by_label("only with edits").check()
        assert names(page) == ["a-little"]


def test_names_with_markup_stay_text_in_the_index_and_on_pages(page, folder):
    dialogs = []
    page.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
    with served(folder, page=page, title=HOSTILE) as found:
        page.goto(found.address)
        expect(page.locator("#counts")).to_contain_text("3 judged")
        assert HOSTILE in names(page)
        page.get_by_role("link", name=HOSTILE).click()
        page.locator("body[data-ready=yes]").wait_for()
        assert page.locator("h1").inner_text() == f"Recording {HOSTILE}"
        assert page.locator("img").count() == 0
    assert dialogs == []
