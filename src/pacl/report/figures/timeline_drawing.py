"""Draws what was taken of a recording: all of it, and the first SR and AF windows."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.records import PLAUSIBLE_MS, Rhythm
from pacl.report.figures.study_figure import StudyFigure
from pacl.report.figures.timeline import Opening, Timeline, compute_timeline
from pacl.report.style import FAINT, INK, RHYTHM_COLOURS, SCALE_COLOUR, draw_grid, new_figure
from pacl.report.tachogram import draw_tachogram
from pacl.report.wording import short_duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_timeline(line: Timeline) -> "Figure":
    """Draw the recording from the scale beats to the end of the AF windows, and two close-ups."""
    top_ms = min(float(np.quantile(line.dots.rr_ms, 0.999)) + 120, float(PLAUSIBLE_MS[1]))
    low_ms = max(float(line.dots.rr_ms.min()) - 60, 0.0)
    with new_figure(7.4, 4.9) as figure:
        grid = figure.add_gridspec(2, 2, height_ratios=[1, 1.05])
        top = figure.add_subplot(grid[0, :])
        _draw_recording(top, line, low_ms, top_ms)
        for column, opening in enumerate((line.sr, line.af)):
            axes = figure.add_subplot(grid[1, column])
            _draw_opening(axes, line, opening, low_ms, top_ms)
            if not column:
                axes.set_ylabel("RR (ms)")
        _draw_legend(figure, line)
    return figure


def _draw_recording(axes: "Axes", line: Timeline, low_ms: float, top_ms: float) -> None:
    end_h = max(block.stop_h for block in line.blocks)
    axes.set_xlim(-0.01 * end_h, end_h * 1.01)
    draw_tachogram(axes, line.dots, RHYTHM_COLOURS, (low_ms, top_ms))
    ribbon: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "lw": 0}
    scale = [(start, stop - start) for start, stop in line.scale_h]
    axes.broken_barh(scale, (0, 1), color=SCALE_COLOUR, alpha=0.14, **ribbon)
    axes.broken_barh(scale, (0, 0.06), color=SCALE_COLOUR, zorder=3, **ribbon)
    for kind in (Rhythm.SR, Rhythm.AF):
        bars = [(x.start_h, x.stop_h - x.start_h) for x in line.blocks if x.rhythm is kind]
        axes.broken_barh(bars, (0, 1), color=RHYTHM_COLOURS[kind], alpha=0.08, **ribbon)
        axes.broken_barh(bars, (0, 0.06), color=RHYTHM_COLOURS[kind], zorder=3, **ribbon)
    for start, stop in line.scale_h:
        half = line.scale_ms / 2
        axes.fill_between(
            [start, stop], line.centre_ms - half, line.centre_ms + half, color=SCALE_COLOUR, lw=0
        )
    axes.axvline(line.onset_h, color=INK, lw=0.9, ls=(0, (4, 2)))
    right = line.onset_h > end_h / 2
    axes.annotate(
        "onset of AF",
        (line.onset_h, 1.0),
        (-4 if right else 4, 3),
        xycoords=axes.get_xaxis_transform(),
        textcoords="offset points",
        ha="right" if right else "left",
        fontsize=8,
    )
    if line.before_onset_h > 0.1 * end_h:
        sr_end_h, height = line.onset_h - line.before_onset_h, (low_ms + top_ms) / 2
        arrow = {"arrowstyle": "<->", "color": "#777777", "lw": 0.8, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (sr_end_h, height), (line.onset_h, height), arrowprops=arrow)
        words = f"{short_duration(3600 * line.before_onset_h)}, no windows"
        middle = (sr_end_h + line.onset_h) / 2
        axes.text(middle, height, words, ha="center", va="bottom", fontsize=8)
    axes.set_xlabel("hours from the first beat the scale was fitted on")

    def scaled(rr_ms: Any) -> Any:
        return (rr_ms - line.centre_ms) / line.scale_ms

    def unscaled(rr: Any) -> Any:
        return rr * line.scale_ms + line.centre_ms

    axes.secondary_yaxis("right", functions=(scaled, unscaled)).set_ylabel("scaled RR")


def _draw_opening(
    axes: "Axes", line: Timeline, opening: Opening, low_ms: float, top_ms: float
) -> None:
    """Beats, and below them the first windows as steps of a stair."""
    colour = RHYTHM_COLOURS[opening.rhythm]
    last = opening.windows_min[-1][1]
    axes.plot(opening.beat_min, opening.rr_ms, color=FAINT, lw=0.6, zorder=1)
    axes.scatter(opening.beat_min, opening.rr_ms, s=3, c=colour, lw=0, zorder=2)
    steps, stride = len(opening.windows_min), opening.stride
    step = (top_ms - low_ms) * 0.075
    floor = float(opening.rr_ms.min()) - step
    for at, (start, stop) in enumerate(opening.windows_min):
        axes.barh(floor - at * step, stop - start, 0.6 * step, left=start, color=colour, alpha=0.75)
    before = 0.12 * last
    if opening.scale_min < before:
        stop = -max(opening.scale_min, 0.0)
        axes.axvspan(-before, stop, color=SCALE_COLOUR, alpha=0.25, lw=0)
    words = f"first {opening.rhythm.name} windows: {line.window_beats} beats"
    axes.set_title(words + (f", one every {stride}" if stride else ""), fontsize=8.5)
    axes.set(xlim=(-before, last * 1.02), ylim=(floor - (steps + 0.5) * step, top_ms))
    axes.set_xlabel("minutes from the first window")
    draw_grid(axes, "y")
    axes.set_yticks(np.arange(500, top_ms, 500))


def _draw_legend(figure: "Figure", line: Timeline) -> None:
    from matplotlib.patches import Patch

    hours = sum(stop - start for start, stop in line.scale_h)
    handles = [Patch(color=SCALE_COLOUR)]
    names = [f"scaled on: {line.scale_beats:,} beats, {hours:.1f} h (stripe: IQR)"]
    for kind in (Rhythm.SR, Rhythm.AF):
        found = [block for block in line.blocks if block.rhythm is kind]
        hours = float(sum(block.stop_h - block.start_h for block in found))
        handles.append(Patch(color=RHYTHM_COLOURS[kind]))
        names.append(f"{sum(x.windows for x in found):,} {kind.name} windows, {hours:.1f} h")
    who = f"Record {line.record.removeprefix('record_')}"
    if line.patient != line.record:
        who += f" of patient {line.patient.removeprefix('patient_')}"
    before = short_duration(3600 * line.before_onset_h)
    figure.legend(
        handles,
        names,
        loc="outside upper left",
        ncols=3,
        fontsize=8,
        title=f"{who}: SR windows end {before} before the onset of AF",
        title_fontsize=9,
        alignment="left",
    )


FIGURE = StudyFigure(
    name="timeline",
    section="patients",
    alt="RR intervals of one recording with the beats it is scaled on and its windows",
    caption="**From a recording to windows.** A recording of this cohort: the beats that the scale "
    "is fitted on, and the windows of sinus rhythm and of AF. No window overlaps these beats.",
    compute=lambda study: compute_timeline(study.windows),
    draw=draw_timeline,
    wide=True,
)
