"""Where the edits of a recording are kept: beside it.

```
nights/monday.csv       nights/monday.csv.edits.jsonl
nights/all.csv          nights/all.csv.anna.edits.jsonl      one file, several recordings
wfdb/00 (00.hea, ...)   wfdb/00.edits.jsonl
iridia/record_000/      iridia/record_000.edits.jsonl
```

In a folder of their own, those of recordings from subfolders also have the name of the subfolder.
"""

import hashlib
import re
from pathlib import Path, PurePosixPath

from pacl.records import EDITS_ENDING, Record

LONGEST = 60
"""Characters of a recording's name in the name of a file."""


def edits_path(record: Record, several: bool, folder: Path | str | None = None) -> Path:
    """The file of a recording's edits.

    Parameters
    ----------
    record
        The recording, as a reader gave it.
    several
        Whether its reader has several recordings. If they are of one file, each has its own edits.
    folder
        Where edits are kept; beside the recording by default.
    """
    source, is_part = _file_of(record.source)
    name = source.name
    own = PurePosixPath(record.record_id).name not in (source.stem, source.name)
    apart = folder is not None and "/" in record.record_id  # files of one name, of many folders
    if is_part or apart or (several and own):
        name = f"{name}.{_short(record.record_id, source)}"
    return (source.parent if folder is None else Path(folder)) / f"{name}{EDITS_ENDING}"


def _file_of(source: str) -> tuple[Path, bool]:
    """The file of a source, and whether the source names a part of it, as in `all.csv (anna)`."""
    path = Path(source)
    if not source.endswith(")") or path.exists():
        return path, False
    end = len(source)
    while (end := source.rfind(" (", 0, end)) > 0:
        if (file := Path(source[:end])).is_file():
            return file, True
    return path, False


def _short(record_id: str, source: Path) -> str:
    """A recording's name within its file, in characters that any disk takes."""
    stem = source.stem
    _, found, part = f"/{record_id}".rpartition(f"/{stem}/")
    part = part if found else record_id
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", part).strip("-")[:LONGEST]
    if plain == part:
        return plain
    return f"{plain}-{hashlib.sha256(part.encode()).hexdigest()[:8]}".lstrip("-")
