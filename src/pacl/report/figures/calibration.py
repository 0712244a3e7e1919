"""Share of windows in AF against the predicted probability, and the number of windows."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.report.figures.losses import Look, loss_looks
from pacl.report.figures.study_figure import StudyFigure
from pacl.report.style import FigureError, draw_grid, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pacl.evaluation import Calibration, Evaluation

FEW = 30
"""Windows below which a share is drawn hollow: it is uncertain."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Windows of all seeds with a probability from `low` to `high`; None where there are none.

    `windows` is the mean number over seeds, `lowest` and `highest` the shares of single seeds.
    """

    low: float
    high: float
    windows: float
    mean_probability: float | None
    share: float | None
    lowest: float | None
    highest: float | None


@dataclass(frozen=True, slots=True)
class Reliability:
    """One loss, its seeds taken together."""

    bins: tuple[Bin, ...]
    expected_error: float
    brier: float
    seeds: int


def compute_reliability(
    evaluations: "Mapping[str, Sequence[Evaluation]]",
) -> dict[str, Reliability]:
    """Combine the bins of evaluations (loss to evaluations over seeds)."""
    found = {
        loss: _combined([one.detection.calibration for one in measured])
        for loss, measured in evaluations.items()
        if measured
    }
    if not found:
        raise FigureError("no evaluation to draw; give one or more runs of a loss")
    return found


def _combined(seeds: "Sequence[Calibration]") -> Reliability:
    bins = []
    for row in zip(*(one.bins for one in seeds), strict=True):
        filled = [one for one in row if one.windows]
        windows = sum(one.windows for one in filled)
        means = {
            key: sum(getattr(one, key) * one.windows for one in filled) / windows
            if windows
            else None
            for key in ("mean_probability", "share")
        }
        shares = [one.share for one in filled if one.share is not None]
        bins.append(
            Bin(
                low=row[0].low,
                high=row[0].high,
                windows=windows / len(seeds),
                **means,
                lowest=min(shares, default=None),
                highest=max(shares, default=None),
            )
        )
    return Reliability(
        bins=tuple(bins),
        expected_error=statistics.fmean(one.expected_error for one in seeds),
        brier=statistics.fmean(one.brier for one in seeds),
        seeds=len(seeds),
    )


def draw_reliability(losses: Mapping[str, Reliability]) -> "Figure":
    """Draw one column per loss: shares against probabilities, the number of windows below."""
    looks = loss_looks(losses)
    most = max(one.windows for found in losses.values() for one in found.bins)
    with new_figure(max(2.5 * len(looks) + 0.6, 3.4), 4.1) as figure:
        grid = figure.subplots(
            2, len(looks), sharex=True, sharey="row", squeeze=False, height_ratios=[3, 1]
        )
        for (loss, look), (top, bottom) in zip(looks.items(), grid.T, strict=True):
            _draw_shares(top, losses[loss], look)
            _draw_counts(bottom, losses[loss], look)
            bottom.set(ylim=(0, most * 1.3), xlabel="probability of AF")
            bottom.yaxis.set_major_formatter("{x:,.0f}")
        grid[0, 0].set_ylabel("share in AF")
        grid[1, 0].set_ylabel("windows")
    return figure


def _draw_shares(axes: "Axes", found: Reliability, look: Look) -> None:
    axes.plot([0, 1], [0, 1], color="#999999", lw=0.7, ls=(0, (4, 3)))
    rows = [
        (one.mean_probability, one.share, one.lowest, one.highest, one.windows)
        for one in found.bins
        if one.windows
    ]
    x, y, low, high, windows = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    axes.plot(x, y, color=look.colour, lw=1.2, zorder=2)
    if found.seeds > 1:
        axes.vlines(x, low, high, color=look.colour, lw=1.0, alpha=0.6)
    for some, fill in ((windows >= FEW, look.colour), (windows < FEW, "white")):
        axes.plot(x[some], y[some], look.marker, ms=5.5, mfc=fill, mec=look.colour, ls="", zorder=3)
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    words = f"{look.name}\ncalibration error {found.expected_error:.3f}, Brier {found.brier:.3f}"
    axes.set_title(words, fontsize=8)
    draw_grid(axes)


def _draw_counts(axes: "Axes", found: Reliability, look: Look) -> None:
    for one in found.bins:
        axes.bar(
            one.low, one.windows, one.high - one.low, align="edge", color=look.colour, alpha=0.55
        )
        top = ((one.low + one.high) / 2, one.windows)
        style: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": 6}
        axes.annotate(_short(one.windows), top, (0, 1.5), **style)


def _short(count: float) -> str:
    """At most four characters."""
    if count < 999.5:
        return f"{count:.0f}"
    if count < 9950:
        return f"{count / 1000:.1f}k"
    return f"{count / 1000:.0f}k" if count < 999_500 else f"{count / 1e6:.1f}M"


FIGURE = StudyFigure(
    name="calibration",
    section="detection",
    order=30,
    alt="Share of AF against predicted probability for each loss",
    caption="**Calibration, {cohort}.** Share of windows in AF against the predicted probability.",
    compute=lambda study: compute_reliability(study.evaluations()),
    draw=draw_reliability,
    wide=True,
)
