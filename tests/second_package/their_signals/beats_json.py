"""A reader of .beats files: JSON with the patient and RR intervals in ms."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from pacl.records import RecordError, record_from_rr
from pacl.registry import Entry


@dataclass(frozen=True)
class BeatsSettings:
    """Of `BeatsReader`."""

    gain: float = 1.0
    """What intervals are multiplied by."""


class BeatsReader:
    """All .beats files of a folder, or one of them."""

    left_out = ()

    def __init__(self, path, gain):
        self.root = path if path.is_dir() else path.parent
        files = sorted(path.glob("*.beats")) if path.is_dir() else [path]
        self.files, self.gain = {file.stem: file for file in files}, gain

    @property
    def record_ids(self):
        return tuple(self.files)

    def read(self, record_id):
        if record_id not in self.files:
            raise RecordError(self.root, f"no recording {record_id!r}", "choose another")
        stated = json.loads(self.files[record_id].read_text())
        rr_ms = [self.gain * value for value in stated["rr_ms"]]
        record = record_from_rr(rr_ms, unit="ms", record_id=record_id)
        return replace(record, patient_id=stated["patient"])


def recognises(path):
    path = Path(path)
    return path.suffix == ".beats" or (path.is_dir() and any(path.glob("*.beats")))


ENTRY = Entry(
    "beats-json",
    lambda settings, *, path: BeatsReader(path, settings.gain),
    BeatsSettings,
    "JSON with intervals in ms",
    recognises=recognises,
)
