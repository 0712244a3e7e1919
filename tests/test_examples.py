"""Every example runs, says something, draws its picture, and is on the page of the gallery."""

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from pacl.records import Rhythm
from pacl.report.style import RHYTHM_COLOURS
from pacl.settings import ENCODERS
from support.documented.pages import section

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PICTURES = {path.stem: path for path in (ROOT / "docs/gallery").glob("*.png")}
PAGE = ROOT / "docs/gallery.md"
MOST_BYTES, MOST_TOGETHER = 40_000, 600_000
WRITE = "run python docs/figures/sections.py"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_draws(example, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(example)])
    monkeypatch.setattr(ENCODERS, "_added", dict(ENCODERS._added))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with mpl.rc_context():
        runpy.run_path(str(example))
        mpl.pyplot.close("all")
    assert capsys.readouterr().out
    with Image.open(f"{example.stem}.png") as drawn, Image.open(PICTURES[example.stem]) as kept:
        pixels = np.asarray(drawn.convert("L"))
        assert np.ptp(pixels, axis=0).any(), "an empty picture"
        assert drawn.size == kept.size, "run python docs/figures/gallery.py"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_is_short_and_says_what_it_shows(example):
    code = example.read_text("utf-8")
    assert len(code.splitlines()) <= 80
    docstring = ast.get_docstring(ast.parse(code))
    assert docstring
    assert "\n" not in docstring, "one line"
    assert f'figure.savefig("{example.stem}.png")' in code


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_imports_public_faces_alone(example):
    for node in ast.walk(ast.parse(example.read_text("utf-8"))):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name.split(".")[0] != "pacl" or name == "pacl.registry":
                continue
            place = ROOT / "src" / name.replace(".", "/") / "__init__.py"
            assert place.is_file(), f"{name} is inside a package; import from its face"


def test_the_first_seven_need_no_training_extra():
    lines = [
        ast.unparse(node)
        for example in EXAMPLES[:7]
        for node in ast.walk(ast.parse(example.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    forbidden = ["torch", "scipy", "sklearn", "pyarrow"]
    code = f"import sys; sys.modules.update(dict.fromkeys({forbidden}))\n" + "\n".join(lines)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_examples_are_numbered_from_one():
    assert [int(path.stem[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))
    assert 12 <= len(EXAMPLES) <= 16


def test_each_example_has_a_small_picture():
    assert PICTURES.keys() == {path.stem for path in EXAMPLES}
    sizes = {name: path.stat().st_size for name, path in PICTURES.items()}
    assert {name for name, size in sizes.items() if size > MOST_BYTES} == set()
    assert sum(sizes.values()) < MOST_TOGETHER


def test_the_gallery_shows_all_examples_in_order():
    page = PAGE.read_text("utf-8")
    stems = [path.stem for path in EXAMPLES]
    assert re.findall(r"!\[[^\]]{20,}\]\(gallery/([^)]+)\.png\)", page) == stems
    assert re.findall(r"<summary>(\S+)\.py</summary>", page) == stems
    described = re.sub(r"<!-- begin .*?<!-- end [^>]*-->", "", page, flags=re.DOTALL)
    for path in EXAMPLES:
        shown = section("docs/gallery.md", f"examples/{path.name}")
        assert shown == f"```python\n{path.read_text('utf-8').strip()}\n```", WRITE
        assert ast.get_docstring(ast.parse(path.read_text("utf-8"))) in described, path.stem


def test_the_style_has_the_colours_of_the_reports():
    with mpl.rc_context():
        mpl.style.use("pacl.style")
        colours = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
    assert [f"#{one}".replace("##", "#") for one in colours[:2]] == [
        RHYTHM_COLOURS[Rhythm.SR],
        RHYTHM_COLOURS[Rhythm.AF],
    ]
