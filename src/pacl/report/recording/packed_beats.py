"""All beats of a recording in four bytes each: interval, decision and probability.

```
offset   0            2n        3n        4n
         | rr uint16  | decision | probability |      n beats
rr           in ticks of 0.25 ms; differences of rounded onsets, so that times never drift
decision     0 not judged, 1 not AF, 2 AF
probability  0 to 250 for 0 to 1; 255 where it is not known
```
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Int64
from pacl.detect import Detection
from pacl.records import Record
from pacl.report.recording.decisions import beat_steps, decided

TICK_MS = 0.25
LONGEST_TICKS = 2**16 - 1
"""A longer interval, of 16 s, is missing signal: its end is a jump."""
SURE, UNKNOWN = 250, 255


@dataclass(frozen=True, eq=False, slots=True)
class PackedBeats:
    """The bytes, and where time does not simply go on: a beat's number and its onset in ticks."""

    content: bytes
    jumps: tuple[tuple[int, int], ...]


def pack_beats(record: Record, detection: Detection) -> PackedBeats:
    """Pack all beats of a recording with what was decided for them."""
    ticks, jumps = _ticks(record)
    step = beat_steps(record, detection)
    likely = np.full(len(record), UNKNOWN, np.uint8)
    judged = step >= 0
    likely[judged] = np.round(SURE * detection.probability[step[judged]])
    decision = (decided(detection, step) + 1).astype(np.uint8)
    content = ticks.astype("<u2").tobytes() + decision.tobytes() + likely.tobytes()
    return PackedBeats(content, jumps)


def _ticks(record: Record) -> tuple[Int64[Array, "beat"], tuple[tuple[int, int], ...]]:
    """Intervals in ticks, and the jumps: beginnings of files and ends of very long intervals."""
    onset_s = record.onset_s()
    begins = np.round(onset_s * (1000 / TICK_MS)).astype(np.int64)
    ends = np.round((onset_s + record.rr_ms / 1000.0) * (1000 / TICK_MS)).astype(np.int64)
    follows = np.ones(len(record), np.bool_)
    follows[record.file_starts] = False
    ends[:-1][follows[1:]] = begins[1:][follows[1:]]
    lasts = np.maximum(ends - begins, 0)
    after_long = np.append(False, lasts[:-1] > LONGEST_TICKS)
    at = np.flatnonzero(~follows | after_long)
    jumps = tuple(zip(at.tolist(), begins[at].tolist(), strict=True))
    return np.minimum(lasts, LONGEST_TICKS), jumps
