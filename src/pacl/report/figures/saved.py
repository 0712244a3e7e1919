"""A figure on disk: as vectors for print, as pixels for a page."""

from pathlib import Path
from typing import TYPE_CHECKING

from pacl.report.style import figure_style, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLISHED = (".svg", ".png")
DPI = 160


def save_published(
    figure: "Figure", folder: Path, name: str, formats: tuple[str, ...] = PUBLISHED
) -> tuple[Path, ...]:
    """Write a figure in every format, in the house style; gives the files."""
    paths = tuple(folder / f"{name}{ending}" for ending in formats)
    with figure_style():
        for path in paths:
            save_figure(figure, path)
    return paths
