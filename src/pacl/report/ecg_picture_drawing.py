"""Draws an ECG with its beats, in rows of ten seconds."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pacl.records import GAP_MS, Rhythm
from pacl.report.ecg_picture import ROW_S, EcgPicture
from pacl.report.style import (
    FAINT,
    INK,
    RHYTHM_COLOURS,
    RHYTHM_NAMES,
    figure_style,
    save_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LEADS = 3
"""More are not drawn: a row would be too low to read."""

NOISE_COLOUR = "#e8e8e8"


def draw_ecg_picture(picture: EcgPicture, path: Path) -> None:
    """Draw a computed picture; the ending of `path` is the format."""
    from matplotlib.figure import Figure

    leads = min(len(picture.leads), MOST_LEADS)
    rows = max(int(np.ceil((picture.end_s - picture.start_s) / ROW_S - 1e-6)), 1)
    with figure_style():
        figure = Figure(figsize=(11, 1.0 + rows * (0.65 + 1.05 * leads)), layout="constrained")
        panels = figure.subplots(rows, 1, squeeze=False)[:, 0]
        step_mv = _step(picture, leads)
        for row, axes in enumerate(panels):
            _draw_row(axes, picture, picture.start_s + row * ROW_S, leads, step_mv)
        panels[-1].set_xlabel("time of day" if picture.started else "time since the start")
        _draw_title(figure, picture, leads)
        save_figure(figure, path)


def _step(picture: EcgPicture, leads: int) -> float:
    """Distance of leads in millivolts, so that they do not overlap."""
    some = picture.millivolts[:leads]
    heights = [
        np.subtract(*np.nanpercentile(lead, [99.8, 0.2]))
        for lead in some
        if not np.isnan(lead).all()
    ]
    return max([1.15 * float(height) for height in heights] + [0.5])


def _draw_row(
    axes: "Axes", picture: EcgPicture, start_s: float, leads: int, step_mv: float
) -> None:
    fs_hz = picture.fs_hz
    low = round((start_s - picture.start_s) * fs_hz)
    part = picture.millivolts[:leads, low : low + int(ROW_S * fs_hz)]
    time_s = start_s + np.arange(part.shape[1]) / fs_hz
    top_mv, bottom_mv = 0.75 * step_mv, -(leads - 0.25) * step_mv
    axes.set(xlim=(start_s, start_s + ROW_S), ylim=(bottom_mv, top_mv + 0.25 * step_mv))
    for one in picture.not_judged:
        left, right = max(one.start_s, start_s), min(one.end_s, start_s + ROW_S)
        if left < right:
            axes.axvspan(left, right, color=NOISE_COLOUR, lw=0, zorder=0)
            axes.text(
                left, bottom_mv, f" not judged: {one.why}", fontsize=7, va="bottom", color=INK
            )
    if np.isnan(part).all():
        middle_s = start_s + ROW_S / 2
        axes.text(middle_s, -0.4 * step_mv, "nothing was recorded here", ha="center", color=INK)
    for number, lead in enumerate(part):
        middle = 0.0 if np.isnan(lead).all() else float(np.nanmedian(lead))
        axes.plot(time_s, lead - middle - number * step_mv, color=INK, lw=0.8, zorder=2)
        axes.text(
            start_s + 0.05,
            -number * step_mv + 0.3 * step_mv,
            picture.leads[number],
            fontsize=8,
            bbox={"fc": "white", "ec": "none", "pad": 1, "alpha": 0.8},
        )
    inside = (picture.beats_s >= start_s) & (picture.beats_s < start_s + ROW_S)
    for at_s, rr_ms, kind in zip(
        picture.beats_s[inside], picture.rr_ms[inside], picture.rhythm[inside], strict=True
    ):
        colour = RHYTHM_COLOURS[Rhythm(int(kind))]
        axes.plot([at_s], [top_mv], marker="v", ms=5, color=colour, zorder=3)
        axes.axvline(at_s, color=colour, lw=0.5, alpha=0.5, zorder=1)
        if np.isfinite(rr_ms) and rr_ms <= GAP_MS and at_s + rr_ms / 2000 < start_s + ROW_S:
            axes.text(
                at_s + rr_ms / 2000, top_mv, f"{rr_ms:.0f}", fontsize=7, ha="center", va="center"
            )
    ticks = np.arange(np.ceil(start_s - 1e-6), start_s + ROW_S, 1.0)
    axes.set_xticks(
        ticks, [_clock(picture, tick) if i % 2 == 0 else "" for i, tick in enumerate(ticks)]
    )
    axes.set_yticks([])
    axes.grid(axis="x", color=FAINT, lw=0.4)
    axes.plot([start_s + ROW_S - 0.08] * 2, [bottom_mv, bottom_mv + 1.0], color=INK, lw=2)
    axes.text(start_s + ROW_S - 0.13, bottom_mv, "1 mV", fontsize=7, ha="right", va="bottom")


def _clock(picture: EcgPicture, at_s: float) -> str:
    if picture.started is not None:
        return (picture.started + timedelta(seconds=at_s)).strftime("%H:%M:%S")
    whole = round(at_s)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _draw_title(figure: "Figure", picture: EcgPicture, leads: int) -> None:
    from matplotlib.lines import Line2D

    hidden = len(picture.leads) - leads
    more = f", {hidden} more leads not shown" if hidden else ""
    figure.suptitle(
        f"{picture.record_id}: ECG with its beats, intervals in ms{more}",
        x=0.012,
        ha="left",
        fontsize=12,
        fontweight="bold",
    )
    present = [kind for kind in Rhythm if (picture.rhythm == kind).any()]
    handles = [Line2D([], [], marker="v", ls="", color=RHYTHM_COLOURS[kind]) for kind in present]
    names = [RHYTHM_NAMES[kind] for kind in present]
    if handles:
        figure.legend(handles, names, loc="upper right", ncols=len(names), handletextpad=0.1)
