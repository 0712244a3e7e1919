"""The page of one recording: key figures, AF over time, episodes, how it was judged."""

from pacl.detect import Detection, Mode, NotJudged, RecordEmbeddings
from pacl.records import Record
from pacl.report.page import (
    Block,
    Heading,
    KeyFigure,
    KeyFigures,
    Note,
    Page,
    PageError,
    TableBlock,
    Text,
    without_markup,
)
from pacl.report.recording.annotations import annotation_blocks
from pacl.report.recording.decisions import judges_beats, not_judged_reasons
from pacl.report.recording.hours import hours_block
from pacl.report.recording.neighbours import neighbour_blocks
from pacl.report.recording.person import person_blocks, profile_notes
from pacl.report.recording.poincare import poincare_block
from pacl.report.recording.probability import probability_block
from pacl.report.recording.tables import (
    episode_table,
    facts_table,
    measured_table,
    not_judged_table,
)
from pacl.report.recording.tachogram import tachogram_block
from pacl.report.time_axis import TimeAxis
from pacl.report.wording import counted, duration, percent, short_duration

LEAST_HOURS_S = 2 * 3600
"""Shorter recordings have no figure by hour."""

MODES: dict[Mode, str] = {
    "look-ahead": "each moment is judged by the beats before and after it. This needs the "
    "complete recording and is more accurate",
    "causal": "each moment is judged by the beats before it and at most 70 beats after it, as in "
    "a live recording",
}
BY_BEATS = (
    "A network computes a probability of AF for each beat from the intervals around it. An episode "
    "is five or more beats in a row with enough evidence of AF together."
)
BY_WINDOWS = (
    "A network computes a probability of AF for each window of beats. Windows overlap: each step "
    "of 50 beats is judged by all windows that contain it, and is AF from one half on."
)
NO_DEVICE = "Not a medical device"


def write_recording_page(
    record: Record, detection: Detection, embedded: RecordEmbeddings | None = None
) -> str:
    """Write the results for a recording as one HTML page that needs no other files.

    With `embedded`, from `Detector.place`, it also shows the recording among the reference
    patients.
    """
    return recording_page(record, detection, embedded).to_html()


def recording_page(
    record: Record, detection: Detection, embedded: RecordEmbeddings | None = None
) -> Page:
    """The page of a recording."""
    if record.record_id != detection.record_id:
        raise PageError(
            f"record {record.record_id}: the detection is of record {detection.record_id}; "
            "give the record that was judged"
        )
    not_judged = not_judged_reasons(record, detection)
    judged, note = detection.af_burden is not None, TimeAxis.of(record).note
    return Page(
        title=f"Recording {record.record_id.removeprefix('record_')}",
        lead=f"**{NO_DEVICE}.** Software searched the intervals between heart beats for atrial "
        "fibrillation (AF). Only a physician can make a diagnosis, from an ECG.",
        blocks=(
            KeyFigures(_key_figures(detection)),
            *_why(detection),
            *profile_notes(detection),
            *_learned_from(detection),
            Heading("Over time"),
            *([Text(note)] if note else []),
            tachogram_block(record, detection),
            *annotation_blocks(record, detection),
            *(_found(record, detection, embedded) if judged else []),
            *person_blocks(record, detection),
            Heading("Not judged"),
            *_not_judged(detection, not_judged),
            Heading("How it was judged"),
            *_how(detection),
        ),
        footer=f"Written by pacl. Research software. {NO_DEVICE}.",
    )


def _key_figures(detection: Detection) -> tuple[KeyFigure, ...]:
    burden, episodes = detection.af_burden, detection.episodes
    longest = max((one.duration_s for one in episodes), default=0.0)
    judged = detection.judged_share
    beats, none = detection.quality.beats, "\N{EN DASH}"
    return (
        KeyFigure(detection.verdict, "Verdict", NO_DEVICE),
        KeyFigure(
            none if burden is None else percent(burden),
            "AF burden",
            "" if burden is None else f"{duration(detection.af_s)} of the judged time",
        ),
        KeyFigure(
            none if burden is None else f"{len(episodes):,}",
            "Episodes of AF",
            f"the longest {short_duration(longest)}" if episodes else "",
        ),
        KeyFigure(
            short_duration(detection.recorded_s),
            "Duration",
            counted(beats, "interval")
            + (", without pauses" if detection.duration_s - detection.recorded_s > 1 else ""),
        ),
        KeyFigure(percent(1.0 - judged), "Not judged", "of the duration"),
    )


def _why(detection: Detection) -> list[Block]:
    """Why AF is only possible, or why the result is inconclusive."""
    if detection.reason is None:
        return []
    why, verdict = without_markup(detection.reason), detection.verdict
    head = f"{verdict[0].upper()}{verdict[1:]}"
    if detection.af_burden is None:
        return [Note(f"No part of this recording could be judged: {why}.", head)]
    return [Note(f"{why[0].upper()}{why[1:]}.", head)]


def _learned_from(detection: Detection) -> list[Block]:
    """A note if the detector learned from this recording."""
    if not detection.learned_from:
        return []
    return [
        Note(
            f"`{without_markup(detection.weights)}` learned from this recording. It is less "
            "accurate on recordings that it has not seen.",
            "Training data",
        )
    ]


def _found(record: Record, detection: Detection, embedded: RecordEmbeddings | None) -> list[Block]:
    """The sections that need judged time."""
    blocks: list[Block] = [probability_block(record, detection)]
    if detection.recorded_s >= LEAST_HOURS_S:
        blocks.append(hours_block(record, detection))
    blocks += [Heading("Each interval and the next"), poincare_block(record, detection)]
    blocks.append(Heading("Episodes"))
    if detection.episodes:
        blocks.append(TableBlock(episode_table(detection)))
    else:
        blocks.append(Text("No episode of AF was detected in the judged time."))
    return blocks + neighbour_blocks(record, detection, embedded)


def _not_judged(detection: Detection, stretches: tuple[NotJudged, ...]) -> list[Block]:
    if stretches:
        return [TableBlock(not_judged_table(detection, stretches))]
    return [Text("The complete recording was judged.")]


def _how(detection: Detection) -> list[Block]:
    modes = ". ".join(f"**{mode}**: {meaning}" for mode, meaning in MODES.items())
    how = BY_BEATS if judges_beats(detection) else BY_WINDOWS
    return [
        Text(
            f"{how} There are two modes. {modes}. This page: "
            f"**{detection.mode}**, weights `{without_markup(detection.weights)}`."
        ),
        *([TableBlock(measured_table(detection))] if detection.measured else []),
        TableBlock(facts_table(detection)),
    ]
