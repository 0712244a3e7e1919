"""Commands where packages of an extra are not installed."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pacl.cli.app import EXTRAS, why_missing
from support import every_command
from support.small_runs import pacl

IMPORTED = {"scikit-learn": "sklearn", "tomli-w": "tomli_w"}
ALONG = {"threadpoolctl"}
"""Comes with scikit-learn."""


def test_every_command_says_which_extra_it_needs(tmp_path):
    done = subprocess.run(
        [sys.executable, every_command.__file__, "--hide"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def offered_extras() -> dict[str, list[str]]:
    """The packages of each extra but `all`, which names the others."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    offered: dict[str, list[str]] = tomllib.loads(text)["project"]["optional-dependencies"]
    return {extra: lines for extra, lines in offered.items() if extra != "all"}


def test_every_package_of_an_extra_is_known():
    offered = offered_extras()
    names = {extra: {line.partition(">")[0] for line in lines} for extra, lines in offered.items()}
    everything = {IMPORTED.get(name, name) for found in names.values() for name in found}
    assert everything | ALONG == set(EXTRAS)
    for package, extra in EXTRAS.items():
        assert package in {IMPORTED.get(name, name) for name in names[extra]} | ALONG


def test_training_has_what_reports_and_iridia_af_need():
    offered = offered_extras()
    assert {*offered["plots"], *offered["iridia"], *offered["download"]} <= {*offered["train"]}


def test_a_page_says_which_pictures_are_not_drawn(tmp_path, monkeypatch):
    from pacl.report.page import recording_block

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    block = recording_block("map", lambda: pytest.fail("drawn"), "A map of patients", "")
    assert (block.kind, "A map of patients" in block.text) == ("note", True)
    assert "pacl[plots]" in block.text


@pytest.mark.parametrize("name", ["pacl.studies.gone", "torch.gone", "numpy", None])
def test_a_module_of_no_extra_is_a_bug_and_stays_one(capsys, monkeypatch, name):
    error = ModuleNotFoundError("No module named ...", name=name)
    assert why_missing(error, "train") is None

    def fail(path: Path) -> None:
        raise error

    monkeypatch.setattr("pacl.studies.RunFolder.open", fail)
    with pytest.raises(ModuleNotFoundError):
        pacl(capsys, "compare", "run")


def test_a_command_that_cannot_even_be_imported_says_why(capsys, monkeypatch):
    """The parser wraps what the import raised."""
    monkeypatch.delitem(sys.modules, "pacl.cli.compare", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken("torch"), *sys.meta_path])
    said = pacl(capsys, "compare", "run")
    assert said.status == 2
    assert said.err.splitlines() == [
        line for line in said.err.splitlines() if "pacl[train]" in line
    ]
    monkeypatch.setattr(sys, "meta_path", [Broken("numpy"), *sys.meta_path])
    with pytest.raises(ImportError):
        pacl(capsys, "compare", "run")


class Broken:
    """A command that needs a package as soon as it is imported."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pacl.cli.compare":
            raise ModuleNotFoundError("No module", name=self.package)
