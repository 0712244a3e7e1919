"""The lines of a file of edits, read with checks.

```
{"format": "pacl edits 1", "record": "00", "digest": "5f1c...", "beats": 98113}
{"id": "9f0c...", "at": "2026-11-18T09:00:00Z", "kind": "af", "start_s": 61.2, "end_s": 95.0, ...}
{"id": "03be...", "at": "2026-11-18T09:00:07Z", "kind": "undo", "of": "9f0c..."}
```
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np

from pacl.detect import beats_digest
from pacl.edits.edit import Edit, Entry, as_line, entry_from
from pacl.edits.errors import EditError
from pacl.records import Record
from pacl.stored import Between, ends_too_early, parse_json, shown

FORMAT = "pacl edits 1"
MOST_BYTES = 2**24
MOST_LINE = 2**15
"""Bytes of one line: a note of 2,000 characters has at most 24,000."""

OUTSIDE_S = 60.0
"""An edit may begin or end this much outside the recording."""


class _Head(TypedDict):
    record: str
    digest: str
    beats: Annotated[int, Between(0, 2**40)]


@dataclass(frozen=True, slots=True)
class Lines:
    """What a file holds.

    Parameters
    ----------
    entries
        Its edits, and what was taken back, as they were written, each with its line.
    problems
        Lines that were left out: a process was killed, or the power failed, while it wrote.
    has_head
        Whether its first line is there.
    is_torn
        Whether its last line does not end.
    """

    entries: tuple[tuple[int, Entry], ...] = ()
    problems: tuple[str, ...] = ()
    has_head: bool = False
    is_torn: bool = False


def head_of(record: Record) -> bytes:
    """The first line of a recording's file."""
    digest = beats_digest(record.rr_ms)
    return as_line(
        {"format": FORMAT, "record": record.record_id, "digest": digest, "beats": len(record)}
    )


def read_lines(content: bytes, path: Path, record: Record) -> Lines:
    """Read the content of a file; it must be of this recording."""
    head = head_of(record)
    if not content:
        return Lines()
    if len(content) < len(head) and head.startswith(content):
        return Lines(problems=("line 1 is torn; nothing was marked in it",))
    first, *rest = content.split(b"\n")
    _check_head(first, path, record)
    is_torn = not content.endswith(b"\n")
    entries: list[tuple[int, Entry]] = []
    problems: list[str] = []
    span_s = span_of(record)
    for number, line in enumerate(rest, 2):
        if not line.strip():
            continue
        if ends_too_early(line):
            problems.append(f"line {number} is torn, so it is left out: writing it did not end")
        else:
            entries.append((number, _entry(line, path, number, span_s)))
    return Lines(tuple(entries), tuple(problems), True, is_torn)


def check_place(one: Entry, span_s: tuple[float, float], where: str) -> None:
    """Refuse an edit that lies outside of the recording."""
    if isinstance(one, Edit) and (
        one.start_s < span_s[0] - OUTSIDE_S or one.end_s > span_s[1] + OUTSIDE_S
    ):
        raise EditError(
            f"{where}: {one.kind} from {one.start_s:g} to {one.end_s:g} s is not in the recording, "
            f"which lasts from {span_s[0]:.3f} to {span_s[1]:.3f} s; correct the times"
        )


def span_of(record: Record) -> tuple[float, float]:
    """When a recording begins and ends, with what is not judged around its beats."""
    edges = record.begins_s(np.array([0, len(record)])).tolist()
    for one in record.not_judged:
        edges += [one.start_s, one.end_s]
    return min(edges), max(edges)


def _check_head(line: bytes, path: Path, record: Record) -> None:
    if len(line) > MOST_LINE:
        raise _no_edits(path, "its first line is too long")
    stated = parse_json(line, path, _Head, _no_edits, written_as=FORMAT)
    if stated["digest"] != beats_digest(record.rr_ms):
        raise EditError(
            f"{path}: line 1: edits of another recording ({shown(stated['record'])}, "
            f"{stated['beats']:,} beats) than {record.source} ({record.record_id!r}, "
            f"{len(record):,} beats); give the file that belongs to this recording, read with the "
            "same options"
        )


def _entry(line: bytes, path: Path, number: int, span_s: tuple[float, float]) -> Entry:
    where = f"{path}: line {number}"

    def refuse(_: Path, what: str) -> EditError:
        return EditError(f"{where}: cannot be used ({what}); repair the line, or remove it")

    if len(line) > MOST_LINE:
        raise refuse(path, f"{len(line):,} bytes, expected at most {MOST_LINE:,}")
    stated: dict[str, Any] = parse_json(line, path, dict[str, Any], refuse)
    if missing := [name for name in ("id", "at") if name not in stated]:
        raise refuse(path, f"{', '.join(missing)} missing")
    try:
        found = entry_from(stated)
    except EditError as error:
        raise refuse(path, str(error)) from error
    check_place(found, span_s, where)
    return found


def _no_edits(path: Path, what: str) -> EditError:
    return EditError(
        f"{path}: line 1: no file of edits ({what}); give one that pacl view wrote, of the format "
        f"{FORMAT!r}"
    )
