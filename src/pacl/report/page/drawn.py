"""A matplotlib figure as a block of a page."""

from pathlib import Path
from typing import TYPE_CHECKING

from pacl.report.page.blocks import FigureBlock
from pacl.report.style import figure_bytes, figure_style, recording_style, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE_DPI = 180
LARGEST_SVG = 400_000
"""Bytes above which a page takes the PNG instead of the SVG."""


def save_published(
    figure: "Figure", folder: Path, name: str, alt: str, caption: str = "", *, wide: bool = False
) -> FigureBlock:
    """Write a figure as SVG and PNG; gives the block that shows one of them."""
    svg, png = folder / f"{name}.svg", folder / f"{name}.png"
    with figure_style():
        save_figure(figure, svg)
        save_figure(figure, png)
    shown = svg if svg.stat().st_size <= LARGEST_SVG else png
    return FigureBlock.read(shown, alt, caption, wide)


def recording_block(name: str, figure: "Figure", alt: str, caption: str) -> FigureBlock:
    """A figure of a recording; no file is written."""
    with recording_style():
        content = figure_bytes(figure, ".svg", dpi=PAGE_DPI)
        if len(content) > LARGEST_SVG:
            content = figure_bytes(figure, ".png", dpi=PAGE_DPI)
    return FigureBlock(name, content, alt, caption)
