"""Figures of a recording, drawn into the page."""

import io
from typing import TYPE_CHECKING, Any

from pacl.detect import Detection
from pacl.records import Record
from pacl.report.page import FigureBlock
from pacl.report.recording.formatting import share
from pacl.report.recording.hours import compute_hours, draw_hours
from pacl.report.recording.poincare import MOST_BEYOND, compute_poincare, draw_poincare
from pacl.report.recording.probability import compute_probability, draw_probability
from pacl.report.recording.style import recording_style
from pacl.report.recording.tachogram import MOST_DOTS, compute_tachogram, draw_tachogram

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 180
LARGEST_SVG = 400_000
"""Bytes above which the page takes the pixels instead of the vectors."""


def tachogram_picture(record: Record, detection: Detection) -> FigureBlock:
    """Every interval over time."""
    thinned = (
        f" Of {len(record):,} intervals, some {MOST_DOTS:,} are drawn, the extremes among them."
        if len(record) > MOST_DOTS
        else ""
    )
    return drawn(
        "tachogram",
        draw_tachogram(compute_tachogram(record, detection)),
        "Every RR interval over time, with AF shaded and what was not judged hatched",
        "**Every RR interval.** Time from a beat to the next; low is fast. Those outside "
        f"200-2000 ms lie on the edge.{thinned}",
    )


def probability_picture(record: Record, detection: Detection) -> FigureBlock:
    """How likely AF is over time."""
    return drawn(
        "probability",
        draw_probability(compute_probability(record, detection)),
        "Probability of AF over time, with a line at one half, and AF shaded",
        "**Probability of AF**, by the intervals around each moment. Shaded is what was called "
        "AF: it takes more than a few beats above even odds.",
    )


def hours_picture(record: Record, detection: Detection) -> FigureBlock:
    """AF in each hour."""
    bars = compute_hours(record, detection)
    wide = bars.width_h > 1
    each = f" Each bar stands for {bars.width_h} hours, and shows a mean hour." if wide else ""
    return drawn(
        "hours",
        draw_hours(bars),
        "Minutes of AF in each hour, before the minutes that were judged",
        "**AF by hour.** Minutes of AF, before those that were judged: where the pale bar does "
        f"not reach 60, the rest of the hour was not judged or not recorded.{each}",
    )


def poincare_picture(record: Record, detection: Detection) -> FigureBlock:
    """Each interval against the next."""
    return drawn(
        "poincare",
        draw_poincare(compute_poincare(record, detection)),
        "Each RR interval against the next, in AF on the left and outside it on the right",
        "**Each interval and the next.** On the diagonal, a beat takes as long as the one before "
        "it; in AF there is no telling. The darker, the more pairs. Heart rates are means; "
        f"up to {share(MOST_BEYOND)} of the intervals are too long for the axes.",
    )


def drawn(name: str, figure: "Figure", alt: str, caption: str) -> FigureBlock:
    """As vectors, unless they are many; the same every time."""
    plain: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "png": {}}
    content = b""
    with recording_style():
        for kind, metadata in plain.items():
            drawn = io.BytesIO()
            figure.savefig(drawn, format=kind, dpi=DPI, metadata=metadata)
            content = drawn.getvalue()
            if len(content) <= LARGEST_SVG:
                break
    return FigureBlock(name, content, alt, caption)
