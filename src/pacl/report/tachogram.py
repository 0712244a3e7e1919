"""A tachogram: RR intervals over time, one dot each, coloured by the kind of the beat."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pacl.axes import Array, Float64, Int, Int64, Real
from pacl.records import GAP_MS, PLAUSIBLE_MS, Record
from pacl.report.style import draw_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = TypeVar("Kind", bound=int)

CROWDED = 4000
"""Dots of a panel above which they are small."""


@dataclass(frozen=True, eq=False, slots=True)
class Tachogram:
    """Intervals in order of time; `kind` is a code such as a `Rhythm`."""

    onset_h: Float64[Array, "dot"]
    rr_ms: Real[Array, "dot"]
    kind: Int[Array, "dot"]


def compute_tachogram(
    record: Record, kind: Int[Array, "beat"], most: int | None = None
) -> Tachogram:
    """Compute the tachogram of a recording, without gaps; above `most` dots, some are left out."""
    kept = np.flatnonzero(record.rr_ms <= GAP_MS)
    if most is not None:
        kept = kept[thinned(record.rr_ms[kept], most)]
    return Tachogram(record.onset_s()[kept] / 3600, record.rr_ms[kept], kind[kept])


def thinned(values: Real[Array, "beat"], most: int) -> Int64[Array, "dot"]:
    """Which values to draw: half of them evenly spaced, the others local extremes."""
    if values.size <= most:
        return np.arange(values.size)
    parts = max(most // 4, 1)
    part = np.arange(values.size) * parts // values.size
    order = np.lexsort((values, part))
    first = np.searchsorted(part, np.arange(parts))
    last = np.append(first[1:], values.size) - 1
    even = np.linspace(0, values.size - 1, most - 2 * parts).astype(np.int64)
    return np.unique(np.concatenate([even, order[first], order[last]]))


def draw_tachogram(
    axes: "Axes",
    tachogram: Tachogram,
    colours: Mapping[Kind, str],
    limits_ms: tuple[float, float] = PLAUSIBLE_MS,
) -> None:
    """Draw what is within the time of a panel; intervals beyond the limits are on its edge."""
    part = slice(*np.searchsorted(tachogram.onset_h, axes.get_xlim()))
    onset_h, kinds = tachogram.onset_h[part], tachogram.kind[part]
    rr_ms = np.clip(tachogram.rr_ms[part], *limits_ms)
    size, alpha = (1.0, 0.4) if rr_ms.size > CROWDED else (5.0, 0.7)
    for kind, colour in colours.items():
        of = kinds == kind
        axes.scatter(onset_h[of], rr_ms[of], s=size, c=colour, alpha=alpha, lw=0, rasterized=True)
    axes.set(ylim=limits_ms, ylabel="RR (ms)")
    draw_grid(axes, "y")
