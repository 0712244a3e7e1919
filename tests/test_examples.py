"""Every example runs, and fits a screen or two."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(example, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    runpy.run_path(str(example))
    assert capsys.readouterr().out


def test_examples_are_short():
    assert len(EXAMPLES) >= 2
    assert all(len(path.read_text().splitlines()) <= 80 for path in EXAMPLES)
