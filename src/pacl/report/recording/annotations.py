"""The annotated rhythm of a recording beside the detected one, and how far they agree."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacl.detect.scoring import Agreement
from pacl.report.recording.decisions import DECISION_COLOURS, DECISION_NAMES, Decision
from pacl.report.time_axis import TimeAxis, draw_rows, in_panel
from pacl.report.wording import duration, percent
from pacl.spans import Spans

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT = 0.7


@dataclass(frozen=True, eq=False, slots=True)
class LanePicture:
    """AF and all time with a known rhythm, in seconds; lanes are drawn from the bottom up."""

    axis: TimeAxis
    af_s: dict[str, Spans]
    known_s: dict[str, Spans]


def draw_lanes(picture: LanePicture) -> "Figure":
    """Draw each lane over time."""
    from matplotlib.patches import Patch

    lanes = tuple(picture.af_s)
    legend = {
        DECISION_NAMES[one]: Patch(fc=DECISION_COLOURS[one])
        for one in (Decision.NOT_AF, Decision.AF)
    }

    def draw(axes: "Axes", from_h: float, to_h: float) -> None:
        for at, lane in enumerate(lanes):
            place: dict[str, Any] = {"yrange": (at - HEIGHT / 2, HEIGHT), "lw": 0}
            for decision, spans in (
                (Decision.NOT_AF, picture.known_s[lane]),
                (Decision.AF, picture.af_s[lane]),
            ):
                widths = in_panel((spans / 3600).tolist(), from_h, to_h)
                axes.broken_barh(widths, facecolor=DECISION_COLOURS[decision], **place)
        axes.set(ylim=(-0.6, len(lanes) - 0.4), yticks=range(len(lanes)))
        axes.set_yticklabels(lanes, fontsize=8)

    return draw_rows(picture.axis, 0.62, draw, legend)


def agreement_sentence(found: Agreement) -> str:
    """How far detected AF agrees with annotated AF."""
    if found.counted_s <= 0:
        return "No annotated time could be judged, so there is nothing to compare."
    both = f"the {duration(found.counted_s)} that is annotated and judged"
    if not found.af_s and not found.called_s:
        return f"Annotations and detector **agree**: there is no AF in {both}."
    differ_s = found.af_s + found.called_s - 2 * found.both_s
    alike = percent(max(0.0, 1.0 - differ_s / found.counted_s))
    parts = [
        f"of {duration(found.af_s)} annotated as AF, "
        f"{percent(found.both_s / found.af_s)} was detected"
        if found.af_s
        else "no AF is annotated",
        f"of {duration(found.called_s)} detected as AF, "
        f"{percent(found.both_s / found.called_s)} is annotated as AF"
        if found.called_s
        else "no AF was detected",
    ]
    return f"Annotations and detector **agree on {alike}** of {both}: {'; '.join(parts)}."
