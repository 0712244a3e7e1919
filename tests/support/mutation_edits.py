"""Files of edits that are damaged: read, appended to, and read again."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pacl.detect import painted
from pacl.edits import Edit, EditLog, Step, append
from pacl.records import record_from_rr
from support.mutation_target import Target

_RECORD = record_from_rr(np.random.default_rng(0).uniform(600, 1000, 200))
_NAME = "night.edits.jsonl"
_MADE = (
    Edit("af", 10, 60, id="0" * 16, at="2026-11-18T09:00:00Z"),
    Edit("note", 5, 5, note='a "note" \\ }\n é', id="1" * 16, at="2026-11-18T09:00:01Z"),
    Step("undo", "0" * 16, id="2" * 16, at="2026-11-18T09:00:02Z"),
    Edit("exclude", 70, 80.5, id="3" * 16, at="2026-11-18T09:00:03Z"),
)


def _write(folder: Path) -> Sequence[Path]:
    append(folder / _NAME, _RECORD, _MADE)
    return [folder / _NAME]


def _open(folder: Path) -> None:
    """What can be read can be continued, and nothing that was there is changed."""
    path = folder / _NAME
    before = path.read_bytes()
    log = EditLog.read(path, _RECORD)
    painted(log.marks)
    after = append(path, _RECORD, [Edit("sinus", 1, 30)])
    if after != EditLog.read(path, _RECORD) or after.edits[:-1] != log.edits:
        raise AssertionError("what was appended is not what is read")
    if log.revision and not path.read_bytes().startswith(before):
        raise AssertionError("what was there has changed")


EDITS_TARGETS = (Target("edits/log", _write, _open),)
