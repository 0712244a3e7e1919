"""The index as a page: self-contained, with a policy, and whatever a name holds stays text."""

import base64
import hashlib
import json
import re

from pacl.report.index import RecordingRow, index_assets, index_page, live_index_page

HOSTILE = "<img src=x onerror=alert(1)></script><!--&amp;\u2028"


def scripts(page: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", page, re.DOTALL)


def policy(page: str) -> str:
    return re.search(r'Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")


def test_the_policy_has_the_digest_of_each_script_and_style():
    page = index_page([])
    found = policy(page)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert len(styles) == 2
    assert len(scripts(page)) == len(index_assets()) - len(styles)
    for text in (*styles, *scripts(page)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in found
    assert "default-src 'none'" in found
    assert "unsafe" not in found


def test_nothing_is_loaded_and_no_style_is_inline():
    page = index_page([])
    bare = re.sub(r"(?s)<(script|style)>.*?</\1>", "", page)
    for name in ("src", "style", "onclick", "onload"):
        assert not re.search(rf"<[^>]*\s{name}=", bare)
    assert re.findall(r'<link[^>]*href="([^"]*)"', page) == ["data:,"]
    assert "http" not in re.sub(r"http://www.w3.org/2000/svg|http-equiv", "", page)


def test_rows_are_data_that_cannot_end_the_script():
    rows = [RecordingRow.failed(HOSTILE, HOSTILE, HOSTILE, HOSTILE)]
    page = index_page(rows, HOSTILE, HOSTILE, HOSTILE)
    data = re.search(r'<script type="application/json" id="rows">(.*?)</script>', page)[1]
    assert not set("<>&") & set(data)
    assert [RecordingRow.from_dict(one) for one in json.loads(data)] == rows
    assert "<img" not in page


def test_the_live_page_links_its_assets_and_names_its_address():
    page = live_index_page("Nights", assets="/assets/", address="api/index")
    linked = re.findall(r'<(?:script src|link rel="stylesheet" href)="/assets/([^"]*)"', page)
    assert linked == list(index_assets())
    assert 'data-address="api/index"' in page
    assert not scripts(page)
    assert "<style" not in page
    assert 'id="rows"' not in page


def test_both_pages_say_what_they_are_not():
    for page in (index_page([]), live_index_page()):
        assert "Not a medical device" in page
