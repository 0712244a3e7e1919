"""The index in a browser: sorted, filtered, by day, on a telephone, and in the dark."""

import pytest

from pacl.report.index import Day, RecordingRow, index_page
from support.index_rows import row

HOSTILE = "<img src=x onerror=alert(1)>"
TELEPHONE = {"width": 390, "height": 844}


def some_rows():
    return [
        *(row(number) for number in range(12)),
        row(40, burden=0.5, edits=3, verdict="possible AF", reason="the longest lasts 21 s"),
        RecordingRow.failed("x", HOSTILE, f"{HOSTILE}: no intervals", HOSTILE),
    ]


@pytest.fixture
def show(page, tmp_path):
    def shown(rows, **size):
        path = tmp_path / "index.html"
        path.write_text(index_page(rows, HOSTILE), "utf-8")
        if size:
            page.set_viewport_size(size)
        page.goto(path.as_uri())
        return page

    return shown


def names(page):
    return page.locator("#table tbody th").all_inner_texts()


def column(page, name):
    return [
        text.replace("\N{NO-BREAK SPACE}", " ")
        for text in page.locator(f"#table tbody .col-{name}").all_inner_texts()
    ]


def sort_by(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_names_with_markup_stay_text(show):
    page = show(some_rows())
    assert page.title() == HOSTILE
    assert page.locator("h1").inner_text() == HOSTILE
    assert HOSTILE in names(page)
    assert page.locator("img").count() == 0
    told = page.locator("tr.failed").inner_text()
    assert f"{HOSTILE}: no intervals" in told


def test_counts_and_caution_are_on_top(show):
    page = show(some_rows())
    assert page.locator("#counts").inner_text() == "14 recordings of 3 persons, 13 judged, 1 failed"
    assert page.get_by_text("Not a medical device").is_visible()
    assert not page.get_by_role("progressbar").is_visible()


def test_columns_sort_both_ways_and_what_is_missing_comes_last(show):
    page = show(some_rows())
    assert names(page)[1:4] == ["night 0", "night 1", "night 2"]
    head = page.get_by_role("columnheader", name="AF burden")
    sort_by(page, "AF burden")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "burden")[:3] == ["50 %", "11 %", "10 %"]
    assert names(page)[-1] == HOSTILE
    sort_by(page, "AF burden")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, "burden")[:3] == ["0 %", "1.0 %", "2.0 %"]
    assert names(page)[-1] == HOSTILE
    assert page.locator("[aria-sort]").count() == 1
    sort_by(page, "Start")
    assert names(page)[0] == "night 0"
    sort_by(page, "Recording")
    sort_by(page, "Recording")
    assert names(page)[0] == "night 40"


def test_links_lead_to_pages_below_and_nowhere_else(show):
    rows = [
        row(1),
        row(2, page="javascript:alert(1)"),
        row(3, page="//evil.example/x"),
        row(4, page="https://evil.example"),
        row(5, page=" \tjavascript:alert(1)"),
        row(6, page="/absolute"),
        row(7, page="folder/b.html"),
    ]
    page = show(rows)
    links = page.locator("#table a")
    found = [one.get_attribute("href") for one in links.all()]
    assert found == ["night-1.html", "folder/b.html"]


def test_text_verdict_burden_edits_and_dates_filter_together(show):
    page = show(some_rows())
    shown = page.locator("#shown")
    assert shown.inner_text() == "Showing all 14 recordings."
    assert shown.get_attribute("aria-live") == "polite"
    page.get_by_label("Name or patient").fill("ANNA")
    assert shown.inner_text() == "Showing 6 of 14 recordings."
    page.get_by_label("Name or patient").fill("")
    page.get_by_label("no AF").check()
    assert names(page) == ["night 0"]
    page.get_by_label("possible AF").check()
    assert names(page) == ["night 0", "night 40"]
    page.get_by_label("no AF").uncheck()
    page.get_by_label("possible AF").uncheck()
    page.get_by_label("AF burden from").fill("9.5")
    assert names(page) == ["night 10", "night 11", "night 40"]
    page.get_by_label("only with edits").check()
    assert names(page) == ["night 40"]
    page.get_by_role("button", name="Clear filters").click()
    assert shown.inner_text() == "Showing all 14 recordings."
    page.get_by_label("From", exact=True).fill("2026-01-03")
    page.get_by_label("To", exact=True).fill("2026-01-04")
    assert names(page) == ["night 1", "night 2", "night 3"]
    page.get_by_label("failed").check()
    assert shown.inner_text() == "Showing 0 of 14 recordings."


def test_the_reason_is_one_click_away(show):
    page = show(some_rows())
    reason = page.get_by_text("the longest lasts 21 s")
    assert not reason.is_visible()
    page.locator("summary", has_text="why").click()
    assert reason.is_visible()


def test_a_day_has_the_burden_of_all_recordings_on_it(show):
    page = show(
        [row(2, burden=0.2), row(3, burden=0.5), row(3, key="b", patient="Karl", burden=0.0)]
    )
    day = page.locator('[data-date="2026-01-04"]')
    # 8 h of 20 % from the night before, 2 h of 50 % and 2 h of 0 %: 2.6 h of 12 h.
    assert day.locator(".burden").inner_text() == "22"
    label = day.get_attribute("aria-label").replace("\N{NO-BREAK SPACE}", " ")
    assert label == "4 January 2026: AF burden 22 %, 12 h 00 min judged, 3 recordings"


def test_a_person_can_be_chosen_for_calendar_trend_and_table(show):
    page = show(
        [row(2, burden=0.2), row(3, burden=0.5), row(3, key="b", patient="Karl", burden=0.0)]
    )
    page.get_by_label("Person").select_option("Karl")
    assert page.locator('[data-date="2026-01-04"] .burden').inner_text() == "16"
    assert page.locator("#shown").inner_text() == "Showing 2 of 3 recordings."
    assert page.locator("#trend circle").count() == 3
    page.get_by_role("button", name="Clear filters").click()
    assert page.locator("#shown").inner_text() == "Showing all 3 recordings."
    assert page.locator("#person").evaluate("one => one.selectedIndex") == 0
    assert page.locator('[data-date="2026-01-04"] .burden').inner_text() == "22"


def test_a_click_on_a_day_filters_the_table_and_another_takes_it_back(show):
    page = show(some_rows())
    day = page.locator('[data-date="2026-01-05"]')
    day.click()
    assert names(page) == ["night 3", "night 4"]
    assert day.get_attribute("aria-pressed") == "true"
    day.click()
    assert page.locator("#shown").inner_text() == "Showing all 14 recordings."
    day.click()
    page.get_by_role("button", name="Show all days").click()
    assert page.locator("#shown").inner_text() == "Showing all 14 recordings."


def test_days_are_reached_by_keys(show):
    page = show(some_rows())
    assert page.locator('.day[tabindex="0"]').count() == 1
    page.locator('[data-date="2026-01-05"]').focus()
    date_of = "document.activeElement.dataset.date"
    for key, expected in (
        ("ArrowRight", "2026-01-06"),
        ("ArrowDown", "2026-01-13"),
        ("ArrowRight", "2026-02-10"),
        ("ArrowLeft", "2026-01-13"),
        ("ArrowUp", "2026-01-06"),
    ):
        page.keyboard.press(key)
        assert page.evaluate(date_of) == expected
    page.keyboard.press("Enter")
    assert names(page) == ["night 4", "night 5"]
    assert page.evaluate(date_of) == "2026-01-06"


def test_the_trend_has_a_point_a_day_and_a_mean_line_with_gaps(show):
    page = show(some_rows())
    assert page.locator("#trend circle").count() == 15
    line = page.locator("#trend .mean").get_attribute("d")
    assert line.count("M") == 2
    assert "NaN" not in page.locator("#trend").inner_html()
    label = page.get_by_role("img").get_attribute("aria-label").replace("\N{NO-BREAK SPACE}", " ")
    assert "15 days from 1 January 2026 to 11 February 2026" in label
    assert "between 0 % and 50 %" in label


def test_the_mean_of_seven_days_is_that_of_a_slow_loop(show):
    page = show(some_rows())
    points = page.evaluate("pacl.byDay(JSON.parse(document.getElementById('rows').textContent))")
    found = page.evaluate("points => pacl.meanOverSeven(points)", points)
    for one, mean in zip(points, found, strict=True):
        near = [other for other in points if one["at"] - 7 < other["at"] <= one["at"]]
        expected = sum(p["af_s"] for p in near) / sum(p["judged_s"] for p in near)
        assert mean["mean"] == pytest.approx(expected)


def test_recordings_without_dates_have_a_trend_and_no_calendar(show):
    undated = [
        row(number, started=None, days=(Day(None, 10.0, 100.0),), patient=f"night {number}")
        for number in range(3)
    ]
    page = show(undated)
    assert not page.locator("#calendar").is_visible()
    assert page.locator("#trend circle").count() == 3
    assert not page.get_by_label("From", exact=True).is_visible()
    assert not page.get_by_role("columnheader", name="Patient").is_visible()
    assert not page.get_by_role("columnheader", name="Edits").is_visible()


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [RecordingRow.waiting("a", "a")],
        [
            row(
                3,
                judged_s=0.0,
                af_s=0.0,
                af_burden=None,
                judged_share=0.0,
                days=(Day("2026-01-01", 0.0, 0.0),),
                verdict="cannot tell",
            )
        ],
    ],
)
def test_there_may_be_nothing_to_show(show, rows):
    page = show(rows)
    assert page.locator("#table tbody tr").count() == len(rows)
    assert "NaN" not in page.locator("main").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_telephone_shows_cards_without_overflow(show, page, scheme):
    page.emulate_media(color_scheme=scheme)
    rows = some_rows()
    rows += [RecordingRow.failed("long", "x" * 300, "y" * 500, "z" * 200), row(50, name="n" * 200)]
    show(rows, **TELEPHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= TELEPHONE["width"]
    widest = """Math.max(...[...document.querySelectorAll("main *")]
      .filter((one) => !one.closest(".unseen, .months, svg"))
      .map((one) => one.getBoundingClientRect().right))"""
    assert page.evaluate(widest) <= TELEPHONE["width"]
    sort_by(page, "AF burden")
    assert column(page, "burden")[0].endswith("50 %")
    page.locator("summary", has_text="why").click()
    assert page.get_by_text("the longest lasts 21 s").is_visible()


def contrast(page, locator):
    """Of the text on its own background, by WCAG."""
    return page.locator(locator).first.evaluate(
        """one => {
          const canvas = document.createElement("canvas").getContext("2d");
          const light = (colour) => {
            canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
            const part = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => {
              const share = value / 255;
              return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
          };
          const style = getComputedStyle(one);
          const both = [light(style.color), light(style.backgroundColor)].sort((a, b) => b - a);
          return (both[0] + 0.05) / (both[1] + 0.05);
        }"""
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("burden", [0.0, 0.04, 0.3, 1.0])
def test_days_can_be_read_in_all_colours(show, page, scheme, burden):
    page.emulate_media(color_scheme=scheme)
    show([row(1, burden=burden)])
    assert contrast(page, ".day") >= 4.5


def test_all_controls_have_names(show):
    page = show(some_rows())
    unnamed = page.evaluate(
        """[...document.querySelectorAll("button, input, select, a")].filter((one) =>
          one.checkVisibility() && !(one.textContent.trim() || one.labels?.length
          || one.getAttribute("aria-label"))).map((one) => one.outerHTML)"""
    )
    assert unnamed == []
    assert page.locator("#table caption").count() == 1
    assert page.locator("#table thead th:not([scope=col])").count() == 0
    assert page.locator("#table tbody th:not([scope=row])").count() == 0


def test_print_shows_all_rows_as_a_plain_table(show):
    page = show([row(number % 300, key=f"{number}") for number in range(450)])
    assert page.locator("#table tbody tr").count() == 200
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#table tbody tr").count() == 450
    assert not page.locator("#filters").is_visible()
    assert not page.locator("#over-time").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#table tbody tr").count() == 200


def test_thousands_of_rows_come_200_at_a_time_and_all_are_searched(show):
    page = show([row(number % 700, key=f"{number}", name=f"n{number}") for number in range(5000)])
    assert page.locator("#table tbody tr").count() == 200
    page.get_by_role("button", name="Show 200 more").click()
    assert page.locator("#table tbody tr").count() == 400
    assert page.evaluate("document.activeElement.textContent") == "n200"
    page.get_by_label("Name or patient").fill("n4999")
    assert names(page) == ["n4999"]
    assert not page.locator("#more").is_visible()
