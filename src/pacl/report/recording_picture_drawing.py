"""Draws the picture of a recording from its computed data."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.records import PLAUSIBLE_MS, Rhythm
from pacl.report.recording_picture import CloseUp, RecordingPicture, Use
from pacl.report.style import (
    FAINT,
    INK,
    RHYTHM_COLOURS,
    RHYTHM_NAMES,
    SCALE_COLOUR,
    figure_style,
    save_figure,
)
from pacl.report.tachogram import draw_tachogram
from pacl.report.time_axis import in_panel, label_row
from pacl.report.wording import counted, short_duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_recording_picture(picture: RecordingPicture, path: Path) -> None:
    """Draw a computed picture; the ending of `path` is the format."""
    from matplotlib.figure import Figure

    rows, close = picture.axis.rows(), len(picture.close_ups)
    with figure_style():
        height = 1.1 + 1.75 * len(rows) + (2.55 if close else 0.2)
        figure = Figure(figsize=(11, height), layout="constrained")
        grid = figure.add_gridspec(
            len(rows) + bool(close), 1, height_ratios=[1.0] * len(rows) + [1.3] * bool(close)
        )
        for row, (from_h, to_h) in enumerate(rows):
            axes = figure.add_subplot(grid[row])
            _draw_row(axes, picture, from_h, to_h)
        axes.set_xlabel(picture.axis.label)
        if close:
            highest_ms = max(float(close_up.rr_ms.max()) for close_up in picture.close_ups)
            top_ms = min(PLAUSIBLE_MS[1], highest_ms + 100)
            cells = grid[len(rows)].subgridspec(1, close + 1, width_ratios=[1.45] * close + [1])
            for column, close_up in enumerate(picture.close_ups):
                _draw_close_up(figure.add_subplot(cells[column]), close_up, top_ms, column == 0)
            _draw_poincare(figure.add_subplot(cells[close]), picture)
        _draw_title(figure, picture)
        save_figure(figure, path)


def _draw_row(axes: "Axes", picture: RecordingPicture, from_h: float, to_h: float) -> None:
    label_row(axes, picture.axis, from_h, to_h)
    draw_tachogram(axes, picture.dots, RHYTHM_COLOURS)
    axes.set_yticks([500, 1000, 1500, 2000])
    for kind in Rhythm:
        bars = in_panel([one[:2] for one in picture.runs_h if one[2] is kind], from_h, to_h, 0.0)
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
    for left, width in in_panel(picture.gaps_h, from_h, to_h, 1 / 800):
        cover: dict[str, Any] = {"ymax": 1.08, "clip_on": False, "zorder": 3}
        axes.axvspan(left, left + width, color="white", **cover)
        axes.axvspan(left, left + width, fc="none", ec=INK, hatch="////", lw=0.4, **cover)
    for at in picture.file_onsets_h:
        if from_h < at < to_h:
            axes.axvline(at, color=INK, lw=0.7, ls=(0, (4, 3)))
    day = picture.axis.day(from_h)
    axes.text(1.0, 1.1, day, transform=axes.transAxes, ha="right", fontsize=8)


def _draw_use(axes: "Axes", use: Use, from_h: float, to_h: float) -> None:
    """Beats to scale on and windows, as a ribbon along the bottom."""
    blocks = {SCALE_COLOUR: list(use.scale_h)}
    for start, stop, kind in use.windows_h:
        blocks.setdefault(RHYTHM_COLOURS[kind], []).append((start, stop))
    bottom: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "lw": 0, "zorder": 3}
    for colour, stretches in blocks.items():
        axes.broken_barh(
            in_panel(stretches, from_h, to_h, 0.0), (0.0, 0.06), color=colour, **bottom
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


def _draw_poincare(axes: "Axes", picture: RecordingPicture) -> None:
    """Each interval against the next: a tight comet in sinus rhythm, a cloud in AF."""
    low, high = PLAUSIBLE_MS
    rr, rhythm = picture.dots.rr_ms, picture.dots.kind
    every = max(1, rr.size // 30_000)
    for kind in (Rhythm.OTHER, Rhythm.UNKNOWN, Rhythm.SR, Rhythm.AF):
        both = (rhythm[:-1] == kind) & (rhythm[1:] == kind) & picture.linked[:-1]
        of = np.flatnonzero(both)[::every]
        axes.scatter(
            rr[of], rr[of + 1], s=1, c=RHYTHM_COLOURS[kind], alpha=0.2, lw=0, rasterized=True
        )
    axes.set(xlim=(low, high), ylim=(low, high), title="each RR and the next", aspect="equal")
    axes.set(xticks=[500, 1000, 1500], yticks=[500, 1000, 1500], xlabel="RR (ms)")


def _draw_title(figure: "Figure", picture: RecordingPicture) -> None:
    from matplotlib.lines import Line2D

    found = picture.overview
    facts = [f"{found.beats:,} intervals", f"{found.hours:.1f} h"]
    if found.rhythm_hours[Rhythm.AF] or found.rhythm_hours[Rhythm.SR]:
        facts.append(f"{found.af_burden:.0%} in AF ({counted(found.af_episodes, 'episode')})")
    if found.gaps:
        facts.append(f"{counted(found.gaps, 'gap')}, {found.gap_s:.0f} s")
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
    # The second, empty line of the title keeps space for the facts below it.
    figure.suptitle(
        f"{name}\n", x=0.012, ha="left", fontsize=13, fontweight="bold", linespacing=1.6
    )
    present = [kind for kind in Rhythm if found.rhythm_beats[kind]]
    handles = [Line2D([], [], marker="o", ls="", color=RHYTHM_COLOURS[kind]) for kind in present]
    hours = found.rhythm_hours
    names = [f"{RHYTHM_NAMES[kind]}, {short_duration(3600 * hours[kind])}" for kind in present]
    if picture.use and picture.use.scale_h:
        handles.append(Line2D([], [], marker="s", ls="", color=SCALE_COLOUR))
        names.append("scaled on")
    figure.legend(handles, names, loc="upper right", ncols=len(names), handletextpad=0.1)
    figure.text(0.012, 1 - 0.33 / figure.get_figheight(), "   ".join(facts), va="top", color=INK)
