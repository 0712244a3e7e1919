import subprocess
import sys

import pytest

from pacl.report.figures import compute_comparison, draw_comparison, save_published
from pacl.report.style import FigureError


def test_a_figure_is_written_as_vectors_and_as_pixels(tmp_path):
    figure = draw_comparison(compute_comparison({"bce": {"AUROC": [0.9]}}))
    paths = save_published(figure, tmp_path, "comparison")
    assert [path.name for path in paths] == ["comparison.svg", "comparison.png"]
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    assert all(path.stat().st_size > 1000 for path in paths)


def test_other_formats_are_written_or_refused(tmp_path):
    figure = draw_comparison(compute_comparison({"bce": {"AUROC": [0.9]}}))
    (pdf,) = save_published(figure, tmp_path, "comparison", (".pdf",))
    assert pdf.read_bytes().startswith(b"%PDF")
    with pytest.raises(FigureError, match=r"cannot draw \.bmp"):
        save_published(figure, tmp_path, "comparison", (".bmp",))


def test_importing_the_figures_loads_no_torch():
    code = "import sys, pacl.report.figures; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stderr
