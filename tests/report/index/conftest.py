"""The browser for tests of the index."""

from support.browser import browser, page  # noqa: F401 - fixtures
