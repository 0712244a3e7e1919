"""Figures that stay empty, for tests that are about something else."""

from typing import Any, BinaryIO

import pytest
from matplotlib.figure import Figure
from PIL import Image

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>'


def skip_drawing(patched: pytest.MonkeyPatch) -> None:
    """Leave figures empty: drawing takes longer than all else, and has tests of its own."""

    def savefig(figure: Figure, file: BinaryIO, **settings: Any) -> None:
        if settings.get("format") == "png":
            Image.new("L", (1, 1)).save(file, format="png", dpi=(100, 100))
        else:
            file.write(SVG)

    patched.setattr(Figure, "savefig", savefig)
    patched.setattr(Figure, "draw_without_rendering", lambda figure: None)
