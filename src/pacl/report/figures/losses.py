"""The name, colour and marker of each loss, the same in all figures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pacl.report.paper_values import loss_title

LOSS_COLOURS: Mapping[str, str] = {
    "patient-aware": "#000000",
    "supcon": "#E69F00",
    "bce": "#56B4E9",
}
"""Okabe and Ito's black, orange and sky blue: none of them is the colour of a rhythm."""

LOSS_MARKERS: Mapping[str, str] = {"patient-aware": "o", "supcon": "s", "bce": "^"}

_OTHER_COLOURS = ("#CC79A7", "#009E73", "#8A8A8A", "#0072B2", "#D55E00")
_OTHER_MARKERS = ("D", "v", "P", "X", "<", ">", "h")


@dataclass(frozen=True, slots=True)
class Look:
    """The name of a loss, its colour and its marker."""

    name: str
    colour: str
    marker: str


def loss_looks(losses: Iterable[str]) -> dict[str, Look]:
    """The look of each loss; those the paper does not have take what is left, in their order."""
    names = tuple(dict.fromkeys(losses))
    others = [name for name in names if name not in LOSS_COLOURS]
    return {
        name: Look(
            loss_title(name),
            LOSS_COLOURS.get(name) or _OTHER_COLOURS[others.index(name) % len(_OTHER_COLOURS)],
            LOSS_MARKERS.get(name) or _OTHER_MARKERS[others.index(name) % len(_OTHER_MARKERS)],
        )
        for name in names
    }
