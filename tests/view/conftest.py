"""Tests here share bundled weights, the browser, and recordings."""

import pytest

from support.browser import browser, page  # noqa: F401 - fixtures
from support.shared_judges import shared_judges as shared_judges
from support.viewing import served, write_night


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    """Rows of tests are kept apart."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PACL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def night(tmp_path):
    """A file of intervals with two episodes of AF."""
    return write_night(tmp_path / "night.csv")


@pytest.fixture
def one(night):
    """A server of that file alone."""
    with served(night) as found:
        yield found
