"""One recording as a page: key figures, what was found over time, episodes, how it was judged."""

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
)
from pacl.report.recording.annotations import compared_with_annotations
from pacl.report.recording.decisions import judges_beats, reasons
from pacl.report.recording.formatting import duration, share, short_duration, unmarked
from pacl.report.recording.pictures import (
    hours_picture,
    poincare_picture,
    probability_picture,
    tachogram_picture,
)
from pacl.report.recording.reference_patients import among_patients
from pacl.report.recording.tables import episode_table, facts_table, measured_table, silence_table
from pacl.report.recording.time_axis import TimeAxis

LEAST_HOURS_S = 2 * 3600
"""Recordings shorter than this are not told hour by hour."""

MODES: dict[Mode, str] = {
    "look-ahead": "each moment by what came before it and after it, which needs the whole "
    "recording and is the more accurate",
    "causal": "each moment by what came before it and at most 70 beats after it, as one must while "
    "a recording goes on",
}
BY_BEATS = (
    "A network gives every beat a probability of AF, by the intervals around it. Beats are an "
    "episode where they follow each other, are at least five, and their evidence adds up."
)
BY_WINDOWS = (
    "A network gives every window of beats a probability of AF. Windows overlap: every step of 50 "
    "beats is judged by those that hold it, and from one half on it is taken for AF."
)
NO_DEVICE = "Not a medical device"


def write_recording_page(
    record: Record, detection: Detection, placed: RecordEmbeddings | None = None
) -> str:
    """Write what was found in a recording as one HTML page that needs nothing else.

    With `placed`, from `Detector.place`, it also shows the recording among the reference patients.
    """
    return night_page(record, detection, placed).to_html()


def night_page(
    record: Record, detection: Detection, placed: RecordEmbeddings | None = None
) -> Page:
    """The page of a recording."""
    if record.record_id != detection.record_id:
        raise PageError(
            f"record {record.record_id}: the detection is that of record {detection.record_id}; "
            "give the record that was judged"
        )
    silences = reasons(record, detection)
    judged, note = detection.af_burden is not None, TimeAxis.of(record).note
    return Page(
        title=f"Recording {record.record_id.removeprefix('record_')}",
        lead=f"**{NO_DEVICE}.** Atrial fibrillation (AF) as software found it in the intervals "
        "between heart beats. Only a physician can make a diagnosis, from an ECG.",
        blocks=(
            KeyFigures(_key_figures(detection)),
            *_why(detection),
            *_learned_from(detection),
            Heading("Over time"),
            *([Text(note)] if note else []),
            tachogram_picture(record, detection),
            *compared_with_annotations(record, detection),
            *(_found(record, detection, placed) if judged else []),
            Heading("What was not judged"),
            *_not_judged(detection, silences),
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
            none if burden is None else share(burden),
            "AF burden",
            "" if burden is None else f"{duration(detection.af_s)} of the time that was judged",
        ),
        KeyFigure(
            none if burden is None else f"{len(episodes):,}",
            "Episodes of AF",
            f"the longest {short_duration(longest)}" if episodes else "",
        ),
        KeyFigure(
            short_duration(detection.recorded_s),
            "Duration",
            f"{beats:,} interval{'s' * (beats != 1)}"
            + (", without pauses" if detection.duration_s - detection.recorded_s > 1 else ""),
        ),
        KeyFigure(share(1.0 - judged), "Not judged", "of the duration"),
    )


def _why(detection: Detection) -> list[Block]:
    """Why AF is only possible, or why one cannot tell, where that is so."""
    if detection.reason is None:
        return []
    why, verdict = unmarked(detection.reason), detection.verdict
    head = f"{verdict[0].upper()}{verdict[1:]}"
    if detection.af_burden is None:
        return [Note(f"Nothing in this recording could be judged: {why}.", head)]
    return [Note(f"{why[0].upper()}{why[1:]}.", head)]


def _learned_from(detection: Detection) -> list[Block]:
    """That the detector knows this recording, where it does."""
    if not detection.learned_from:
        return []
    return [
        Note(
            f"`{unmarked(detection.weights)}` learned from this very recording. It does worse in "
            "recordings that it has not seen.",
            "Learned from",
        )
    ]


def _found(record: Record, detection: Detection, placed: RecordEmbeddings | None) -> list[Block]:
    """All that there is to say where something was judged."""
    blocks: list[Block] = [probability_picture(record, detection)]
    if detection.recorded_s >= LEAST_HOURS_S:
        blocks.append(hours_picture(record, detection))
    blocks += [Heading("Each interval and the next"), poincare_picture(record, detection)]
    blocks.append(Heading("Episodes"))
    if detection.episodes:
        blocks.append(TableBlock(episode_table(detection)))
    else:
        blocks.append(Text("No episode of AF was found in what could be judged."))
    return blocks + among_patients(record, detection, placed)


def _not_judged(detection: Detection, silences: tuple[NotJudged, ...]) -> list[Block]:
    if silences:
        return [TableBlock(silence_table(detection, silences))]
    return [Text("All of the recording could be judged.")]


def _how(detection: Detection) -> list[Block]:
    meant = ". ".join(f"**{mode}**: {meaning}" for mode, meaning in MODES.items())
    how = BY_BEATS if judges_beats(detection) else BY_WINDOWS
    return [
        Text(
            f"{how} There are two modes. {meant}. This page: "
            f"**{detection.mode}**, weights `{unmarked(detection.weights)}`."
        ),
        *([TableBlock(measured_table(detection))] if detection.measured else []),
        TableBlock(facts_table(detection)),
    ]
