"""Draw what `growth.py` measured: four panels, seconds against size, both as logarithms.

    python benchmarks/growth_plot.py growth.json [-o docs/assets/growth.png]

Faint lines have slope 1: twice as much takes twice as long.
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
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from pacl.report.style import FAINT, INK, figure_style, save_figure

PICTURE = Path(__file__).parents[1] / "docs" / "assets" / "growth.png"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#AA4499")
TITLES = {
    "windows": "windows embedded, fitted, measured, validated",
    "patients": "patients of 64 windows",
    "batch": "windows in a batch, a step",
    "runs": "runs of a fleet, an epoch",
}
APART = 0.075
"""Least distance of two labels, as a share of the height."""


def main() -> None:
    """Read, draw, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("growth", type=Path, help="JSON that growth.py wrote")
    parser.add_argument("-o", "--output", type=Path, default=PICTURE)
    chosen = parser.parse_args()
    draw(json.loads(chosen.growth.read_text()), chosen.output)


def draw(found: Mapping[str, Any], path: Path) -> None:
    """Draw the four panels; a part that was not measured says so."""
    machine = found["machine"]
    gpu = f", GPU: {machine['gpu']}" if machine["gpu"] else ""
    with figure_style():
        figure = Figure(figsize=(11, 7.4), layout="constrained")
        figure.suptitle(
            f"Seconds against size. CPU: {machine['cpu_threads']} threads{gpu}; "
            f"PyTorch {machine['torch']}. Along faint lines twice as much takes twice as long.",
            x=0.01,
            ha="left",
            fontsize=10,
        )
        for axes, part in zip(figure.subplots(2, 2).flat, TITLES, strict=True):
            _draw_part(axes, part, found["parts"].get(part, []))
        save_figure(figure, path)


def _draw_part(axes: Axes, part: str, lines: Sequence[Mapping[str, Any]]) -> None:
    axes.set_title(TITLES[part])
    if not lines:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color=INK)
        axes.set_axis_off()
        return
    sizes = [np.array([point["size"] for point in line["points"]], float) for line in lines]
    times = [np.array([point["seconds"] for point in line["points"]]) for line in lines]
    low, high = min(map(np.min, sizes)), max(map(np.max, sizes))
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(low / 1.15, high * (high / low) ** 0.5)  # room for the labels
    fastest, slowest = min(map(np.min, times)), max(map(np.max, times))
    axes.set_ylim(fastest / 1.8, slowest * 1.8)
    _draw_slopes(axes, low, high)
    for line, size, spent, colour in zip(lines, sizes, times, COLOURS, strict=False):
        style = "-" if line["device"] == "CPU" else (0, (4, 1.5))
        axes.plot(size, spent, ls=style, marker="o", ms=3.2, lw=1.4, color=colour)
    places = _spread([_height(axes, spent[-1]) for spent in times])
    for line, place, size, spent, colour in zip(lines, places, sizes, times, COLOURS, strict=False):
        axes.annotate(
            f"{line['name']}, {line['device']}",
            xy=(size[-1], spent[-1]),
            xytext=(axes.transLimits.transform((np.log10(high), 0))[0] + 0.03, place),
            textcoords="axes fraction",
            va="center",
            color=colour,
            arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.6, "shrinkB": 3},
        )
    _draw_ticks(axes, sorted({int(size) for some in sizes for size in some}))


def _draw_slopes(axes: Axes, low: float, high: float) -> None:
    """Lines along which time grows as size does, one for each power of ten."""
    bottom, top = axes.get_ylim()
    for power in range(-12, 6):
        axes.plot(
            [low, high], [10.0**power * low, 10.0**power * high], color=FAINT, lw=0.6, zorder=0
        )
    axes.set_ylim(bottom, top)


def _draw_ticks(axes: Axes, sizes: Sequence[int]) -> None:
    shown = sizes if len(sizes) <= 7 else [size for size in sizes if size not in (45, 60)]
    axes.set_xticks(shown, [_short(size) for size in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    bottom, top = axes.get_ylim()
    subs = (1.0, 2.0, 5.0) if top < 100 * bottom else (1.0,)
    axes.yaxis.set_major_locator(LogLocator(subs=subs, numticks=20))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _seconds(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _height(axes: Axes, value: float) -> float:
    """Where a value lies, as a share of the height."""
    bottom, top = np.log10(axes.get_ylim())
    return float((np.log10(value) - bottom) / (top - bottom))


def _spread(places: Sequence[float]) -> list[float]:
    """The same places, moved apart so that labels do not overlap."""
    order = np.argsort(places)
    found = np.array(places, float)
    for lower, upper in pairwise(order):
        found[upper] = max(found[upper], found[lower] + APART)
    return (found - max(0.0, found.max() - 1.0)).tolist()


def _short(size: int) -> str:
    return f"{size // 1000}k" if size >= 1000 and size % 1000 == 0 else f"{size}"


def _seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.999 * scale:
            return f"{value / scale:g} {unit}"
    return f"{value:g} s"


if __name__ == "__main__":
    main()
