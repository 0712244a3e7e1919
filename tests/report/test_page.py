"""The page: whole in one file, well nested, nothing from outside, the same in Markdown."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from pacl.report.page import (
    ClaimBlock,
    Code,
    Details,
    FigureBlock,
    Heading,
    KeyFigure,
    KeyFigures,
    Note,
    Page,
    PageError,
    TableBlock,
    Text,
    Verdict,
    content_policy,
)
from pacl.report.page.markdown import block_markdown
from pacl.report.table import Cell, Head, Table
from support.refusals import refused

SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><circle r="3"/></svg>'
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
VOID = {"meta", "link", "img", "br", "input", "hr"}
TABLE = Table(
    "Numbers <1>", "How", (Head(""), Head("x")), ((Cell("r"), Cell(mean=0.5, best=True)),)
)
EVERYTHING = Page(
    "Losses & <patients>",
    (
        KeyFigures((KeyFigure("0.9 ± 0.1", "AUROC", "paper **0.989**"), KeyFigure("3", "seeds"))),
        Text("First **bold** <em>.\n\n- one\n- two `x<y`"),
        Heading("Results"),
        *(
            ClaimBlock(f"Claim {verdict.key}", "0.9", "0.8 < 0.9", verdict, "Because.", "Table 1")
            for verdict in Verdict
        ),
        Heading("Results", 3),
        TableBlock(TABLE),
        FigureBlock("drawn", SVG, 'a "circle" <here>', "The **circle**."),
        Note("Mind this."),
        Details(
            "More & more", (FigureBlock("pixels", PNG, "pixels", wide=True), TableBlock(TABLE))
        ),
        Heading("Übung"),
        Heading("中"),
        Code("pacl compare a b | grep '<x>' && echo ``` "),
    ),
    lead="A **lead**.",
    footer="Made by `pacl`.",
)
PATHS = {"drawn": "figures/drawn.svg", "pixels": "figures/pixels.png"}


class Walk(HTMLParser):
    """Keeps every element with its attributes; complains where tags do not nest."""

    def __init__(self, source):
        super().__init__()
        self.open, self.seen, self.text = [], [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs)
        if tag == "p":
            assert "p" not in self.open
        self.seen.append((tag, dict(attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text.append(data)

    def of(self, tag):
        return [attrs for name, attrs, _ in self.seen if name == tag]


@pytest.fixture(scope="module")
def html():
    return EVERYTHING.to_html()


@pytest.fixture(scope="module")
def walk(html):
    return Walk(html)


def test_nothing_comes_from_outside(html, walk):
    for _, attrs, _ in walk.seen:
        for name in ("src", "srcset", "poster", "data", "action"):
            assert attrs.get(name, "data:").startswith("data:")
        assert not any(name.startswith("on") for name in attrs)
    assert [one["href"] for one in walk.of("link")] == ["data:,"]
    styles = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert not re.search(r"url\(|@import|@font-face", "".join(styles))
    assert not re.search(r"https?:|fetch|XMLHttp|import\(|innerHTML", "".join(scripts))
    assert (len(styles), len(scripts)) == (len(walk.of("style")), len(walk.of("script"))) == (1, 2)


def test_only_what_was_written_into_it_may_run(html, walk):
    heads = [tag for tag, _, inside in walk.seen if "head" in inside]
    meta = walk.of("meta")
    policy = next(one["content"] for one in meta if "http-equiv" in one)
    assert heads.index("style") > [one.get("http-equiv") for one in meta].index(
        "Content-Security-Policy"
    )
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    for tag in ("script", "style"):
        texts = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()) for one in texts]
        assert parts.pop(f"{tag}-src") == " ".join(f"'sha256-{one.decode()}'" for one in digests)
    assert parts == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not any("style" in attrs for _, attrs, _ in walk.seen)


@pytest.mark.parametrize("text", ["a </SCRIPT", "</style>", "<!-- x", "a\r\nb", "a\0"])
def test_a_text_that_browsers_read_otherwise_is_refused(text):
    assert content_policy(["a < b", "x"], []).count("sha256-") == 2
    with refused(PageError, "script", "character"):
        content_policy([text], [])
    with refused(PageError, "style", "character"):
        content_policy([], [text])


def test_all_blocks_are_there_and_escaped(walk):
    said = "".join(walk.text)
    for words in (
        *("Losses & <patients>", "A lead.", "0.9 ± 0.1", "paper 0.989", "First bold <em>."),
        *("two x<y", "0.8 < 0.9", "Because.", "Table 1", "Numbers <1>", "The circle."),
        *("Mind this.", "More & more", "grep '<x>' && echo", "Made by pacl."),
        *("✓ Holds", "✗ Does not hold", "? Inconclusive"),
    ):
        assert words in said, words
    assert walk.of("em") == []
    assert len(walk.of("table")) == 2
    assert len(walk.of("article")) == 3
    assert [one["class"] for one in walk.of("article")] == [
        *("claim holds", "claim fails", "claim open")
    ]


def test_every_heading_is_in_the_contents_under_a_name_of_its_own(walk):
    names = [attrs["id"] for tag, attrs, _ in walk.seen if tag in ("h2", "h3")]
    assert names == ["results", "results-2", "ubung", "section"]
    links = [one["href"] for tag, one, inside in walk.seen if tag == "a" and "nav" in inside]
    assert links == [f"#{name}" for name in names]
    ids = [attrs["id"] for _, attrs, _ in walk.seen if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_a_person_who_does_not_see_can_read_it(walk):
    assert walk.of("html") == [{"lang": "en"}]
    assert [tag for tag, _, _ in walk.seen].count("h1") == 1
    assert [one["alt"] for one in walk.of("img")] == ['a "circle" <here>', "pixels"]
    assert {"main", "nav", "header", "footer"} <= {tag for tag, _, _ in walk.seen}
    for one in walk.of("div"):
        if one.get("class") == "scroll":
            assert one["role"] == "region"
            assert one["tabindex"] == "0"
            assert one["aria-label"]


def test_pictures_are_within(walk):
    first, second = (one["src"] for one in walk.of("img"))
    assert base64.b64decode(first.removeprefix("data:image/svg+xml;base64,")) == SVG
    assert base64.b64decode(second.removeprefix("data:image/png;base64,")) == PNG


def test_the_same_in_markdown():
    made = EVERYTHING.to_markdown(PATHS)
    assert made.startswith("# Losses &amp; \\<patients\\>\n\nA **lead**.\n\n")
    for words in (
        "- AUROC: **0.9 ± 0.1** (paper **0.989**)\n- seeds: **3**\n",
        "First **bold** \\<em\\>.\n\n- one\n- two `x<y`\n",
        "\n## Results\n",
        "\n### Results\n",
        "**✗ Does not hold:** Claim fails (Table 1)\n\n- Paper: 0.9\n- Here: 0.8 \\< 0.9\n",
        "| r | **0.500** |",
        '![a "circle" \\<here\\>](figures/drawn.svg)\n\nThe **circle**.\n',
        "> **Note**\n>\n> Mind this.\n",
        "<details>\n<summary>More &amp; more</summary>\n\n![pixels](figures/pixels.png)\n",
        "````sh\npacl compare a b | grep '<x>' && echo ```\n````\n",
    ):
        assert words in made, words


def test_words_that_markdown_takes_for_a_list_stay_words():
    assert block_markdown(Text("1. x"), {}) == "1\\. x\n"
    assert block_markdown(Text("- x\nand y"), {}) == "\\- x and y\n"
    assert "<p>- x\nand y</p>" in Page("x", (Text("- x\nand y"),)).to_html()


def test_it_is_written_whole(tmp_path):
    EVERYTHING.write(tmp_path / "new")
    names = {str(one.relative_to(tmp_path / "new")) for one in (tmp_path / "new").rglob("*.*")}
    assert names == {"report.html", "report.md", "figures/drawn.svg", "figures/pixels.png"}
    assert (tmp_path / "new/report.html").read_text("utf-8") == EVERYTHING.to_html()
    linked = re.findall(r"!\[.*?\]\((.*?)\)", (tmp_path / "new/report.md").read_text("utf-8"))
    assert all((tmp_path / "new" / link).exists() for link in linked)
    EVERYTHING.write(tmp_path / "new")


def test_a_page_without_anything_is_a_page():
    Walk(Page("Empty", ()).to_html())
    assert Page("Empty", ()).to_markdown({}) == "# Empty\n"


@pytest.mark.parametrize(
    ("make", "facts"),
    [
        (lambda: Heading("x", 1), ("'x'", 1)),
        (lambda: FigureBlock("a b", SVG, "x"), ("'a b'",)),
        (lambda: FigureBlock("a", SVG, " "), ("figure a", "alt")),
        (lambda: FigureBlock("a", b"GIF89a", "x"), ("figure a", "PNG", "SVG")),
        (lambda: EVERYTHING.to_markdown({"drawn": "x"}), ("figure pixels", "drawn")),
        (
            lambda: Page("T", (FigureBlock("a", SVG, "x"), FigureBlock("a", PNG, "x"))),
            ("T", "called a"),
        ),
    ],
)
def test_what_cannot_be_shown_is_refused(make, facts):
    with refused(PageError, *facts):
        make()


def test_a_picture_that_is_not_there_is_refused(tmp_path):
    with refused(PageError, "none.svg"):
        FigureBlock.read(tmp_path / "none.svg", "x")
    (tmp_path / "one.svg").write_bytes(SVG)
    assert FigureBlock.read(tmp_path / "one.svg", "x").file_name == "one.svg"
