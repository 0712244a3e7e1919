"""What the page shows of one recording, as plain values; the beats are packed beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pacl.detect import Detection
from pacl.detect.scoring import agreement, compared_spans
from pacl.records import Record, Rhythm
from pacl.report.recording.annotations import agreement_sentence
from pacl.report.recording.decisions import not_judged_reasons
from pacl.report.recording.packed_beats import TICK_MS, PackedBeats, pack_beats
from pacl.report.style import RHYTHM_NAMES
from pacl.report.time_axis import TimeAxis, extent_s

FORMAT = "pacl view 1"


@dataclass(frozen=True, eq=False, slots=True)
class RecordingView:
    """Plain values for JSON, and the packed beats."""

    values: dict[str, Any]
    beats: PackedBeats


def recording_view(
    record: Record, detection: Detection, notices: Sequence[str] = ()
) -> RecordingView:
    """All that the page needs of a recording; `notices` are shown above it."""
    beats = pack_beats(record, detection)
    begins_s, ends_s = extent_s(record)
    aside = record.not_judged
    values = {
        **detection.to_dict(),
        "format": FORMAT,
        "patient": record.patient_id,
        "started": None
        if record.started is None
        else record.started.replace(tzinfo=None).isoformat(),
        "from_s": min([begins_s, *(one.start_s for one in aside)]),
        "to_s": max([ends_s, *(one.end_s for one in aside)]),
        "blocks": [(low * 3600, high * 3600) for low, high in TimeAxis.of(record).blocks],
        "beats": len(record),
        "tick_ms": TICK_MS,
        "jumps": beats.jumps,
        "not_judged": [
            {"start_s": one.start_s, "end_s": one.end_s, "why": one.why}
            for one in not_judged_reasons(record, detection)
        ],
        "annotated": _annotated(record),
        "agreement": _agreement(record, detection),
        "notices": [*notices, *_notices(detection)],
        **_by_hand(detection),
    }
    return RecordingView(values, beats)


def _annotated(record: Record) -> list[dict[str, Any]]:
    """Annotated rhythms; empty if there are none."""
    spans = [one for one in record.spans if one.rhythm is not Rhythm.UNKNOWN]
    if not spans:
        return []
    begins_s = record.begins_s(np.array([one.start for one in spans]))
    ends_s = begins_s + [record.seconds(one.start, one.stop) for one in spans]
    return [
        {
            "start_s": round(low, 3),
            "end_s": round(high, 3),
            "rhythm": one.rhythm.name,
            "name": f"{RHYTHM_NAMES[one.rhythm]} {one.mark}".strip(),
        }
        for one, low, high in zip(spans, begins_s.tolist(), ends_s.tolist(), strict=True)
    ]


def _agreement(record: Record, detection: Detection) -> str | None:
    """How far annotations and detector agree; None without annotations."""
    if all(one.rhythm is Rhythm.UNKNOWN for one in record.spans):
        return None
    return agreement_sentence(agreement(compared_spans(record, detection))).replace("**", "")


def _by_hand(detection: Detection) -> dict[str, Any]:
    """Marks by hand in order of time, and the result without them."""
    if detection.edits is None:
        return {"edits": [], "without_edits": None}
    found = detection.edits.to_dict()
    return {"edits": found["marks"], "without_edits": found["without"]}


def _notices(detection: Detection) -> list[str]:
    found = []
    if detection.learned_from:
        found.append(
            f"{detection.weights} learned from this recording. It is less accurate on recordings "
            "that it has not seen."
        )
    if detection.edits is not None:
        found += detection.edits.notices
    return found
