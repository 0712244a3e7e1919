import io
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from pacl.report.figures.comparison import compute_comparison, draw_comparison
from pacl.report.page import blocks, save_published
from pacl.report.style import DPI, FigureError, save_figure
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


def test_a_png_has_few_colours_and_no_pixel_that_looks_different(figure, tmp_path):
    save_figure(figure, tmp_path / "few.png")
    few = Image.open(tmp_path / "few.png")
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI, facecolor="white")
    full = Image.open(drawn)
    assert (few.mode, few.size, few.info["dpi"]) == ("P", full.size, full.info["dpi"])
    pixels, expected = (np.asarray(one.convert("RGB")).astype(int) for one in (few, full))
    assert np.abs(pixels - expected).max() <= 16  # of 255
    assert (pixels[(expected == 255).all(-1)] == 255).all()
    assert (tmp_path / "few.png").stat().st_size < drawn.getbuffer().nbytes / 2


def test_importing_the_figures_loads_no_torch():
    code = "import sys, pacl.report.figures; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stderr
