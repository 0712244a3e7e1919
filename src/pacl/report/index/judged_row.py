"""The row of a recording that is judged; its AF is divided among calendar days at midnight."""

import math
from datetime import timedelta

import numpy as np

from pacl.axes import Array, Float64, Int64
from pacl.detect import Detection
from pacl.records import Record
from pacl.report.index.row import Day, RecordingRow
from pacl.spans import TOUCHING_S, seconds_before

DAY_S = 86_400.0
DIGITS = 3


def row_of(
    record: Record,
    detection: Detection,
    key: str,
    edits: int = 0,
    has_ecg: bool = False,
    page: str = "",
) -> RecordingRow:
    """The row of a recording; `edits` counts the marks by hand that the detection was made with."""
    longest_s = max((one.duration_s for one in detection.episodes), default=None)
    started = record.started
    return RecordingRow(
        key=key,
        name=record.record_id,
        patient=record.patient_id,
        status="ready",
        page=page,
        started=None if started is None else started.replace(tzinfo=None).isoformat(),
        duration_s=round(detection.duration_s, DIGITS),
        recorded_s=round(detection.recorded_s, DIGITS),
        judged_s=round(detection.judged_s, DIGITS),
        af_s=round(detection.af_s, DIGITS),
        judged_share=detection.judged_share,
        af_burden=detection.af_burden,
        verdict=detection.verdict,
        reason=detection.reason,
        beats=len(record),
        episodes=len(detection.episodes),
        longest_s=None if longest_s is None else round(longest_s, DIGITS),
        edits=edits,
        learned_from=detection.learned_from,
        has_ecg=has_ecg,
        notes=_notes(detection),
        days=days_of(record, detection),
    )


def days_of(record: Record, detection: Detection) -> tuple[Day, ...]:
    """Seconds judged, and of AF, on each calendar day on which beats were recorded.

    Without a clock, all of it is one day without a date.
    """
    if record.started is None:
        return (Day(None, round(detection.af_s, DIGITS), round(detection.judged_s, DIGITS)),)
    midnight = record.started.replace(hour=0, minute=0, second=0, microsecond=0)
    past_midnight_s = (record.started - midnight).total_seconds()
    times_s = np.concatenate([record.onset_s(), detection.end_s - TOUCHING_S])
    number: Int64[Array, "day"] = np.unique(
        np.floor((times_s + past_midnight_s) / DAY_S).astype(np.int64)
    )
    begins_s = number * DAY_S - past_midnight_s
    af = detection.af
    judged_s = _within(detection.start_s, detection.end_s, begins_s)
    af_s = _within(detection.start_s[af], detection.end_s[af], begins_s)
    return tuple(
        Day((midnight + timedelta(days=day)).date().isoformat(), *seconds)
        for day, *seconds in zip(
            number.tolist(),
            af_s.round(DIGITS).tolist(),
            judged_s.round(DIGITS).tolist(),
            strict=True,
        )
    )


def _within(
    start_s: Float64[Array, "step"],
    end_s: Float64[Array, "step"],
    begins_s: Float64[Array, "day"],
) -> Float64[Array, "day"]:
    """Seconds of all steps on each day; steps are in order of time."""
    steps = np.stack([start_s, end_s], axis=1)
    return seconds_before(steps, begins_s + DAY_S) - seconds_before(steps, begins_s)


def _notes(detection: Detection) -> tuple[str, ...]:
    """Why much was not judged, what a profile has to say, and that the recording is known."""
    found = []
    if detection.why_not_judged is not None and detection.verdict != "cannot tell":
        percent = math.floor(1000 * (1 - detection.judged_share)) / 10
        if percent >= 1:
            found.append(
                f"{percent:g} % is not judged; the main reason: {detection.why_not_judged}"
            )
    if detection.person is not None:
        found += [one.text for one in detection.person.check.notices]
    if detection.learned_from:
        found.append("the weights were trained on this recording")
    return tuple(found)
