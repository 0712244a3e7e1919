"""One style for all figures: colours that colour-blind readers can distinguish, quiet axes."""

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pacl.atomic_write import atomic_write
from pacl.errors import PaclError
from pacl.records import Rhythm

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RHYTHM_COLOURS: Mapping[Rhythm, str] = {
    Rhythm.SR: "#0072B2",
    Rhythm.AF: "#D55E00",
    Rhythm.OTHER: "#AA4499",
    Rhythm.UNKNOWN: "#8A8A8A",
}
"""Okabe and Ito's blue and vermilion for the two classes; purple and grey for the others."""

DISTINCT = (
    "#332288",
    "#88CCEE",
    "#117733",
    "#DDCC77",
    "#CC6677",
    "#AA4499",
    "#000000",
    "#E69F00",
    "#44AA99",
    "#882255",
)
"""Ten colours that colour-blind readers can distinguish, after Tol's muted and Okabe and Ito."""

SCALE_COLOUR = "#009E73"
"""Okabe and Ito's green: the beats a patient is scaled on."""

RHYTHM_NAMES: Mapping[Rhythm, str] = {
    Rhythm.SR: "sinus rhythm",
    Rhythm.AF: "atrial fibrillation",
    Rhythm.OTHER: "other rhythm",
    Rhythm.UNKNOWN: "not annotated",
}

FORMATS: Mapping[str, Mapping[str, None]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""What files can be drawn, each without a date, so that the same figure is the same file."""
DPI = 160
INK = "#222222"
FAINT = "#C9C9C9"

_SETTINGS: dict[Any, Any] = {
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": DPI,
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
RECORDING_WIDTH = 7.4
"""Inches of a figure of a recording; as wide as the card that a page puts it on."""
_LARGER: dict[Any, Any] = {"font.size": 10.5, "axes.titlesize": 10.5}


class FigureError(PaclError):
    """A figure that cannot be drawn as requested."""


@contextmanager
def figure_style() -> Iterator[None]:
    """Draw in the common style, without changing the settings of matplotlib."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # names in any script
        yield


@contextmanager
def new_figure(
    width: float, height: float, layout: Literal["constrained"] | None = "constrained"
) -> Iterator["Figure"]:
    """A new figure in the common style, sizes in inches; its layout is final at the end."""
    from matplotlib.figure import Figure

    with figure_style():
        figure = Figure(figsize=(width, height), dpi=DPI, layout=layout)
        yield figure
        figure.draw_without_rendering()


@contextmanager
def recording_style() -> Iterator[None]:
    """The common style in larger letters: figures of a recording are also read on phones."""
    import matplotlib as mpl

    with figure_style(), mpl.rc_context(_LARGER):
        yield


def draw_grid(axes: "Axes", axis: Literal["both", "x", "y"] = "both") -> None:
    """Faint lines below what is drawn."""
    axes.grid(axis=axis, color=FAINT, lw=0.4)
    axes.set_axisbelow(True)


def save_figure(figure: "Figure", path: Path) -> None:
    """Write a figure atomically; the ending of `path` is the format."""
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise FigureError(
            f"{path}: cannot draw {ending or 'a file without ending'}; "
            f"name the picture {', '.join(FORMATS)}"
        )
    atomic_write(path, figure_bytes(figure, ending))


def figure_bytes(figure: "Figure", ending: str, **settings: Any) -> bytes:
    """A figure as the content of a file with this ending."""
    drawn = io.BytesIO()
    if ending == ".png":
        settings["pil_kwargs"] = {"compress_level": 1}  # written again below
    figure.savefig(drawn, format=ending[1:], metadata=dict(FORMATS[ending]), **settings)
    return _in_few_colours(drawn) if ending == ".png" else drawn.getvalue()


def _in_few_colours(drawn: io.BytesIO) -> bytes:
    """A PNG in 256 colours: a third of the size, and no eye sees the difference."""
    from PIL import Image

    smaller = io.BytesIO()
    full = Image.open(drawn)
    few = full.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(smaller, format="png", optimize=True, dpi=full.info["dpi"])
    return smaller.getvalue()
