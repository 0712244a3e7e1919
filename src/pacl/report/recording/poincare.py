"""Poincaré plot: each interval against the next, in AF and outside it."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.detect import Detection
from pacl.records import PLAUSIBLE_MS, Record
from pacl.report.page import FigureBlock, recording_block
from pacl.report.recording.decisions import DECISION_COLOURS, Decision, beat_decisions
from pacl.report.style import FAINT, RECORDING_WIDTH, recording_style
from pacl.report.wording import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BIN_MS = 20
MOST_BEYOND = 0.002
"""Share of the intervals of a cloud that may be beyond the axes."""
TITLES = {Decision.AF: "in AF", Decision.NOT_AF: "outside AF"}


@dataclass(frozen=True, eq=False, slots=True)
class Cloud:
    """How many pairs of neighbours fall into each cell, and the mean of the first of each."""

    counts: Int64[Array, "first next"]
    pairs: int
    mean_ms: float
    """NaN where there is no pair."""


@dataclass(frozen=True, eq=False, slots=True)
class PoincarePicture:
    """Two clouds on one grid; cells beyond `top_ms` are not shown."""

    edges_ms: Float64[Array, "edge"]
    top_ms: float
    clouds: dict[Decision, Cloud]


def compute_poincare(record: Record, detection: Detection) -> PoincarePicture:
    """Count plausible neighbours with the same decision; none across a gap or a file."""
    low, high = PLAUSIBLE_MS
    rr_ms, kinds = record.rr_ms, beat_decisions(record, detection)
    plausible = (rr_ms >= low) & (rr_ms <= high)
    linked = np.ones(len(record), dtype=bool)
    linked[[stop - 1 for _, stop in record.stretches()]] = False
    both = plausible[:-1] & plausible[1:] & linked[:-1] & (kinds[:-1] == kinds[1:])
    edges_ms = np.arange(low, high + BIN_MS, BIN_MS, dtype=np.float64)
    clouds, top_ms = {}, 0.0
    for one in TITLES:
        at = np.flatnonzero(both & (kinds[:-1] == one))
        counts, _, _ = np.histogram2d(rr_ms[at], rr_ms[at + 1], bins=(edges_ms, edges_ms))
        mean_ms = float(rr_ms[at].mean(dtype=np.float64)) if at.size else math.nan
        clouds[one] = Cloud(counts.astype(np.int64), int(at.size), mean_ms)
        if at.size:
            top_ms = max(top_ms, float(np.quantile(rr_ms[at], 1 - MOST_BEYOND)))
    top_ms = 100.0 * math.ceil(top_ms / 100 + 0.5) if top_ms else float(high)
    return PoincarePicture(edges_ms, min(top_ms, float(high)), clouds)


def draw_poincare(picture: PoincarePicture) -> "Figure":
    """Draw both densities side by side; the darker, the more pairs, by powers of ten."""
    from matplotlib.figure import Figure

    with recording_style():
        figure = Figure(figsize=(RECORDING_WIDTH, 3.75), layout="constrained")
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, (decision, cloud) in zip(panels, picture.clouds.items(), strict=True):
            _draw_cloud(axes, picture, decision, cloud)
        panels[0].set_ylabel("next RR (ms)")
    return figure


def _draw_cloud(axes: "Axes", picture: PoincarePicture, decision: Decision, cloud: Cloud) -> None:
    from matplotlib.colors import LinearSegmentedColormap, LogNorm

    low = PLAUSIBLE_MS[0]
    ends = (low, picture.top_ms)
    axes.plot(ends, ends, color=FAINT, lw=0.7, zorder=0)
    title = f"{TITLES[decision]}: none"
    if cloud.pairs:
        colours = ["#FFFFFF", DECISION_COLOURS[decision], "#000000"]
        shades = LinearSegmentedColormap.from_list("pairs", colours)(np.linspace(0.04, 0.8, 200))
        counts = np.ma.masked_equal(_softened(cloud.counts).T, 0.0)
        axes.pcolormesh(
            picture.edges_ms,
            picture.edges_ms,
            counts,
            norm=LogNorm(float(counts.min()), 1.001 * float(counts.max())),
            cmap=LinearSegmentedColormap.from_list("shades", shades),
            rasterized=True,
        )
        title = f"{TITLES[decision]}: {cloud.pairs:,} pairs, {60_000 / cloud.mean_ms:.0f}/min"
    axes.set_title(title)
    ticks = [at for at in (500, 1000, 1500, 2000) if at <= picture.top_ms]
    axes.set(xlim=ends, ylim=ends, xticks=ticks, yticks=ticks, aspect="equal", xlabel="RR (ms)")


def _softened(counts: Int64[Array, "first next"]) -> Float64[Array, "first next"]:
    """Counts shared with neighbours.

    Intervals are multiples of a sampling step, which the grid would turn into stripes.
    """
    padded = np.pad(counts.astype(np.float64), 1)
    rows = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
    found: Float64[Array, "first next"] = (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) / 4
    return found


def poincare_block(record: Record, detection: Detection) -> FigureBlock:
    """The figure on the page."""
    return recording_block(
        "poincare",
        draw_poincare(compute_poincare(record, detection)),
        "Each RR interval against the next, in AF on the left and outside it on the right",
        "**Each interval and the next** (Poincaré plot). On the diagonal, both are equally long. "
        "In AF the next interval is unpredictable. Darker: more pairs. Heart rates are means. Up "
        f"to {percent(MOST_BEYOND)} of the intervals are beyond the axes.",
    )
