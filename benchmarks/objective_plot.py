"""Draw what `objective.py` and `objective_gpu.py` measured: time and memory against the batch.

    python benchmarks/objective_plot.py objective-cpu.json objective-gpu.json [--patients 256]

A row of panels for each file, both axes logarithms; `-o` names the picture, by default
docs/assets/objective.svg.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pacl.report.style import FAINT, figure_style, save_figure

PICTURE = Path(__file__).parents[1] / "docs" / "assets" / "objective.svg"
LOOKS = {
    "dense": ("all pairs at once", "#D55E00"),
    "peer": ("pytorch-metric-learning", "#AA4499"),
    "compiled": ("all pairs, compiled", "#B07D00"),
    "tiles": ("tiles", "#0072B2"),
    "kernels": ("kernels", "#009E73"),
}
TITLES = {"ms": "time", "mib": "memory"}
STEPS = {
    "ms": {0.1: "0.1 ms", 1: "1 ms", 10: "10 ms", 100: "0.1 s", 1e3: "1 s", 1e4: "10 s"},
    "mib": {0.1: "0.1 MiB", 1: "1 MiB", 10: "10 MiB", 100: "100 MiB", 1024: "1 GiB"},
}
STEPS["ms"] |= {1e5: "100 s", 1e6: "1,000 s"}
STEPS["mib"] |= {10_240: "10 GiB", 102_400: "100 GiB"}
SIZES = (128, 1024, 8192, 65_536)
APART = 0.09
"""Least distance of two labels, as a share of the height."""


def main() -> None:
    """Read, draw, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("found", nargs="+", type=Path, help="JSON that the benchmarks wrote")
    parser.add_argument("--patients", type=int, default=256, help="in the batch")
    parser.add_argument("-o", "--output", type=Path, default=PICTURE)
    chosen = parser.parse_args()
    draw([json.loads(path.read_text()) for path in chosen.found], chosen.patients, chosen.output)


def draw(measured: Sequence[Mapping[str, Any]], patients: int, path: Path) -> None:
    """Two panels for each device."""
    with figure_style():
        figure = Figure(figsize=(10, 3.0 * len(measured)), layout="constrained")
        grid = figure.subplots(len(measured), 2, squeeze=False, sharex=True)
        for row, found in zip(grid, measured, strict=True):
            lines = lines_of(found["costs"], patients, without=_left_out(found))
            for axes, unit in zip(row, TITLES, strict=True):
                axes.set_title(f"{found['device']}: {TITLES[unit]}")
                _draw_lines(axes, lines, unit)
        for axes in grid[-1]:
            axes.set_xlabel("windows in the batch")
        save_figure(figure, path)


def lines_of(
    costs: Sequence[Mapping[str, Any]], patients: int, without: Sequence[str] = ()
) -> dict[str, list[Mapping[str, Any]]]:
    """What was measured of each kind that is drawn, by batch."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for kind in LOOKS:
        of_kind = [cost for cost in costs if (cost["kind"], cost["patients"]) == (kind, patients)]
        if of_kind and kind not in without:
            found[kind] = sorted(of_kind, key=lambda cost: cost["windows"])
    return found


def _left_out(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Tiles without kernels, where there are kernels."""
    return ("tiles",) if any(cost["kind"] == "kernels" for cost in found["costs"]) else ()


def _draw_lines(axes: Axes, lines: Mapping[str, Sequence[Mapping[str, Any]]], unit: str) -> None:
    axes.set(xscale="log", yscale="log")
    ends = []
    for kind, costs in lines.items():
        name, colour = LOOKS[kind]
        sizes = [cost["windows"] for cost in costs]
        values = [cost[unit] for cost in costs]
        axes.plot(sizes, values, marker="o", ms=3, lw=1.4, color=colour)
        ends.append((sizes[-1], values[-1], name, colour))
    values = [cost[unit] for costs in lines.values() for cost in costs]
    within = [step for step in STEPS[unit] if min(values) / 10 < step < max(values) * 10]
    axes.set_yticks(within, [STEPS[unit][step] for step in within])
    axes.set_ylim(min(min(values) / 1.5, within[1] / 1.5), max(max(values), within[-2]) * 1.5)
    axes.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
    axes.minorticks_off()
    axes.tick_params(axis="x", labelbottom=True)
    axes.grid(axis="y", color="#EDEDED", lw=0.6)
    axes.set_axisbelow(True)
    _draw_names(axes, ends)


def _draw_names(axes: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Each name at the right, as high as its line ends, moved up or down where two would meet."""
    bottom, top = np.log10(axes.get_ylim())
    places = [(np.log10(value) - bottom) / (top - bottom) for _, value, _, _ in ends]
    for place, (size, value, name, colour) in zip(_spread(places), ends, strict=True):
        axes.annotate(
            name,
            xy=(size, value),
            xytext=(1.02, place),
            textcoords=axes.transAxes,
            va="center",
            color=colour,
            arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.6, "shrinkB": 3},
        )


def _spread(places: Sequence[float]) -> list[float]:
    """The same places, two that are too near moved up and down by as much."""
    found = np.array(places, float)
    for _ in range(20):
        for lower, upper in pairwise(np.argsort(places, stable=True)):
            lacking = max(0.0, APART - (found[upper] - found[lower]))
            found[[lower, upper]] += (-lacking / 2, lacking / 2)
    return found.tolist()


if __name__ == "__main__":
    main()
