"""The page of `pacl view` in a browser: looking, without changing anything."""

import re
from urllib.parse import urlsplit

import pytest

from support.browser import watch
from support.shown_page import (
    LEFT,
    RIGHT,
    colour,
    drawn,
    figures,
    ink,
    notices,
    open_page,
    percent,
    shown,
    x_of,
)
from support.viewing import served, write_night

TELEPHONE = {"width": 390, "height": 844}
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(write_night(tmp_path_factory.mktemp("look") / "night.csv")) as found:
        yield found


@pytest.fixture(scope="module")
def shared(browser, server):
    """One page for tests that only look; it is opened once."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    faults = []
    context.on("page", lambda one: watch(one, faults))
    found = open_page(context.new_page(), server.address)
    found.set_default_timeout(10_000)
    yield found
    context.close()
    assert not faults, "\n".join(faults)


@pytest.fixture
def opened(shared):
    """The page as it is at first."""
    shared.mouse.move(1, 1)
    shared.emulate_media(media="screen", color_scheme="light")
    shared.evaluate("scrollTo(0, 0)")
    shared.keyboard.press("Escape")
    shared.keyboard.press("0")
    return shared


@pytest.fixture
def view(server):
    return server.values(server.below("night", "view"))


@pytest.fixture(scope="module")
def telephone(browser, server):
    """The page on a telephone: narrow, sharp, and touched."""
    context = browser.new_context(
        viewport=TELEPHONE, has_touch=True, is_mobile=True, device_scale_factor=2
    )
    faults = []
    context.on("page", lambda one: watch(one, faults))
    found = open_page(context.new_page(), server.address)
    yield found
    context.close()
    assert not faults, "\n".join(faults)


def whole(view):
    return pytest.approx((view["from_s"], view["to_s"]), abs=1)


def chart_width(page):
    return page.locator("#tachogram").bounding_box()["width"] - LEFT - RIGHT


def test_it_opens_with_the_result_and_all_beats(page, server, view):
    asked = []
    page.on("request", lambda one: asked.append(urlsplit(one.url)))
    open_page(page, server.address)
    found = figures(page)
    assert found["Verdict"] == view["verdict"] == "AF"
    assert found["AF burden"] == percent(view["af_burden"])
    assert found["Episodes of AF"] == "2"
    assert shown(page) == whole(view)
    assert page.locator("#episodes .episode").count() == 2
    for name in ("af", "not-af"):
        assert ink(page, "#tachogram", name) > 200
        assert ink(page, "#overview", name) > 50
        assert ink(page, "#poincare", name) > 10
    assert {one.hostname for one in asked} == {"127.0.0.1"}
    assert {one.port for one in asked} == {server.port}
    assert all(one.path.startswith(server.base) for one in asked)


def test_a_drag_pans(opened, view):
    opened.click("#minute")
    first, last = shown(opened)
    box = opened.locator("#tachogram").bounding_box()
    opened.mouse.move(box["x"] + 600, box["y"] + 100)
    opened.mouse.down()
    opened.mouse.move(box["x"] + 500, box["y"] + 120, steps=4)
    opened.mouse.up()
    by = 100 * (last - first) / chart_width(opened)
    assert shown(opened) == pytest.approx((first + by, last + by), abs=1.1)
    for _ in range(30):  # no further than the recording
        opened.keyboard.press("Shift+ArrowRight")
    assert shown(opened)[1] == pytest.approx(view["to_s"], abs=0.02 * view["to_s"])


def test_the_wheel_zooms_around_the_pointer_and_pans_with_shift(opened, view):
    at = 0.5 * (view["from_s"] + view["to_s"]) / 2
    x = x_of(opened, at)
    y = opened.locator("#tachogram").bounding_box()["y"] + 100
    before = shown(opened)
    opened.mouse.move(x, y)
    opened.mouse.wheel(0, -400)
    first, last = shown(opened)
    assert last - first == pytest.approx((before[1] - before[0]) / 2.718, rel=0.01)
    assert x_of(opened, at) == pytest.approx(x, abs=3)
    opened.mouse.wheel(0, 300)
    assert shown(opened)[1] - shown(opened)[0] > last - first
    opened.keyboard.press("0")
    opened.click("#zoom-in")
    opened.mouse.move(x, y)
    first, last = shown(opened)
    opened.keyboard.down("Shift")
    opened.mouse.wheel(0, 200)
    opened.keyboard.up("Shift")
    assert shown(opened) == pytest.approx(
        (first + (last - first) / 4, last + (last - first) / 4), 0.01
    )


def test_buttons_and_keys_zoom_alike(opened, view):
    lasts = view["to_s"] - view["from_s"]

    def length():
        first, last = shown(opened)
        return last - first

    for zoom_in, zoom_out, everything in (
        *((lambda: opened.click("#zoom-in"), lambda: opened.click("#zoom-out"), "#whole"),),
        *((lambda: opened.keyboard.press("+"), lambda: opened.keyboard.press("-"), "0"),),
    ):
        zoom_in()
        zoom_in()
        assert length() == pytest.approx(lasts / 4, abs=1.1)
        zoom_out()
        assert length() == pytest.approx(lasts / 2, abs=1.1)
        opened.click(everything) if everything[0] == "#" else opened.keyboard.press(everything)
        assert shown(opened) == whole(view)
    opened.click("#minute")
    assert length() == pytest.approx(60, abs=1.1)
    for _ in range(12):  # not below a few beats
        opened.keyboard.press("+")
    assert length() == pytest.approx(2, abs=0.2)


def test_zooming_goes_to_the_middle_where_the_cursor_is_out_of_view(opened, view):
    box = opened.locator("#tachogram").bounding_box()
    opened.click("#zoom-in")
    opened.click("#zoom-in")
    opened.mouse.move(box["x"] + LEFT + 10, box["y"] + 50)
    opened.keyboard.press("Shift+ArrowRight")
    first, last = shown(opened)
    opened.keyboard.press("+")
    middle = (first + last) / 2
    assert sum(shown(opened)) / 2 == pytest.approx(middle, abs=1.1)


def test_episodes_are_jumped_to_from_the_list_the_chart_and_by_keys(opened, view):
    one, other = view["episodes"]

    def is_around(episode):
        first, last = shown(opened)
        lasts = episode["end_s"] - episode["start_s"]
        around = max(0.35 * lasts, 15)
        wanted = (episode["start_s"] - around, episode["end_s"] + around)
        return (first, last) == pytest.approx(wanted, abs=1.1)

    opened.locator("#episodes .go").nth(1).click()
    assert is_around(other)
    assert opened.locator("#episodes .go[aria-current=true]").count() == 1
    assert opened.locator("#selection-text").inner_text().count(" to ") == 1
    opened.keyboard.press("n")
    assert is_around(one)
    opened.keyboard.press("n")
    assert is_around(other)
    opened.click("#previous")
    assert is_around(one)
    opened.click("#whole")
    ribbon = opened.locator("#tachogram").bounding_box()["y"] + 10 + 270 + 6 + 6
    opened.mouse.click(x_of(opened, (other["start_s"] + other["end_s"]) / 2), ribbon)
    assert is_around(other)
    opened.keyboard.press("Escape")
    assert opened.locator("#selection").is_hidden()


def test_the_order_of_episodes_can_be_chosen(opened, view):
    def starts():
        return [float(one.get_attribute("data-start")) for one in opened.locator(".episode").all()]

    by_time = [one["start_s"] for one in view["episodes"]]
    assert starts() == by_time
    opened.select_option("#order", "longest")
    lasts = {one["start_s"]: one["end_s"] - one["start_s"] for one in view["episodes"]}
    assert starts() == sorted(by_time, key=lambda one: -lasts[one]) == by_time[::-1]
    opened.select_option("#order", "time")


def test_a_frame_in_one_picture_marks_beats_in_the_others(opened):
    assert ink(opened, "#tachogram", "brush") == 0
    box = opened.locator("#histogram").bounding_box()
    opened.mouse.move(box["x"] + 60, box["y"] + 60)
    opened.mouse.down()
    opened.mouse.move(box["x"] + 200, box["y"] + 80, steps=3)
    opened.mouse.up()
    drawn(opened)
    assert ink(opened, "#tachogram", "brush") > 20
    opened.keyboard.press("Escape")
    drawn(opened)
    assert ink(opened, "#tachogram", "brush") == 0


def test_a_narrow_screen_shows_all_without_scrolling_sideways(telephone):
    widest = """() => Math.max(...[...document.querySelectorAll("body *:not(.scroll *)")]
      .filter((one) => one.checkVisibility() && !one.closest(".hidden-text, .skip"))
      .map((one) => one.getBoundingClientRect().right))"""
    assert telephone.evaluate("document.documentElement.scrollWidth") <= TELEPHONE["width"]
    assert telephone.evaluate(widest) <= TELEPHONE["width"]
    telephone.locator("#next").tap()
    telephone.locator("#selection .choice").first.wait_for()
    assert telephone.evaluate("document.documentElement.scrollWidth") <= TELEPHONE["width"]


def test_a_tap_sets_the_cursor_and_opens_episodes(telephone, view):
    telephone.locator("#whole").tap()
    chart = telephone.locator("#tachogram")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    telephone.touchscreen.tap(box["x"] + LEFT + 200, box["y"] + 100)
    drawn(telephone)
    assert ink(telephone, "#tachogram", "ink", [LEFT + 198, 20, 5, 100]) > 60
    other = view["episodes"][1]
    x = x_of(telephone, (other["start_s"] + other["end_s"]) / 2)
    telephone.touchscreen.tap(x, box["y"] + 10 + 190 + 6 + 6)
    assert shown(telephone)[0] == pytest.approx(
        other["start_s"] - 0.35 * (other["end_s"] - other["start_s"]), abs=1.1
    )


def test_two_fingers_zoom(telephone):
    telephone.locator("#whole").tap()
    chart = telephone.locator("#tachogram")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    middle, y = box["x"] + LEFT + 150, box["y"] + 100
    before = shown(telephone)
    fingers = telephone.context.new_cdp_session(telephone)

    def touch(kind, apart):
        points = [{"x": middle + side * apart, "y": y, "id": side} for side in (-1, 1)]
        sent = {"type": kind, "touchPoints": [] if kind == "touchEnd" else points}
        fingers.send("Input.dispatchTouchEvent", sent)

    touch("touchStart", 30)
    for apart in (40, 50, 60, 70, 80, 90):
        touch("touchMove", apart)
    touch("touchEnd", 0)
    first, last = shown(telephone)
    assert last - first == pytest.approx((before[1] - before[0]) / 3, rel=0.1)
    assert telephone.evaluate("visualViewport.scale") == 1


def test_it_turns_dark_with_the_machine_and_by_the_button(opened):
    def paper():
        card = opened.locator(".chart").first
        return card.evaluate("(one) => getComputedStyle(one).backgroundColor")

    light, dots = paper(), colour(opened, "af")
    assert ink(opened, "#tachogram", "af") > 200
    opened.locator(".strip").first.scroll_into_view_if_needed()
    opened.locator(".strip[data-drawn=yes]").first.wait_for()
    opened.emulate_media(color_scheme="dark")
    drawn(opened)
    assert paper() != light
    assert colour(opened, "af") != dots
    assert ink(opened, "#tachogram", "af") > 200  # drawn anew, in the colour of the dark
    assert ink(opened, ".strip >> nth=0", "af") > 10
    opened.click("#theme")
    drawn(opened)
    assert paper() == light
    assert colour(opened, "af") == dots
    assert ink(opened, "#tachogram", "af") > 200


def test_all_that_can_be_used_has_a_name_and_keys_are_listed(opened):
    unnamed = opened.evaluate(
        """() => [...document.querySelectorAll("button, a[href], select, textarea, canvas")]
          .filter((one) => one.checkVisibility() && !one.closest("[aria-hidden=true]")
          && !(one.textContent.trim() || one.labels?.length || one.getAttribute("aria-label")))
          .map((one) => one.outerHTML)"""
    )
    assert unnamed == ['<canvas id="overview" aria-hidden="true"></canvas>'] or unnamed == []
    opened.keyboard.press("?")
    assert opened.locator("#help").is_visible()
    opened.keyboard.press("Escape")
    assert not opened.locator("#help").is_visible()
    opened.keyboard.press("n")
    opened.locator("#spoken:has-text('beats')").wait_for(state="attached")


def test_names_with_markup_stay_text(page, tmp_path):
    path = write_night(tmp_path / f"{HOSTILE}.csv")
    dialogs = []
    page.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
    with served(path, page=page) as found:
        open_page(page, found.address)
        assert page.title() == f"Recording {HOSTILE}"
        assert page.locator("h1").inner_text() == f"Recording {HOSTILE}"
        assert HOSTILE in page.locator("code").first.inner_text()
        assert page.locator("img").count() == 0
        with page.expect_popup() as popup:
            page.click("a.print")
        popup.value.wait_for_load_state()
        assert popup.value.locator("h1").inner_text() == f"Recording {HOSTILE}"
        assert popup.value.locator("img").count() == 0
    assert dialogs == []


def test_patients_with_markup_stay_text(page, tmp_path):
    path = write_night(tmp_path / "night.csv")
    rows = path.read_text().split()[1:]
    lines = [f"<b>Anna</b>,{one}" for one in rows]
    path.write_text("\n".join(["patient,rr_ms", *lines]))
    with served(path, page=page) as found:
        open_page(page, found.address)
        assert "patient <b>Anna</b>," in page.locator("header").inner_text()
        assert page.locator("header b").count() == 0


def test_a_damaged_recording_shows_the_reason(page, tmp_path):
    path = tmp_path / "torn.csv"
    path.write_text("rr_ms\n800\n<b>wrong</b>\n")
    with served(path, page=page) as found:
        page.goto(found.address)
        assert "cannot be shown" in page.locator("h1").inner_text()
        assert "<b>wrong</b>" in page.locator("main").inner_text()
        assert page.locator("main b").count() == 0
    page.faults.clear()  # the browser prints the status


def test_what_is_too_short_is_told(page, tmp_path):
    with served(write_night(tmp_path / "short.csv", runs=(20,)), page=page) as found:
        open_page(page, found.address)
        assert figures(page)["AF burden"] == "\N{EN DASH}"
        assert "needs 60 plausible beats" in notices(page)
        assert "Nothing could be judged." in page.locator("#episodes").inner_text()
        page.keyboard.press("n")
        page.keyboard.press("+")
        shown(page)


def test_the_sheet_and_the_page_can_be_printed(opened):
    with opened.expect_popup() as popup:
        opened.click("a.print")
    popup.value.wait_for_load_state()
    for paper in ("A4", "Letter"):
        assert len(re.findall(rb"/Type\s*/Page\b", popup.value.pdf(format=paper))) == 2
    opened.emulate_media(media="print")
    assert opened.locator("#result").is_hidden()
    assert "Print sheet" in opened.locator("body > .sheet").inner_text()  # not 14 pages of buttons


@pytest.mark.real
def test_the_ecg_is_drawn_at_ten_seconds(page, data):
    with served(data / "mitdb-ecg" / "203.hea", page=page) as found:
        open_page(page, found.address)
        assert page.locator("#ecg").is_hidden()
        page.click("#ecg-near")
        page.locator("#ecg").wait_for()
        first, last = shown(page)
        assert last - first == pytest.approx(10, abs=0.2)
        with page.expect_response("**/ecg/0"):
            page.locator("#overview").click(position={"x": LEFT + 5, "y": 20})
        drawn(page)
        assert ink(page, "#ecg", "ink") > 500
        beats = ink(page, "#ecg", "af") + ink(page, "#ecg", "not-af") + ink(page, "#ecg", "unknown")
        assert beats > 50


@pytest.mark.real
def test_a_day_is_shown_and_zoomed_into(page, data):
    with served(data / "ltafdb" / "01.hea", page=page) as found:
        page.set_default_timeout(30_000)
        open_page(page, found.address)
        assert page.locator("#marks-list").count() == 1
        assert ink(page, "#tachogram", "not-af") + ink(page, "#tachogram", "af") > 5000
        assert "annotated" in notices(page)
        page.keyboard.press("n")
        first, last = shown(page)
        assert 0 <= first < last
