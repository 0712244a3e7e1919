"""A real browser for tests of pages: Chromium, driven by Playwright.

A test takes the fixture `page`. It fails if the page prints an error, throws one, or asks for
anything that is neither a file nor on this machine. To use the fixtures, import both into a
`conftest.py`: `from support.browser import browser, page`.
"""

import shutil
from urllib.parse import urlsplit

import pytest

NAMES = (
    "chromium-headless-shell",  # without a window, which no test needs: half the time
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
)
LOCAL_HOSTS = {"127.0.0.1", "localhost", "::1"}
LOCAL_SCHEMES = {"about", "blob", "data"}


def _open_chromium(started):
    """Chromium of the machine, else the one that Playwright installed."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return started.chromium.launch(executable_path=found, args=["--no-sandbox"])


# One browser for each module, not for the session: while Playwright runs, its event loop runs in
# this thread, and `asyncio.run` of any later test would be refused.
@pytest.fixture(scope="module")
def browser():
    """Chromium; tests are skipped where there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="no Playwright; install it to test pages in a browser"
    )
    started = playwright.sync_playwright().start()
    try:
        try:
            opened = _open_chromium(started)
        except playwright.Error as error:
            pytest.skip(f"no browser: none of {', '.join(NAMES)} starts ({str(error)[:200]})")
        yield opened
        opened.close()
    finally:
        started.stop()


def is_local(address):
    """Whether an address is a file or on this machine; a file of another machine is not."""
    parts = urlsplit(address)
    if parts.scheme == "file":
        return parts.netloc in ("", "localhost")
    return parts.scheme in LOCAL_SCHEMES or parts.hostname in LOCAL_HOSTS


def watch(page, faults):
    """Collect what a page must not do."""

    def printed(message):
        if message.type == "error":
            faults.append(f"console error: {message.text} ({message.location.get('url', '')})")

    def requested(request):
        if not is_local(request.url):
            faults.append(f"request to {request.url}")

    page.on("console", printed)
    page.on("pageerror", lambda error: faults.append(f"uncaught error: {error}"))
    page.on("request", requested)


@pytest.fixture
def page(browser):
    """An empty page of 1280 x 900; `page.faults` lists what would fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    faults = []
    context.on("page", lambda opened: watch(opened, faults))
    found = context.new_page()
    found.set_default_timeout(10_000)
    found.faults = faults
    yield found
    context.close()
    assert not faults, "\n".join(faults)
