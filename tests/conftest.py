"""Shared by all tests: named axes are checked, real recordings are found through PACL_DATA."""

import gc
import os
import sys
from collections.abc import Iterator
from multiprocessing.context import BaseContext
from pathlib import Path

os.environ["PACL_CHECK_AXES"] = "1"
# All that tests compute is small: several threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from support import checked_axes

checked_axes.install()

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("pacl", deadline=None)  # how busy a machine is proves nothing
settings.load_profile("pacl")

collect_ignore = ["second_package"]
"""Imported as another package would be, by the tests that use it."""

SHARED = Path(__file__).parents[2] / "shared"
DATA = Path(os.environ.get("PACL_DATA", SHARED / "data"))
REFERENCE = Path(os.environ.get("PACL_REFERENCE", SHARED / "reference"))
NEEDS = {
    "real": (DATA / "ltafdb", "real recordings", "PACL_DATA"),
    "reference": (REFERENCE, "IRIDIA-AF metadata, released split and weights", "PACL_REFERENCE"),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs real files where there are none, and say which folder was looked in."""
    for mark, (folder, what, variable) in NEEDS.items():
        if not folder.is_dir():
            skip = pytest.mark.skip(reason=f"no {what} in {folder}; see {variable}")
            for item in items:
                if mark in item.keywords:
                    item.add_marker(skip)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking through it for garbage again and again takes seconds."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def nothing_waits_for_the_disk() -> Iterator[None]:
    """No fsync: no test is about a loss of power, and those of fsync itself put their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: None)
        yield


@pytest.fixture(autouse=True)
def workers_start_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Linux workers of `pacl.work` are copies, but for tests of how they start."""
    if sys.platform.startswith("linux") and "started_anew" not in request.keywords:
        monkeypatch.setattr("pacl.work.processes.new_context", _forked_context)


def _forked_context() -> BaseContext:
    from support import forked

    return forked.context()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder that holds `ltafdb/` and `afdb/`."""
    return DATA


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder that holds `iridia-metadata.csv` and `released-split.json`."""
    return REFERENCE
