import subprocess
import sys

import pytest

from pacl.report.figures.comparison import compute_comparison, draw_comparison
from pacl.report.page import blocks, save_published
from pacl.report.style import FigureError, save_figure
from support.refusals import refused


@pytest.fixture(scope="module")
def figure():
    return draw_comparison(compute_comparison({"bce": {"AUROC": [0.9]}}))


def test_a_figure_is_written_as_svg_and_png_and_shown_as_the_one_that_fits(
    figure, tmp_path, monkeypatch
):
    block = save_published(figure, tmp_path, "comparison", "Dots", "**Dots.**", wide=True)
    paths = [tmp_path / f"comparison.{ending}" for ending in ("png", "svg")]
    assert sorted(tmp_path.iterdir()) == paths
    assert (block.file_name, block.content) == ("comparison.svg", paths[1].read_bytes())
    monkeypatch.setattr(blocks, "LARGEST_SVG", 1000)
    block = save_published(figure, tmp_path, "comparison", "Dots")
    assert (block.file_name, block.content) == ("comparison.png", paths[0].read_bytes())


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_file_has_no_date(figure, tmp_path, ending):
    save_figure(figure, tmp_path / f"one.{ending}")
    content = (tmp_path / f"one.{ending}").read_bytes()
    assert not any(word in content for word in (b"dc:date", b"CreationDate", b"Creation Time"))
    with refused(FigureError, "x.bmp", f".{ending}"):
        save_figure(figure, tmp_path / "x.bmp")


def test_importing_the_figures_loads_no_torch():
    code = "import sys, pacl.report.figures; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stderr
