"""Shared by all tests: named axes are checked, real recordings are found through PACL_DATA."""

import os
from pathlib import Path

os.environ["PACL_CHECK_AXES"] = "1"

from jaxtyping import install_import_hook

install_import_hook("pacl", "beartype.beartype")

import pytest  # noqa: E402

DATA = Path(os.environ.get("PACL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs real recordings where there are none, and say which folder was looked in."""
    if DATA.is_dir():
        return
    skip = pytest.mark.skip(reason=f"no real recordings in {DATA}; set PACL_DATA to their folder")
    for item in items:
        if "real" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder that holds `ltafdb/` and `afdb/`."""
    return DATA
