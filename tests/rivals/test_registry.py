"""A system is one file: the registry finds it, and the order of the tables does not change."""

import sys

import pytest

from pacl import rivals
from pacl.errors import PaclError
from pacl.rivals import registry
from support.refusals import refused

FILE = """
class Mine:
    name, title, kind, trials = {name!r}, "Mine", "features", ()

SYSTEMS = (Mine(),)
"""


@pytest.fixture
def collected(tmp_path, monkeypatch):
    """The systems with one more file in the package."""
    monkeypatch.setattr(rivals, "__path__", [*rivals.__path__, str(tmp_path)])

    def collect(file, name):
        (tmp_path / f"{file}.py").write_text(FILE.format(name=name))
        return registry._collected()

    yield collect
    for module in [one for one in sys.modules if one.startswith("pacl.rivals.added_")]:
        del sys.modules[module]


def test_a_file_with_systems_comes_last(collected):
    assert [*collected("added_mine", "mine")] == [*registry.SYSTEMS, "mine"]


def test_a_name_that_is_taken_is_refused(collected):
    with refused(PaclError, "added_again", "'hrv'"):
        collected("added_again", "hrv")


def test_the_order_of_the_tables():
    assert next(iter(registry.SYSTEMS)) == "patient-aware"
    assert [*registry.SYSTEMS][-2:] == ["hrv", "statistics"]
