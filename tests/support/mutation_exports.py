"""Sound exports of every format, and how they are opened, for `mutation_run`."""

import json
import struct
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from pacl.records import Overview
from pacl.records.exports import ExportReader
from support.apple_health import STEPS, ZONE, document, series
from support.archives import zipped
from support.fit import activity, crc
from support.mutate import damaged
from support.mutation_target import Target

_RR_MS = [800 + 7 * (beat % 9) + 13 * (beat % 4) for beat in range(60)]
_START = datetime(2021, 8, 1, 23, 59, 40, tzinfo=ZONE)
_XML = document(
    [STEPS, series(_START, _RR_MS), series(_START + timedelta(days=1), _RR_MS, source="B")]
)
_PULSES = [
    {"sampleDateTime": f"2024-05-04T21:30:{beat:02}.000", "pulseLength": 990} for beat in range(50)
]
_DOCUMENTS = {
    "polar.json": [{"date": "2024-05-04", "devicePpiSamplesList": [{"ppiSamples": _PULSES}]}],
    "session.json": {
        "exercises": [{"startTime": "2024-05-04T21:30:05", "samples": {"rr": _RR_MS}}] * 2
    },
    "series.json": {
        "start": "2024-05-04 21:30:05 +0200",
        "heartbeats": [{"timeSinceSeriesStart": 0.8 * beat} for beat in range(50)],
    },
    "samples.json": {"samples": [{"sample-type": "11", "data": ",".join(map(str, _RR_MS))}]},
}
_FILES = {
    "run.fit": activity(_RR_MS) + activity(_RR_MS[:20]),
    "export.xml": _XML,
    "export.zip": zipped({"a/export.xml": _XML, "run.fit": activity(_RR_MS), "log.txt": b"x"}),
    "lines.json": b"\n".join(
        json.dumps({"timestamp": 800 * beat, "rr": [800]}).encode() for beat in range(50)
    ),
    **{name: json.dumps(one).encode() for name, one in _DOCUMENTS.items()},
}


def _all(folder: Path) -> None:
    reader = ExportReader(folder)
    for record_id in reader.record_ids:
        Overview.of(reader.read(record_id))


def _writing(name: str) -> Callable[[Path], Sequence[Path]]:
    def write(folder: Path) -> Sequence[Path]:
        (folder / name).write_bytes(_FILES[name])
        return [folder / name]

    return write


def with_right_sums(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """A FIT file whose messages are damaged and whose checksum is right."""
    (size,) = struct.unpack("<I", content[4:8])
    for body in damaged(content[14 : 14 + size], cases, seed):
        head = content[:4] + struct.pack("<I", len(body)) + content[8:12]
        whole = head + struct.pack("<H", crc(head)) + body
        yield whole + struct.pack("<H", crc(whole))


EXPORT_TARGETS = (
    *(Target(f"exports/{name}", _writing(name), _all) for name in _FILES),
    Target("exports/fit-messages", _writing("run.fit"), _all, with_right_sums),
)
