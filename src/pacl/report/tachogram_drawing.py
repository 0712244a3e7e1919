"""Draws the picture of a recording from its computed data."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.records import PLAUSIBLE_MS, Rhythm
from pacl.report.style import (
    FAINT,
    INK,
    RHYTHM_COLOURS,
    RHYTHM_NAMES,
    SCALE_COLOUR,
    figure_style,
    save_figure,
)
from pacl.report.tachogram import CloseUp, Tachogram, Use

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DAY_H = 24.0
ROWS = 7


def draw_tachogram(picture: Tachogram, path: Path) -> None:
    """Draw a computed picture; the ending of `path` says the format."""
    from matplotlib.figure import Figure

    total_h = max(stop for _, stop, _ in picture.runs_h) + 1e-9
    row_h = total_h if total_h <= DAY_H + 1 else DAY_H * np.ceil(total_h / DAY_H / ROWS)
    rows = int(np.ceil(total_h / row_h))
    close = len(picture.close_ups)
    with figure_style():
        height = 1.1 + 1.75 * rows + (2.55 if close else 0.2)
        figure = Figure(figsize=(11, height), layout="constrained")
        grid = figure.add_gridspec(
            rows + bool(close), 1, height_ratios=[1.0] * rows + [1.3] * bool(close)
        )
        for row in range(rows):
            axes = figure.add_subplot(grid[row])
            _draw_row(axes, picture, row * row_h, (row + 1) * row_h, last=row == rows - 1)
        if close:
            highest_ms = max(float(close_up.rr_ms.max()) for close_up in picture.close_ups)
            top_ms = min(PLAUSIBLE_MS[1], highest_ms + 100)
            cells = grid[rows].subgridspec(1, close + 1, width_ratios=[1.45] * close + [1])
            for column, close_up in enumerate(picture.close_ups):
                _draw_close_up(figure.add_subplot(cells[column]), close_up, top_ms, column == 0)
            _draw_poincare(figure.add_subplot(cells[close]), picture)
        _draw_title(figure, picture)
        save_figure(figure, path)


def _draw_row(axes: "Axes", picture: Tachogram, from_h: float, to_h: float, last: bool) -> None:
    low, high = PLAUSIBLE_MS
    part = slice(*np.searchsorted(picture.onset_h, [from_h, to_h]))
    rr = np.clip(picture.rr_ms[part], low, high)
    rhythm, onset = picture.rhythm[part], picture.onset_h[part]
    for kind in Rhythm:
        of = rhythm == kind
        crowded = rr.size > 5000
        size, alpha = (0.7, 0.35) if crowded else (6.0, 0.8)
        axes.scatter(
            onset[of], rr[of], s=size, c=RHYTHM_COLOURS[kind], alpha=alpha, lw=0, rasterized=True
        )
        bars = [
            (max(start, from_h), min(stop, to_h) - max(start, from_h))
            for start, stop, of_run in picture.runs_h
            if of_run is kind and stop > from_h and start < to_h
        ]
        ribbon: dict[str, Any] = {
            "transform": axes.get_xaxis_transform(),
            "color": RHYTHM_COLOURS[kind],
            "lw": 0,
        }
        axes.broken_barh(bars, (1.0, 0.07), clip_on=False, **ribbon)
        if kind is Rhythm.AF:
            axes.broken_barh(bars, (0.0, 1.0), alpha=0.07, **ribbon)
    if picture.use:
        _draw_use(axes, picture.use, from_h, to_h)
    for start, stop in picture.gaps_h:
        if stop > from_h and start < to_h:
            width = max(stop - start, (to_h - from_h) / 800)
            cover: dict[str, Any] = {"ymax": 1.08, "clip_on": False, "zorder": 3}
            axes.axvspan(start, start + width, color="white", **cover)
            axes.axvspan(start, start + width, fc="none", ec=INK, hatch="////", lw=0.4, **cover)
    for at in picture.file_onsets_h:
        if from_h < at < to_h:
            axes.axvline(at, color=INK, lw=0.7, ls=(0, (4, 3)))
    axes.set(xlim=(from_h, to_h), ylim=(low, high), yticks=[500, 1000, 1500, 2000])
    axes.set_ylabel("RR (ms)")
    axes.grid(axis="y", color=FAINT, lw=0.4)
    axes.set_axisbelow(True)
    _label_time(axes, picture.started, from_h, to_h, last)


def _draw_use(axes: "Axes", use: Use, from_h: float, to_h: float) -> None:
    """Beats to scale on and windows, as a ribbon along the bottom."""
    blocks = [(start, stop, SCALE_COLOUR) for start, stop in use.scale_h]
    blocks += [(start, stop, RHYTHM_COLOURS[kind]) for start, stop, kind in use.windows_h]
    for colour in dict.fromkeys(colour for _, _, colour in blocks):
        bars = [
            (max(start, from_h), min(stop, to_h) - max(start, from_h))
            for start, stop, of_block in blocks
            if of_block == colour and stop > from_h and start < to_h
        ]
        axes.broken_barh(
            bars, (0.0, 0.06), transform=axes.get_xaxis_transform(), color=colour, lw=0, zorder=3
        )


def _label_time(
    axes: "Axes", started: datetime | None, from_h: float, to_h: float, last: bool
) -> None:
    """Ticks on whole hours (or minutes) of the clock, or of the recording where none is known."""
    steps_h = np.array([1 / 60, 5 / 60, 1 / 6, 0.5, 1, 2, 3, 6, 12, 24, 48])
    step = float(steps_h[np.searchsorted(steps_h, (to_h - from_h) / 13).clip(0, 10)])
    shift = 0.0
    if started is not None:
        shift = started.hour + started.minute / 60 + started.second / 3600
    ticks = np.arange(np.ceil((from_h + shift) / step), (to_h + shift) / step) * step - shift
    axes.set_xticks(ticks)
    if started is None:
        axes.set_xticklabels([f"{tick:g}" if step >= 0.5 else f"{tick * 60:.0f}" for tick in ticks])
        label = "hours" if step >= 0.5 else "minutes"
        axes.set_xlabel(f"{label} from the start of the recording" if last else "")
    else:
        clock = [started + timedelta(hours=float(tick), seconds=0.5) for tick in ticks]
        axes.set_xticklabels([f"{time:%H:%M}" for time in clock])
        axes.set_xlabel("time of day" if last else "")
        begins = started + timedelta(hours=from_h)
        axes.text(
            1.0, 1.1, f"from {begins:%a %H:%M}", transform=axes.transAxes, ha="right", fontsize=8
        )


def _draw_close_up(axes: "Axes", close_up: CloseUp, top_ms: float, first: bool) -> None:
    rr = np.clip(close_up.rr_ms, *PLAUSIBLE_MS)
    minutes = (close_up.onset_s - close_up.onset_s[0]) / 60
    axes.plot(minutes, rr, color=FAINT, lw=0.7, zorder=1)
    colours = [RHYTHM_COLOURS[Rhythm(kind)] for kind in close_up.rhythm]
    axes.scatter(minutes, rr, s=5, c=colours, lw=0, zorder=2)
    axes.set(ylim=(PLAUSIBLE_MS[0], top_ms), title=close_up.title, xlabel="minutes")
    axes.grid(axis="y", color=FAINT, lw=0.4)
    if first:
        axes.set_ylabel("RR (ms)")


def _draw_poincare(axes: "Axes", picture: Tachogram) -> None:
    """Each interval against the next: a tight comet in sinus rhythm, a cloud in AF."""
    low, high = PLAUSIBLE_MS
    rr = picture.rr_ms
    every = max(1, rr.size // 30_000)
    for kind in (Rhythm.OTHER, Rhythm.UNKNOWN, Rhythm.SR, Rhythm.AF):
        both = (picture.rhythm[:-1] == kind) & (picture.rhythm[1:] == kind) & picture.linked[:-1]
        of = np.flatnonzero(both)[::every]
        axes.scatter(
            rr[of], rr[of + 1], s=1, c=RHYTHM_COLOURS[kind], alpha=0.2, lw=0, rasterized=True
        )
    axes.set(xlim=(low, high), ylim=(low, high), title="each RR and the next", aspect="equal")
    axes.set(xticks=[500, 1000, 1500], yticks=[500, 1000, 1500], xlabel="RR (ms)")


def _draw_title(figure: "Figure", picture: Tachogram) -> None:
    from matplotlib.lines import Line2D

    found = picture.overview
    facts = [f"{found.beats:,} intervals", f"{found.hours:.1f} h"]
    if found.rhythm_hours[Rhythm.AF] or found.rhythm_hours[Rhythm.SR]:
        episodes = f"{found.af_episodes} episode{'s' * (found.af_episodes != 1)}"
        facts.append(f"{found.af_burden:.0%} in AF ({episodes})")
    if found.gaps:
        facts.append(f"{found.gaps} gap{'s' * (found.gaps != 1)}, {found.gap_s:.0f} s")
    if found.implausible:
        facts.append(f"{found.implausible:,} outside 200-2000 ms")
    if picture.use:
        counts = picture.use.windows
        facts.append(
            f"{picture.use.protocol} protocol: {counts[Rhythm.SR]:,} SR and "
            f"{counts[Rhythm.AF]:,} AF windows, bottom ribbon"
        )
    name = f"Record {found.record_id.removeprefix('record_')}"
    if found.patient_id != found.record_id:
        name += f" of patient {found.patient_id.removeprefix('patient_')}"
    # The second, empty line of the title keeps room for the facts below it.
    figure.suptitle(
        f"{name}\n", x=0.012, ha="left", fontsize=13, fontweight="bold", linespacing=1.6
    )
    present = [kind for kind in Rhythm if found.rhythm_beats[kind]]
    handles = [Line2D([], [], marker="o", ls="", color=RHYTHM_COLOURS[kind]) for kind in present]
    names = [f"{RHYTHM_NAMES[kind]}, {_duration(found.rhythm_hours[kind])}" for kind in present]
    if picture.use and picture.use.scale_h:
        handles.append(Line2D([], [], marker="s", ls="", color=SCALE_COLOUR))
        names.append("scaled on")
    figure.legend(handles, names, loc="upper right", ncols=len(names), handletextpad=0.1)
    figure.text(0.012, 1 - 0.33 / figure.get_figheight(), "   ".join(facts), va="top", color=INK)


def _duration(hours: float) -> str:
    if hours >= 0.1:
        return f"{hours:.1f} h"
    return f"{hours * 60:.0f} min" if hours >= 1 / 60 else f"{hours * 3600:.0f} s"
