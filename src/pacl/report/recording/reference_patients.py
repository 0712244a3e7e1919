"""The section that says where a recording lies among the reference patients."""

from pacl.detect import Detection, RecordEmbeddings
from pacl.records import Record
from pacl.report.page import Block, FigureBlock, Heading, Note, Text
from pacl.report.recording.decisions import SAID_NAMES, Said
from pacl.report.recording.formatting import SPACE
from pacl.report.recording.neighbours import (
    Neighbours,
    NeighboursPicture,
    compute_neighbours,
    draw_neighbours,
)
from pacl.report.recording.pictures import drawn

TOLD = (Said.AF, Said.NOT_AF)
TITLE = "Among the reference patients"
NO_PROOF = "To lie among AF is no proof of it: whatever looks like AF to the network lies there."


def among_patients(
    record: Record, detection: Detection, placed: RecordEmbeddings | None
) -> list[Block]:
    """The map, who is near, and a warning where nobody is; nothing where there is no map."""
    if placed is None:
        return []
    picture = compute_neighbours(record, detection, placed)
    features = placed.reference.origin.size
    far = [SAID_NAMES[one] for one in TOLD if one in picture.own and picture.own[one].far]
    return [
        Heading(TITLE),
        _map(picture),
        *([Note(_warning(far), "Unlike the reference patients")] if far else []),
        Text(_who_is_near(picture, features)),
    ]


def _map(picture: NeighboursPicture) -> FigureBlock:
    count = len(picture.patients)
    return drawn(
        "among",
        draw_neighbours(picture),
        "Windows of the recording among the rhythms of reference patients, with and without AF",
        "**Among the reference patients.** A dot is the rhythm of a patient the weights were "
        f"learned from, with AF or without, {count} in all: the mean of its windows. What is near "
        "looks alike to the network. A diamond is the mean of this recording's windows that were "
        "called AF throughout, or not AF throughout. On the dashed line, the odds of AF are even.",
    )


def _who_is_near(picture: NeighboursPicture, features: int) -> str:
    told = [_near(one, picture.own[one]) for one in TOLD if one in picture.own]
    if not told:
        return "No window lies wholly in AF or wholly outside it, so that nobody is nearest."
    how = (
        f"Nearest by all {features} numbers that the network makes of a window, of which the "
        "picture shows two directions."
    )
    return " ".join([*told, how, *([NO_PROOF] if Said.AF in picture.own else [])])


def _near(one: Said, near: Neighbours) -> str:
    are = {0: "none is", 1: "1 is", near.near: "all are"}.get(near.near_af, f"{near.near_af} are")
    return (
        f"Of the {near.near} reference rhythms nearest to the time called {SAID_NAMES[one]}, "
        f"**{are} AF**."
    )


def _warning(far: list[str]) -> str:
    lie, it = ("lie", "them") if len(far) > 1 else ("lies", "it")
    return (
        f"The time called {' and the time called '.join(far)} {lie} farther from every reference "
        f"patient in the same rhythm than 99{SPACE}% of those lie from the next. Nothing like this "
        f"was learned from: trust what is said of {it} less."
    )
