"""The small markup: bold, code and links; all else is plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacl.report.page import Page, PageError
from pacl.report.page.markdown import inline_markdown
from support.refusals import refused


def inline_html(text):
    """Text as the lead of a page."""
    page = Page("x", (), lead=f".{text}").to_html()
    return page.partition('<p class="lead">.')[2].partition("</p>\n</header>")[0]


@pytest.mark.parametrize(
    ("text", "html", "markdown"),
    [
        ("plain", "plain", "plain"),
        ("**b** and `c`", "<strong>b</strong> and <code>c</code>", "**b** and `c`"),
        ("[a](#b)", '<a href="#b">a</a>', "[a](#b)"),
        ("2*3*4 <x>", "2*3*4 &lt;x&gt;", r"2\*3\*4 \<x\>"),
        ("`**<b>**`", "<code>**&lt;b&gt;**</code>", "`**<b>**`"),
        ("a_b | c", "a_b | c", r"a\_b \| c"),
        ("**a < b**", "<strong>a &lt; b</strong>", r"**a \< b**"),
        ("[x](../a/b.md)", '<a href="../a/b.md">x</a>', "[x](../a/b.md)"),
        ("[x](https://e.org/?a=1&b=2)", '<a href="https://e.org/?a=1&amp;b=2">x</a>', None),
        ("**open", "**open", r"\*\*open"),
    ],
)
def test_both_languages(text, html, markdown):
    assert inline_html(text) == html
    if markdown:
        assert inline_markdown(text) == markdown


@pytest.mark.parametrize("address", ["javascript:alert", "data:text/html,x", "JavaScript:x"])
def test_an_address_that_is_no_link_is_refused(address):
    for say in (inline_html, inline_markdown):
        with refused(PageError, "http", "mailto", address):
            say(f"[x]({address})")


@given(st.text(alphabet="ab*`<>&\"'_ \n\\", max_size=30))
def test_no_text_becomes_an_element_of_its_own(text):
    made = inline_html(text)
    for mark in ("<strong>", "</strong>", "<code>", "</code>"):
        made = made.replace(mark, "")
    assert "<" not in made
    assert ">" not in made
