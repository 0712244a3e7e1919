"""One look for every figure: colours that colour-blind readers can tell apart, quiet axes."""

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacl.atomic_write import atomic_write
from pacl.errors import PaclError
from pacl.records import Rhythm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RHYTHM_COLOURS: Mapping[Rhythm, str] = {
    Rhythm.SR: "#0072B2",
    Rhythm.AF: "#D55E00",
    Rhythm.OTHER: "#AA4499",
    Rhythm.UNKNOWN: "#8A8A8A",
}
"""Okabe and Ito's blue and vermilion for the two classes; purple and grey for what is not one."""

SCALE_COLOUR = "#009E73"
"""Okabe and Ito's green: the beats a patient is scaled on."""

RHYTHM_NAMES: Mapping[Rhythm, str] = {
    Rhythm.SR: "sinus rhythm",
    Rhythm.AF: "atrial fibrillation",
    Rhythm.OTHER: "other rhythm",
    Rhythm.UNKNOWN: "not annotated",
}

FORMATS = (".png", ".svg", ".pdf")
INK = "#222222"
FAINT = "#C9C9C9"

_SETTINGS: dict[Any, Any] = {
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": 160,
    "font.size": 9,
    "font.family": "DejaVu Sans",
    "text.color": INK,
    "axes.edgecolor": "#777777",
    "axes.labelcolor": INK,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "pacl",
}


@contextmanager
def figure_style() -> Iterator[None]:
    """Draw in the house style, on no screen, leaving matplotlib as it was found."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # names in any script
        yield


class FigureError(PaclError):
    """A picture that cannot be drawn as it was asked for."""


def save_figure(figure: "Figure", path: Path) -> None:
    """Write a figure whole or not at all; the ending of `path` says the format."""
    if path.suffix.lower() not in FORMATS:
        raise FigureError(
            f"{path}: cannot draw {path.suffix or 'a file without ending'}; "
            f"name the picture {', '.join(FORMATS)}"
        )
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:].lower())
    atomic_write(path, drawn.getvalue())
