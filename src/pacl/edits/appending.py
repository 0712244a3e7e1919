"""Adding to a file of edits: on the disk before it returns, or not at all."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pacl.append_file import append as append_bytes
from pacl.append_file import locked_file, sync_folder
from pacl.edits.edit import Entry, as_line
from pacl.edits.errors import EditError
from pacl.edits.lines import MOST_BYTES, check_place, head_of, read_lines, span_of
from pacl.edits.log import EditLog
from pacl.records import Record

WAIT_S = 10.0
"""Seconds to wait for another process that writes."""


def append(path: Path | str, record: Record, entries: Iterable[Entry]) -> EditLog:
    """Add edits to the file of a recording, which is made if it is not there.

    When it returns, they are on the disk. If it fails, nothing was added. Several processes may
    append at once: each waits for the others. A line that another process left torn stays as it
    is, and a new line is begun.
    """
    path, new = Path(path), tuple(entries)
    span_s = span_of(record)
    for one in new:
        check_place(one, span_s, str(path))
    try:
        with locked_file(path, WAIT_S, follow=False) as number:
            return _appended(number, path, record, new)
    except BlockingIOError:
        raise EditError(
            f"{path}: another process has been writing to it for {WAIT_S:g} s; try again"
        ) from None
    except OSError as error:
        raise EditError(
            f"{path}: cannot be written ({error.strerror or error}), so nothing was added; free "
            "some space on the disk, allow writing to this folder, or keep edits in another "
            "(pacl view --edits FOLDER)"
        ) from error


def _appended(number: int, path: Path, record: Record, new: tuple[Entry, ...]) -> EditLog:
    """Check all of it together, then write; the file is locked."""
    size = os.fstat(number).st_size
    if size > MOST_BYTES:
        raise _too_large(path, size)
    content = _content(number, size)
    lines = read_lines(content, path, record)
    first = content.count(b"\n") + 1 + lines.is_torn if lines.has_head else 2
    numbered = tuple(enumerate(new, first))
    after = replace(
        lines, entries=(*lines.entries, *numbered), has_head=lines.has_head or bool(new)
    )
    log = EditLog.of(after, path)
    if not new:
        return log
    added = b"".join(as_line(one.to_dict()) for one in new)
    if not lines.has_head:
        os.ftruncate(number, 0)  # what is there is a part of the first line
        content, added = b"", head_of(record) + added
        log = replace(log, problems=())
    elif lines.is_torn:
        added = b"\n" + added
    if len(content) + len(added) > MOST_BYTES:
        raise _too_large(path, len(content) + len(added))
    append_bytes(number, added)
    if not content:
        sync_folder(path)
    return log


def _content(number: int, size: int) -> bytes:
    os.lseek(number, 0, os.SEEK_SET)
    parts = []
    while size > 0 and (part := os.read(number, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _too_large(path: Path, size: int) -> EditError:
    return EditError(
        f"{path}: {size:,} bytes, expected at most {MOST_BYTES:,}; move it away, and mark less"
    )
