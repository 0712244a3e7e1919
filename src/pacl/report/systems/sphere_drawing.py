"""Embeddings on a globe by class: of subjects learned from above, of subjects never seen below."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Bool
from pacl.report.globe import Globe, draw_graticule, lean, project_globe
from pacl.report.style import DISTINCT, FigureError, new_figure
from pacl.studies.systems import Pictured, SystemsStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = ("o", "^", "s", "D", "v")
"""The next one for each round of colours."""


def draw_systems_spheres(study: SystemsStudy, shown: tuple[Pictured, ...]) -> "Figure":
    """Draw one column per network."""
    from matplotlib.lines import Line2D

    if not shown:
        raise FigureError("no system has embeddings; there is nothing to draw")
    with new_figure(max(2.45 * len(shown), 3.2) + 0.1, 5.6) as figure:
        grid = figure.subplots(2, len(shown), squeeze=False)
        for one, (above, below) in zip(shown, grid.T, strict=True):
            globe = project_globe(one.embedded, one.labels)
            for axes, rows in ((above, ~one.unseen), (below, one.unseen)):
                draw_graticule(axes)
                _draw_points(axes, globe, one, rows)
            title = study.system(one.system).title
            above.set_title(f"{title}: {globe.share:.0%} of squared length", fontsize=8.5)
        for axes, text in zip(grid[:, 0], ("learned from", "never seen"), strict=True):
            place: dict[str, Any] = {"transform": axes.transAxes, "rotation": 90, "fontsize": 8.5}
            axes.text(-0.04, 0.5, text, ha="right", va="center", **place)
        handles = [
            Line2D([], [], ls="", marker=_look(at)[1], color=_look(at)[0], ms=5, mew=0)
            for at in range(len(study.summary.class_names))
        ]
        columns = min(len(handles), 8)
        figure.legend(handles, study.summary.class_names, loc="outside lower left", ncols=columns)
    return figure


def _draw_points(axes: "Axes", globe: Globe, one: Pictured, rows: Bool[Array, "window"]) -> None:
    points = lean(globe.points)
    front = points[:, 2] >= 0
    for side, size, alpha, order in ((~front, 4.0, 0.25, 1), (front, 9.0, 0.75, 3)):
        for number in np.unique(one.labels):
            of = side & rows & (one.labels == number)
            x, y, _ = points[of].T
            colour, marker = _look(int(number))
            style: dict[str, Any] = {"lw": 0, "alpha": alpha, "zorder": order, "marker": marker}
            axes.scatter(x, y, s=size, color=colour, **style)


def _look(number: int) -> tuple[str, str]:
    again, colour = divmod(number, len(DISTINCT))
    return DISTINCT[colour], MARKERS[again % len(MARKERS)]
