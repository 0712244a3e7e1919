"""A recording among the reference patients: whose rhythms are like its own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Bool, Float64, Int8
from pacl.detect import Detection, RecordEmbeddings
from pacl.records import Record
from pacl.report.recording.decisions import SAID_COLOURS, SAID_NAMES, Said, said_of
from pacl.report.recording.style import recording_style
from pacl.report.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEAREST = 10
SIZE = (6.0, 5.4)
"""Inches; a map needs less width than time does, and its letters are the larger on a phone."""
PATIENT: dict[str, Any] = {"marker": "o", "alpha": 0.75, "edgecolor": "white", "linewidth": 0.5}
CENTRE: dict[str, Any] = {"marker": "D", "edgecolor": INK, "linewidth": 1.4}
FILLED = 0.25
"""Of a diamond, so thinly that a patient's dot beneath it is seen."""
WINDOW: dict[str, Any] = {"marker": "o", "color": INK, "linewidth": 0}


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where the middle of all windows of one kind lies, and who is near.

    Parameters
    ----------
    place
        On the map.
    near, near_af
        How many reference rhythms were looked at, those that are nearest, and how many are AF.
    far
        Whether it is farther from all reference patients in the same rhythm than they are from
        each other.
    """

    place: tuple[float, float]
    near: int
    near_af: int
    far: bool


@dataclass(frozen=True, eq=False, slots=True)
class NeighboursPicture:
    """Reference rhythms, windows of the recording, and its middle in AF and outside it."""

    patients: Float64[Array, "centre 2"]
    patients_af: Bool[Array, "centre"]
    windows: Float64[Array, "window 2"]
    own: dict[Said, Neighbours]


def compute_neighbours(
    record: Record, detection: Detection, placed: RecordEmbeddings
) -> NeighboursPicture:
    """Find the neighbours of the time called AF and of the time called not AF."""
    reference, said = placed.reference, windows_said(record, detection, placed)
    own = {}
    for one in (Said.NOT_AF, Said.AF):
        if not np.any(said == one):
            continue
        middle = placed.pooled[said == one].mean(axis=0, dtype=np.float64)
        near = reference.nearest(middle, NEAREST)
        x, y = reference.place(middle[None])[0].tolist()
        own[one] = Neighbours(
            place=(x, y),
            near=near.size,
            near_af=int(reference.af[near].sum()),
            far=reference.is_far(middle, af=one == Said.AF),
        )
    return NeighboursPicture(
        patients=reference.place(reference.centres),
        patients_af=reference.af,
        windows=reference.place(placed.pooled),
        own=own,
    )


def windows_said(
    record: Record, detection: Detection, placed: RecordEmbeddings
) -> Int8[Array, "window"]:
    """What was said of all beats of a window; nothing where the rhythm changes within it."""
    said = said_of(record, detection)
    found = np.full(placed.first.size, Said.NOTHING, np.int8)
    counts = {}
    for one in (Said.NOT_AF, Said.AF):
        total = np.append(0, np.cumsum(said == one))
        counts[one] = total[placed.last + 1] - total[placed.first]
    found[(counts[Said.AF] > 0) & (counts[Said.NOT_AF] == 0)] = Said.AF
    found[(counts[Said.NOT_AF] > 0) & (counts[Said.AF] == 0)] = Said.NOT_AF
    return found


def draw_neighbours(picture: NeighboursPicture) -> "Figure":
    """Draw the map: patients as dots, windows as dust, the middle of both kinds as diamonds."""
    from matplotlib.figure import Figure

    with recording_style():
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        axes.axvline(0.0, color="#777777", lw=0.8, ls=(0, (4, 3)), zorder=0)
        alpha = float(np.clip(200 / max(len(picture.windows), 1), 0.12, 0.5))
        x, y = picture.windows.T
        axes.scatter(x, y, s=5, alpha=alpha, zorder=2, rasterized=True, **WINDOW)
        for one in (Said.NOT_AF, Said.AF):
            of = picture.patients_af == (one == Said.AF)
            x, y = picture.patients[of].T
            axes.scatter(x, y, s=46, c=SAID_COLOURS[one], zorder=1, **PATIENT)
            if one in picture.own:
                at_x, at_y = picture.own[one].place
                axes.scatter(at_x, at_y, s=150, c=[_thin(one)], zorder=3, **CENTRE)
        axes.set(
            xlabel="more like AF \N{RIGHTWARDS ARROW}",
            ylabel="what else patients differ in",
            xticks=[],
            yticks=[],
        )
        axes.set_aspect("equal", adjustable="datalim")
        _legend(figure, axes, picture)
    return figure


def _thin(one: Said) -> tuple[str, float]:
    return SAID_COLOURS[one], FILLED


def _legend(figure: "Figure", axes: "Axes", picture: NeighboursPicture) -> None:
    """Patients and windows, and the recording beside them."""
    entries: dict[str, Any] = {}
    for one in (Said.NOT_AF, Said.AF):
        name = f"reference patient, {SAID_NAMES[one]}"
        entries[name] = axes.scatter([], [], s=46, c=SAID_COLOURS[one], **PATIENT)
    entries["window of this recording"] = axes.scatter([], [], s=9, alpha=0.6, **WINDOW)
    for one in picture.own:
        name = f"this recording, {SAID_NAMES[one]}"
        entries[name] = axes.scatter([], [], s=80, color=_thin(one), **CENTRE)
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside upper left",
        ncols=2,
        handletextpad=0.3,
        columnspacing=1.2,
    )
