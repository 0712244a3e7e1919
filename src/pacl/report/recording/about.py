"""What the page says below its charts: the profile, what was not judged, and how it was judged."""

from pacl.detect import Detection, RecordEmbeddings
from pacl.records import Record
from pacl.report.page import Block, Heading, TableBlock, Text, without_markup
from pacl.report.recording.decisions import not_judged_reasons
from pacl.report.recording.neighbours import neighbour_blocks
from pacl.report.recording.person import person_blocks
from pacl.report.recording.tables import facts_table, measured_table, not_judged_table
from pacl.report.recording.words import MODES, how_judged


def about_blocks(
    record: Record, detection: Detection, embedded: RecordEmbeddings | None = None
) -> tuple[Block, ...]:
    """The sections below the charts."""
    judged = detection.af_burden is not None
    stretches = not_judged_reasons(record, detection)
    return (
        *(neighbour_blocks(record, detection, embedded) if judged else []),
        *person_blocks(record, detection),
        Heading("Not judged"),
        TableBlock(not_judged_table(detection, stretches))
        if stretches
        else Text("The complete recording was judged."),
        Heading("How it was judged"),
        *_how(detection),
    )


def _how(detection: Detection) -> list[Block]:
    modes = ". ".join(f"**{mode}**: {meaning}" for mode, meaning in MODES.items())
    return [
        Text(
            f"{how_judged(detection)} There are two modes. {modes}. This page: "
            f"**{detection.mode}**, weights `{without_markup(detection.weights)}`."
        ),
        *([TableBlock(measured_table(detection))] if detection.measured else []),
        TableBlock(facts_table(detection)),
    ]
