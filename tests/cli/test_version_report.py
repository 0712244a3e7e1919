"""`pacl --version --verbose`: all that a report of a bug needs, whatever is broken."""

import hashlib
import importlib.metadata
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

import pacl as package
from pacl.cli import version_report as module
from pacl.detect import bundled_file
from support.in_process import pacl

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


def test_the_version_alone_is_one_line():
    assert pacl("--version").stdout == f"{package.__version__}\n"


@pytest.mark.parametrize("words", [["--version", "--verbose"], ["--verbose", "--version"]])
def test_the_report_names_every_package_of_every_extra(words):
    said = pacl(*words)
    assert (said.returncode, said.stderr) == (0, "")
    rows = {line.split()[0]: line.split()[-1] for line in said.stdout.splitlines()}
    assert rows["pacl"] == package.__version__
    for line in chain(PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()):
        name = line.partition(">")[0]
        if name.startswith("pacl["):  # the extra of all extras
            continue
        assert rows[name] in (importlib.metadata.version(name), "installed")
    digest = hashlib.sha256(bundled_file("af-rr200").read_bytes()).hexdigest()
    assert digest.startswith(rows["af-rr200.onnx"])
    assert rows["af-beats/stream.onnx"]


def test_it_imports_nothing_heavy():
    code = (
        "import sys; before = set(sys.modules)\n"  # packages may load others as Python starts
        "sys.argv = ['pacl', '--version', '--verbose']\n"
        "from pacl.cli import main\nmain()\n"
        "heavy = {'numpy', 'onnxruntime', 'matplotlib'} & (set(sys.modules) - before)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def without(name, monkeypatch):
    def version(package):
        if package == name:
            raise importlib.metadata.PackageNotFoundError(package)
        return "1.0+cu130"

    monkeypatch.setattr(module, "version", version)


def test_what_is_not_installed_is_said(monkeypatch):
    without("torch", monkeypatch)
    said = pacl("--version", "--verbose").stdout
    assert "torch" in said
    assert "not installed" in said
    assert "GPU" in said.splitlines()[-1]
    assert "torch is not installed" in said.splitlines()[-1]


def test_a_torch_that_fails_is_a_line_of_the_report(monkeypatch):
    without("", monkeypatch)
    monkeypatch.setitem(sys.modules, "torch", None)
    last = module.version_report().splitlines()[-1]
    assert "torch fails with ModuleNotFoundError" in last


def test_pacl_that_is_not_installed_is_said(monkeypatch):
    def requires(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(module, "requires", requires)
    assert "not installed" in pacl("--version", "--verbose").stdout
