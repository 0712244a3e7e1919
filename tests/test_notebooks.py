"""The notebooks run from top to bottom, are stored without outputs, and are pages of the site."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = ROOT / "docs/notebooks"
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
notebook.cells.insert(0, nbformat.v4.new_code_cell(sys.argv[2]))
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
outputs = [one for cell in notebook.cells for one in cell.get("outputs", [])]
warned = [one.text for one in outputs if one.get("name") == "stderr"]
drawn = sum("image/png" in one.get("data", {}) for one in outputs)
sys.exit("".join(warned) or (0 if drawn else "no picture was drawn"))
"""


SHORTER = f"""
import sys, pytest
sys.path.insert(0, {str(Path(__file__).parent)!r})
from support.documented.names import shorten_training
from support.drawing import skip_drawing

shorten_training(pytest.MonkeyPatch())
skip_drawing(pytest.MonkeyPatch())  # of reports; what a cell shows is drawn
"""
"""A cell before all others: training is short, as in blocks of pages; `make slow` has it long."""


def cells(path):
    """Kind and text of each cell, and the cells themselves."""
    found = json.loads(path.read_text("utf-8"))["cells"]
    return [(one["cell_type"], "".join(one["source"]), one) for one in found]


def test_there_are_two():
    assert [path.stem for path in NOTEBOOKS] == [
        "from-a-cohort-to-a-report",
        "from-a-file-to-an-answer",
    ]


@pytest.mark.parametrize("first", [SHORTER, pytest.param("", marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs_without_warnings_and_draws(path, first, tmp_path):
    pytest.importorskip("nbclient", reason="notebooks need nbclient and ipykernel")
    pytest.importorskip("ipykernel", reason="notebooks need nbclient and ipykernel")
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, path, first],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_is_short_and_has_no_outputs(path):
    found = cells(path)
    assert 10 <= len(found) <= 15
    code = [(text, cell) for kind, text, cell in found if kind == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for _, cell in code)
    first = ast.parse(code[0][0])
    assigned = {one.targets[0].id for one in first.body if isinstance(one, ast.Assign)}
    assert assigned & {"FILE", "COHORT"}, "a path of your own comes first"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_page_is_that_of_the_notebook(path):
    page = (PAGES / f"{path.stem}.md").read_text("utf-8")
    at = -1
    for kind, text, _ in cells(path):
        shown = f"```python\n{text}\n```" if kind == "code" else text
        at = page.find(shown, at + 1)
        assert at >= 0, f"run python docs/figures/notebooks.py: the page lacks\n{text}"


def test_pictures_are_small():
    sizes = {path.name: path.stat().st_size for path in PAGES.glob("*.png")}
    assert len(sizes) >= 4
    assert {name for name, size in sizes.items() if size > 60_000} == set()
