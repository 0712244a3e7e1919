"""Confusion of classes of all systems, side by side."""

from typing import TYPE_CHECKING

import numpy as np

from pacl.report.style import new_figure
from pacl.studies.systems import SystemsStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ACROSS = 3
WRITTEN = 12
"""With more classes, shares are not written into the squares."""


def draw_confusions(study: SystemsStudy) -> "Figure":
    """Draw the share of each class (row) that was taken for each class (column)."""
    names, systems = study.summary.class_names, study.systems
    across = min(ACROSS, len(systems))
    down = -(-len(systems) // across)
    side = max(2.1, 0.3 * len(names))
    with new_figure(0.6 + (side + 0.4) * across, 0.4 + (side + 0.5) * down) as figure:
        grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
        for at, (axes, system) in enumerate(zip(grid.ravel(), systems, strict=False)):
            counts = np.array(system.confusion, dtype=np.float64)
            shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
            axes.imshow(shares, vmin=0, vmax=1, cmap="Blues", aspect="equal")
            if len(names) <= WRITTEN:
                for (row, column), share in np.ndenumerate(shares):
                    colour = "white" if share > 0.55 else "#333333"
                    text = f"{100 * share:.0f}"
                    axes.text(
                        column, row, text, ha="center", va="center", fontsize=6.5, color=colour
                    )
            axes.set_title(system.title)
            axes.set_xticks(range(len(names)), names, rotation=90 if _long(names) else 0)
            axes.set_yticks(range(len(names)), names)
            axes.tick_params(length=0, labelsize=7, labelbottom=at + across >= len(systems))
            axes.spines[:].set_visible(False)
        for axes in grid.ravel()[len(systems) :]:
            axes.set_visible(False)
        figure.supxlabel("taken for", fontsize=9)
        figure.supylabel("class", fontsize=9)
    return figure


def _long(names: tuple[str, ...]) -> bool:
    return max(map(len, names)) > 2
