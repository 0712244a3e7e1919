"""What the annotations of a recording say beside what was detected, and how far they agree."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacl.detect import Detection
from pacl.detect.rhythm_agreement import Agreement, agreement
from pacl.detect.rhythm_spans import annotated_spans, compared_spans, judged_spans
from pacl.records import Record
from pacl.report.page import Block, Text
from pacl.report.recording.decisions import SAID_COLOURS, SAID_NAMES, Said
from pacl.report.recording.formatting import duration, share
from pacl.report.recording.pictures import drawn
from pacl.report.recording.shading import in_panel
from pacl.report.recording.time_axis import TimeAxis, draw_rows
from pacl.spans import Spans, joined

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LANES = ("detected", "annotated")
"""From the bottom up."""
HEIGHT = 0.7


@dataclass(frozen=True, eq=False, slots=True)
class AnnotatedPicture:
    """AF and all that is known, in seconds, as annotated and as detected."""

    axis: TimeAxis
    af_s: dict[str, Spans]
    known_s: dict[str, Spans]


def compute_annotated(record: Record, detection: Detection) -> AnnotatedPicture | None:
    """Put both side by side; None where no rhythm is annotated."""
    annotated = annotated_spans(record)
    if not len(annotated.known):
        return None
    return AnnotatedPicture(
        axis=TimeAxis.of(record),
        af_s={
            "annotated": annotated.af,
            "detected": joined((one.start_s, one.end_s) for one in detection.episodes),
        },
        known_s={"annotated": annotated.known, "detected": judged_spans(detection)},
    )


def draw_annotated(picture: AnnotatedPicture) -> "Figure":
    """Draw one lane for the annotations and one for what was detected."""
    from matplotlib.patches import Patch

    legend = {SAID_NAMES[one]: Patch(fc=SAID_COLOURS[one]) for one in (Said.NOT_AF, Said.AF)}

    def draw(axes: "Axes", from_h: float, to_h: float) -> None:
        for at, lane in enumerate(LANES):
            place: dict[str, Any] = {"yrange": (at - HEIGHT / 2, HEIGHT), "lw": 0}
            for said, spans in (
                (Said.NOT_AF, picture.known_s[lane]),
                (Said.AF, picture.af_s[lane]),
            ):
                hours = [(low, high) for low, high in (spans / 3600).tolist()]
                widths = in_panel(hours, from_h, to_h)
                axes.broken_barh(widths, facecolor=SAID_COLOURS[said], **place)
        axes.set(ylim=(-0.6, len(LANES) - 0.4), yticks=range(len(LANES)))
        axes.set_yticklabels(LANES, fontsize=8)

    return draw_rows(picture.axis, 0.62, draw, legend)


def compared_with_annotations(record: Record, detection: Detection) -> list[Block]:
    """The picture and one sentence; nothing where no rhythm is annotated."""
    picture = compute_annotated(record, detection)
    if picture is None:
        return []
    return [
        drawn(
            "annotated",
            draw_annotated(picture),
            "The rhythm as annotated above the rhythm as detected, over time",
            "**Annotated and detected.** Above, the rhythm as it is annotated in the recording; "
            "below, what was detected. Other rhythms count as not AF. Atrial flutter, "
            "what is not annotated and what was not judged are left blank.",
        ),
        Text(agreement_sentence(agreement(compared_spans(record, detection)))),
    ]


def agreement_sentence(found: Agreement) -> str:
    """How far detected AF agrees with annotated AF."""
    if found.counted_s <= 0:
        return "Nothing that is annotated could be judged, so that there is nothing to compare."
    both = f"the {duration(found.counted_s)} that are annotated and judged"
    if not found.af_s and not found.called_s:
        return f"Annotations and detector **agree**: there is no AF in {both}."
    differ_s = found.af_s + found.called_s - 2 * found.both_s
    alike = share(max(0.0, 1.0 - differ_s / found.counted_s))
    parts = [
        f"of {duration(found.af_s)} annotated as AF, {share(found.both_s / found.af_s)} was found"
        if found.af_s
        else "no AF is annotated",
        f"of {duration(found.called_s)} detected as AF, "
        f"{share(found.both_s / found.called_s)} is annotated as AF"
        if found.called_s
        else "no AF was detected",
    ]
    return f"Annotations and detector **agree on {alike}** of {both}: {'; '.join(parts)}."
