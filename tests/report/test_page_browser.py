"""The page in a real browser: sorted tables, folded claims, narrow screens, dark, the policy."""

import io
import re

import pytest
from matplotlib.image import imread

from pacl.report.page import (
    ClaimBlock,
    Details,
    FigureBlock,
    Heading,
    KeyFigure,
    KeyFigures,
    Page,
    TableBlock,
    Verdict,
    asset,
)
from pacl.report.table import Cell, Head, Table

HALVES = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="200"><style>rect{fill:#fff}'
    b'</style><rect width="1200" height="200"/><path d="M600 0h600v200h-600z"/></svg>'
)
"""White on the left, black on the right."""
LINES = Table(
    "Lines",
    "",
    (Head("name"), Head("score ↑", notes=(0,)), Head("share"), Head("time"), Head("")),
    (
        (
            Cell("run 10"),
            Cell(mean=-0.5, sd=0.1),
            Cell("31 %"),
            Cell("2 h", sort_by=7200.0),
            Cell(),
        ),
        (Cell("run 9"), Cell(mean=None), Cell("< 0.1 %"), Cell("9 s", sort_by=9.0), Cell()),
        (
            Cell("Run 1"),
            Cell(mean=1234.0),
            Cell("\N{EN DASH}"),
            Cell("3 min", sort_by=180.0),
            Cell(),
        ),
        (Cell("other"), Cell(mean=0.25, best=True), Cell("0.1 %"), Cell(), Cell()),
        (
            Cell("all"),
            Cell(mean=2.0, digits=0),
            Cell("\N{MINUS SIGN}5 %"),
            Cell("1 s", sort_by=1.0),
            Cell(),
        ),
        (Cell("every"), Cell(mean=1.0), Cell("4 %"), Cell("4 s", sort_by=4.0), Cell()),
    ),
    notes=("A note.",),
    rules=(4,),
)
WIDE = Table(
    "Wide",
    "",
    tuple(Head(f"a long head {at}") for at in range(12)),
    tuple(tuple(Cell(mean=float(at * row)) for at in range(12)) for row in range(4)),
)
SHOWN = Page(
    "A page",
    (
        KeyFigures(tuple(KeyFigure("0.987 ± 0.012", f"AUROC, cohort {at}") for at in range(5))),
        Heading("Results"),
        TableBlock(LINES),
        TableBlock(WIDE),
        FigureBlock("drawn", HALVES, "white and black", wide=True),
        Details("1 claim is inconclusive", (ClaimBlock("C", "1", "2", Verdict.OPEN, "Why."),)),
    ),
)


@pytest.fixture
def shown(page, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(SHOWN.to_html(), "utf-8")
    page.goto(path.as_uri())
    return page


def order(page, table=0):
    """What the rows are about, as they stand."""
    found = page.locator("table").nth(table).locator("tbody th").all_inner_texts()
    return [" ".join(one.split()) for one in found]


WRITTEN = ["run 10", "run 9", "Run 1", "other", "all", "every"]


@pytest.mark.parametrize(
    ("head", "up", "down"),
    [
        ("name", ["other", "Run 1", "run 9", "run 10", "all", "every"],
         ["run 10", "run 9", "Run 1", "other", "every", "all"]),
        ("score", ["run 10", "other", "Run 1", "run 9", "every", "all"],
         ["Run 1", "other", "run 10", "run 9", "all", "every"]),
        ("share", ["run 9", "other", "run 10", "Run 1", "all", "every"],
         ["run 10", "other", "run 9", "Run 1", "every", "all"]),
        ("time", ["run 9", "Run 1", "run 10", "other", "all", "every"],
         ["run 10", "Run 1", "run 9", "other", "every", "all"]),
    ],
)  # fmt: skip
def test_up_down_and_as_written_between_the_lines(shown, head, up, down):
    column = shown.locator("table").first.locator("thead th", has_text=head)
    button = column.get_by_role("button")
    for expected, said in ((up, "ascending"), (down, "descending"), (WRITTEN, None), (up, "")):
        button.click()
        assert order(shown) == expected
        assert said == "" or column.get_attribute("aria-sort") == said
        lines = shown.locator("table").first.locator("tbody tr").evaluate_all(
            "rows => rows.map((row) => row.classList.contains('rule'))"
        )  # fmt: skip
        assert lines == [False] * 4 + [True, False]


def test_sorted_by_one_column_at_a_time_and_by_keyboard(shown):
    heads = shown.locator("table").first.locator("thead th")
    assert heads.get_by_role("button").count() == 4  # a head without a name has none
    assert heads.nth(1).locator("button sup").count() == 0
    heads.nth(0).get_by_role("button").focus()
    shown.keyboard.press("Enter")
    shown.keyboard.press("Tab")
    shown.keyboard.press("Space")
    assert [one.get_attribute("aria-sort") for one in heads.all()] == [
        None,
        "ascending",
        *[None] * 2,
    ]
    assert heads.nth(1).get_by_role("button").evaluate("one => one === document.activeElement")


def test_equal_rows_stay_as_written(shown):
    button = shown.locator("table").nth(1).get_by_role("button", name="a long head 0")
    before = shown.locator("table").nth(1).locator("tbody tr").all_inner_texts()
    for _ in range(2):
        button.click()
        assert shown.locator("table").nth(1).locator("tbody tr").all_inner_texts() == before


def test_rows_that_come_later_are_sorted_too(shown):
    shown.locator("table").first.get_by_role("button", name="name").click()
    shown.evaluate(
        """() => {
            const table = document.querySelector("table");
            const row = table.tBodies[0].rows[0].cloneNode(true);
            row.cells[0].textContent = "aa";
            table.tBodies[0].append(row);
            pacl.makeSortable(table);
        }"""
    )
    assert order(shown)[-3:] == ["aa", "all", "every"]
    assert shown.locator("table").first.get_by_role("button").count() == 4


def test_titles_of_parts_stay_on_top(page):
    page.set_content(
        "<table data-sortable><thead><tr><th>a</th><th>b</th></tr></thead><tbody>"
        "<tr><th colspan=2>May</th></tr><tr><th>x</th><td>2</td></tr><tr><th>y</th><td>1</td></tr>"
        "<tr><th colspan=2>June</th></tr><tr><th>z</th><td>4</td></tr><tr><th>w</th><td>3</td></tr>"
    )
    page.add_script_tag(content=asset("tables.js"))
    page.get_by_role("button", name="b").click()
    assert order(page) == ["May", "y", "x", "June", "w", "z"]


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_the_page_itself_never_scrolls_sideways(shown, width):
    shown.set_viewport_size({"width": width, "height": 844})
    shown.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert shown.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    boxes = shown.locator(".scroll").evaluate_all(
        "all => all.map((e) => e.scrollWidth - e.clientWidth)"
    )
    assert (boxes[1] > 0) == (width < 1280)
    if width == 390:
        smallest = shown.evaluate(
            """() => Math.min(...[...document.querySelectorAll("main *:not(sup)")]
                .filter((one) => one.innerText?.trim())
                .map((one) => parseFloat(getComputedStyle(one).fontSize)))"""
        )
        assert smallest >= 12


def test_the_first_column_stays_in_sight_while_sorted(shown):
    shown.set_viewport_size({"width": 390, "height": 844})
    shown.locator("table").nth(1).get_by_role("button", name="a long head 5").click()
    left = shown.locator(".scroll").nth(1).evaluate(
        """box => { box.scrollLeft = 300;
        return box.querySelector("tbody th").getBoundingClientRect().left
            - box.getBoundingClientRect().left; }"""
    )  # fmt: skip
    assert left == pytest.approx(0, abs=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_follow_the_colours_of_the_page(shown, scheme):
    shown.emulate_media(color_scheme=scheme)
    white, black = halves(shown)
    assert (white > 0.9, black < 0.1) == (scheme == "light",) * 2
    assert (white < 0.2, black > 0.9) == (scheme == "dark",) * 2
    shown.emulate_media(color_scheme=scheme, media="print")
    white, black = halves(shown)
    assert white > 0.9
    assert black < 0.1


def halves(page):
    """How bright both halves of the picture are, from 0 to 1."""
    shot = imread(io.BytesIO(page.locator(".picture .card").screenshot()))
    _, width, _ = shot.shape
    return [shot[30:-30, at - 20 : at + 20, :3].mean() for at in (width // 4, 3 * width // 4)]


def test_printing_opens_what_is_folded_away(shown):
    folded = shown.locator("main details")
    assert not folded.evaluate("one => one.open")
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert folded.evaluate("one => one.open")
    shown.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not folded.evaluate("one => one.open")


def test_the_policy_lets_nothing_else_run(shown):
    ran = shown.evaluate(
        """async () => {
            const script = document.createElement("script");
            script.textContent = "globalThis.ran = true";
            document.body.append(script);
            document.body.setAttribute("style", "color: rgb(1, 2, 3)");
            const asked = await fetch("data:,x").then(() => true, () => false);
            return [globalThis.ran ?? false, getComputedStyle(document.body).color, asked];
        }"""
    )
    assert ran[0] is False
    assert ran[1] != "rgb(1, 2, 3)"
    assert ran[2] is False
    refused = [one for one in shown.faults if re.search("Content Security Policy", one)]
    assert len(refused) >= 3
    shown.faults.clear()
