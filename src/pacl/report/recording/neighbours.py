"""A recording among the reference patients: whose rhythms are like its own, and the section."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Bool, Float64, Int8
from pacl.detect import Detection, RecordEmbeddings
from pacl.records import Record
from pacl.report.page import Block, Heading, Note, Text, recording_block
from pacl.report.recording.decisions import (
    DECISION_COLOURS,
    DECISION_NAMES,
    Decision,
    beat_decisions,
)
from pacl.report.style import INK, recording_style
from pacl.report.wording import SPACE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEAREST = 10
SIZE = (6.0, 5.4)
"""Inches; narrower than figures over time, so that letters are larger on a phone."""
PATIENT: dict[str, Any] = {"marker": "o", "alpha": 0.75, "edgecolor": "white", "linewidth": 0.5}
CENTRE: dict[str, Any] = {"marker": "D", "edgecolor": INK, "linewidth": 1.4}
FILLED = 0.25
"""Opacity of a diamond, so that a patient's dot below it is visible."""
WINDOW: dict[str, Any] = {"marker": "o", "color": INK, "linewidth": 0}
SHOWN = (Decision.AF, Decision.NOT_AF)
NO_PROOF = (
    "Near neighbours in AF are no proof of AF: all that looks like AF to the network is there."
)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The mean of all windows with one decision, and its nearest reference rhythms.

    Parameters
    ----------
    place
        On the map.
    near, near_af
        How many nearest reference rhythms were looked at, and how many of them are AF.
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
    """Reference rhythms, windows of the recording, and its means in AF and outside it."""

    patients: Float64[Array, "centre 2"]
    patients_af: Bool[Array, "centre"]
    windows: Float64[Array, "window 2"]
    own: dict[Decision, Neighbours]


def compute_neighbours(
    record: Record, detection: Detection, embedded: RecordEmbeddings
) -> NeighboursPicture:
    """Find the neighbours of the time detected as AF and of the time detected as not AF."""
    reference = embedded.reference
    decided = window_decisions(record, detection, embedded)
    own = {}
    for one in (Decision.NOT_AF, Decision.AF):
        if not np.any(decided == one):
            continue
        middle = embedded.pooled[decided == one].mean(axis=0, dtype=np.float64)
        near = reference.nearest(middle, NEAREST)
        x, y = reference.place(middle[None])[0].tolist()
        own[one] = Neighbours(
            place=(x, y),
            near=near.size,
            near_af=int(reference.af[near].sum()),
            far=reference.is_far(middle, af=one == Decision.AF),
        )
    return NeighboursPicture(
        patients=reference.place(reference.centres),
        patients_af=reference.af,
        windows=reference.place(embedded.pooled),
        own=own,
    )


def window_decisions(
    record: Record, detection: Detection, embedded: RecordEmbeddings
) -> Int8[Array, "window"]:
    """The decision for all beats of a window; not judged where it changes within the window."""
    decided = beat_decisions(record, detection)
    found = np.full(embedded.first.size, Decision.NOT_JUDGED, np.int8)
    counts = {}
    for one in (Decision.NOT_AF, Decision.AF):
        total = np.append(0, np.cumsum(decided == one))
        counts[one] = total[embedded.last + 1] - total[embedded.first]
    found[(counts[Decision.AF] > 0) & (counts[Decision.NOT_AF] == 0)] = Decision.AF
    found[(counts[Decision.NOT_AF] > 0) & (counts[Decision.AF] == 0)] = Decision.NOT_AF
    return found


def draw_neighbours(picture: NeighboursPicture) -> "Figure":
    """Draw the map: patients as dots, windows as small dots, means of both kinds as diamonds."""
    from matplotlib.figure import Figure

    with recording_style():
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        axes.axvline(0.0, color="#777777", lw=0.8, ls=(0, (4, 3)), zorder=0)
        alpha = float(np.clip(200 / max(len(picture.windows), 1), 0.12, 0.5))
        x, y = picture.windows.T
        axes.scatter(x, y, s=5, alpha=alpha, zorder=2, rasterized=True, **WINDOW)
        for one in (Decision.NOT_AF, Decision.AF):
            of = picture.patients_af == (one == Decision.AF)
            x, y = picture.patients[of].T
            axes.scatter(x, y, s=46, c=DECISION_COLOURS[one], zorder=1, **PATIENT)
            if one in picture.own:
                at_x, at_y = picture.own[one].place
                axes.scatter(at_x, at_y, s=150, c=[_thin(one)], zorder=3, **CENTRE)
        axes.set(
            xlabel="more like AF \N{RIGHTWARDS ARROW}",
            ylabel="other differences between patients",
            xticks=[],
            yticks=[],
        )
        axes.set_aspect("equal", adjustable="datalim")
        _legend(figure, axes, picture)
    return figure


def _thin(one: Decision) -> tuple[str, float]:
    return DECISION_COLOURS[one], FILLED


def _legend(figure: "Figure", axes: "Axes", picture: NeighboursPicture) -> None:
    """Patients, windows and the recording."""
    entries: dict[str, Any] = {}
    for one in (Decision.NOT_AF, Decision.AF):
        name = f"reference patient, {DECISION_NAMES[one]}"
        entries[name] = axes.scatter([], [], s=46, c=DECISION_COLOURS[one], **PATIENT)
    entries["window of this recording"] = axes.scatter([], [], s=9, alpha=0.6, **WINDOW)
    for one in picture.own:
        name = f"this recording, {DECISION_NAMES[one]}"
        entries[name] = axes.scatter([], [], s=80, color=_thin(one), **CENTRE)
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside upper left",
        ncols=2,
        handletextpad=0.3,
        columnspacing=1.2,
    )


def neighbour_blocks(
    record: Record, detection: Detection, embedded: RecordEmbeddings | None
) -> list[Block]:
    """The map, the nearest patients, and a warning if none is near; empty without embeddings."""
    if embedded is None:
        return []
    picture = compute_neighbours(record, detection, embedded)
    features = embedded.reference.origin.size
    far = [DECISION_NAMES[one] for one in SHOWN if one in picture.own and picture.own[one].far]
    return [
        Heading("Among the reference patients"),
        _map(picture),
        *([Note(_warning(far), "Unlike the reference patients")] if far else []),
        Text(_nearest(picture, features)),
    ]


def _map(picture: NeighboursPicture) -> Block:
    count = len(picture.patients)
    return recording_block(
        "among",
        lambda: draw_neighbours(picture),
        "Windows of the recording among the rhythms of reference patients, with and without AF",
        f"**Among the reference patients.** Each of the {count} dots is the mean rhythm of a "
        "patient that the network learned from, with or without AF. What is near looks alike to "
        "the network. A diamond is the mean of this recording's windows that are all AF, or all "
        "not AF. On the dashed line, the probability of AF is one half.",
    )


def _nearest(picture: NeighboursPicture, features: int) -> str:
    sentences = [_near(one, picture.own[one]) for one in SHOWN if one in picture.own]
    if not sentences:
        return "No window is all AF or all not AF, so there are no nearest patients."
    how = (
        f"The distance is over all {features} numbers that the network computes from a window; "
        "the map shows two directions of them."
    )
    return " ".join([*sentences, how, *([NO_PROOF] if Decision.AF in picture.own else [])])


def _near(one: Decision, near: Neighbours) -> str:
    are = {0: "none is", 1: "1 is", near.near: "all are"}.get(near.near_af, f"{near.near_af} are")
    return (
        f"Of the {near.near} reference rhythms nearest to the time detected as "
        f"{DECISION_NAMES[one]}, **{are} AF**."
    )


def _warning(far: list[str]) -> str:
    return (
        f"The time detected as {' and the time detected as '.join(far)} "
        f"{'are' if len(far) > 1 else 'is'} farther from all reference patients in the same rhythm "
        f"than 99{SPACE}% of those are from their nearest. The network has not learned from such a "
        f"rhythm: the result for {'them' if len(far) > 1 else 'it'} is less reliable."
    )
