"""AF shaded and silence hatched, behind whatever is drawn over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pacl.report.recording.decisions import SAID_COLOURS, Said

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Stretch = tuple[float, float]

LEAST = 1 / 500
"""Share of a panel that a stretch takes at least, so that it can be seen."""

_HATCHED: dict[str, Any] = {"facecolor": "#F6F6F6", "edgecolor": "#C4C4C4", "hatch": "////"}
_SHADED: dict[str, Any] = {"facecolor": SAID_COLOURS[Said.AF], "alpha": 0.13, "lw": 0}


def shade(axes: "Axes", af_h: Sequence[Stretch], silent_h: Sequence[Stretch]) -> None:
    """Mark stretches over the whole height of a panel."""
    place: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "zorder": 0}
    low, high = axes.get_xlim()
    axes.broken_barh(in_panel(silent_h, low, high), (0.0, 1.0), lw=0, **_HATCHED, **place)
    axes.broken_barh(in_panel(af_h, low, high), (0.0, 1.0), **_SHADED, **place)


def shaded_handle() -> "Artist":
    """What stands in a legend for AF."""
    from matplotlib.patches import Patch

    return Patch(**_SHADED | {"alpha": 0.3})


def hatched_handle() -> "Artist":
    """What stands in a legend for silence."""
    from matplotlib.patches import Patch

    return Patch(lw=0, **_HATCHED)


def in_panel(stretches: Sequence[Stretch], low: float, high: float) -> list[Stretch]:
    """Where stretches begin within a panel, and how wide they are there."""
    least = LEAST * (high - low)
    inside = [(max(start, low), min(end, high)) for start, end in stretches]
    return [(start, max(end - start, least)) for start, end in inside if end > start]
