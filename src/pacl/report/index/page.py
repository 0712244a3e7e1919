"""The index of a folder as a page: one file that needs nothing else, or served by `pacl view`."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from pacl.report.index.row import RecordingRow
from pacl.report.page import as_data, asset, content_policy, render

ASSETS = Path(__file__).parent / "assets"
SHARED = ("page.css", "page.js")
STYLES = ("page.css", "index.css")
SCRIPTS = (
    "page.js",
    "index_words.js",
    "index_rows.js",
    "index_days.js",
    "index_table.js",
    "index_filters.js",
    "index_calendar.js",
    "index_trend.js",
    "index.js",
)
"""Each builds on those before it."""

TITLE = "Recordings"


def index_page(
    rows: Iterable[RecordingRow], title: str = TITLE, lead: str = "", footer: str = ""
) -> str:
    """A complete document with its rows, style and scripts.

    Parameters
    ----------
    rows
        The recordings, each with a key of its own.
    title, lead, footer
        Plain text: what the folder is, a sentence under it, and small print.
    """
    files = index_assets()
    styles, scripts = [files[name] for name in STYLES], [files[name] for name in SCRIPTS]
    return render(
        "index.html",
        title=title,
        lead=lead,
        footer=footer,
        styles=styles,
        scripts=scripts,
        policy=content_policy(scripts, styles),
        rows=as_data([row.to_dict() for row in rows]),
        style_links=(),
        script_links=(),
        address="",
    )


def live_index_page(
    title: str = TITLE,
    lead: str = "",
    footer: str = "",
    *,
    assets: str = "assets/",
    address: str = "api/index",
) -> str:
    """The same page for a server: it links `index_assets`, and asks `address` for its rows.

    It asks for `ADDRESS?since=REVISION` once a second while rows are waiting, else every five
    seconds. The answer is `{"revision": 7, "total": 84, "ready": 12, "rows": [...]}` with the rows
    that have changed since; at first `since` is 0. `"removed": [...]` may name keys of rows that
    are gone, and `"session": "..."` the run of the server: where it differs from the last, the page
    asks for everything again. Both addresses are relative to the page.
    """
    return render(
        "index.html",
        title=title,
        lead=lead,
        footer=footer,
        styles=(),
        scripts=(),
        policy="",
        rows=None,
        style_links=[assets + name for name in STYLES],
        script_links=[assets + name for name in SCRIPTS],
        address=address,
    )


@cache
def index_assets() -> Mapping[str, str]:
    """The style sheets and scripts of the page by their names."""
    names = dict.fromkeys((*STYLES, *SCRIPTS))
    return {
        name: asset(name) if name in SHARED else (ASSETS / name).read_text("utf-8")
        for name in names
    }
