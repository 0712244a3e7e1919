"""The folder of the tables of a cohort: written in parts, which can be read while it grows.

```
results/
    manifest.json                    command, settings, recordings, versions; in the end all digests
    recordings/part-00000.parquet    one row per recording; `error` says why one failed
    episodes/part-00000.parquet      other tables, such as one row per episode
    parts/part-00000.json            this part is complete; removed when all are
```

A part is a fixed number of recordings. Its tables are replaced only by the same bytes: they depend
on the recordings, the settings and the versions, not on the workers or on interruptions.
"""

import hashlib
import json
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import pacl
from pacl.atomic_write import TargetError, atomic_write, check_new
from pacl.settings import differences
from pacl.stored import as_read, digest_of_file, read_json, read_table

if TYPE_CHECKING:
    import pyarrow as pa

MANIFEST, PARTS = "manifest.json", "parts"
FORMAT = "pacl cohort tables 1"
PACKAGES = ("numpy", "onnxruntime", "pyarrow", "scipy")
"""Their versions may change the last digits, or the bytes of a file."""


class PartTable(TypedDict):
    """The file of one table in one part."""

    rows: int
    sha256: str


class PartMark(TypedDict):
    """What is kept of a part that is complete."""

    recordings: int
    failed: int
    tables: dict[str, PartTable]


class Manifest(TypedDict):
    """The content of `manifest.json`, besides its format."""

    command: str
    pacl: str
    versions: dict[str, str | None]
    settings: dict[str, Any]
    recordings: int
    recordings_digest: str
    left_out: list[str]
    per_part: int
    complete: bool
    failed: int
    tables: dict[str, int]
    parts: list[PartMark]


IDENTITY = ("command", "pacl", "versions", "settings", "recordings", "recordings_digest")
"""What must be the same when the same folder is continued."""


@dataclass(frozen=True, slots=True)
class TablesFolder:
    """The folder of the tables of a cohort."""

    path: Path

    @property
    def manifest(self) -> Manifest:
        """What the tables are of."""
        found: Manifest = read_json(self.path / MANIFEST, Manifest, no_tables, written_as=FORMAT)
        return found

    def start(
        self,
        command: str,
        settings: Mapping[str, Any],
        *,
        recordings: int,
        recordings_digest: str,
        per_part: int,
        left_out: Sequence[str] = (),
    ) -> Manifest:
        """Start the tables, or continue those that are there; refuses tables of something else."""
        now: Manifest = {
            "command": command,
            "pacl": pacl.__version__,
            "versions": versions(),
            "settings": as_read(dict(settings)),
            "recordings": recordings,
            "recordings_digest": recordings_digest,
            "left_out": list(left_out),
            "per_part": per_part,
            "complete": False,
            "failed": 0,
            "tables": {},
            "parts": [],
        }
        if (self.path / MANIFEST).exists():
            then = self.manifest
            states = [{key: dict(one)[key] for key in IDENTITY} for one in (then, now)]
            if differ := differences(*states):
                raise TargetError(
                    f"{self.path}: its tables are of something else (then / now): "
                    f"{', '.join(differ)}; give the same to continue, or name another folder"
                )
            return then
        check_new(self.path)
        self._write(now)
        return now

    def done(self, parts: int) -> set[int]:
        """Numbers of the parts that are complete, with all their files as they were written."""
        stated = self.manifest
        if stated["complete"]:
            found = {
                number for number, mark in enumerate(stated["parts"]) if self._whole(number, mark)
            }
            if len(found) < parts:
                self._reopen(stated)
            return found
        names = {path.name for path in (self.path / PARTS).glob("part-*.json")}
        marked = [number for number in range(parts) if f"{_name(number)}.json" in names]
        return {number for number in marked if self._whole(number, self.mark(number))}

    def forget_begun(self) -> None:
        """Forget which recordings were begun by an earlier command, which may have been stopped."""
        for path in (self.path / PARTS).glob(".*.begun"):
            path.unlink(missing_ok=True)

    def _whole(self, part: int, mark: PartMark) -> bool:
        """Whether all files of a part are there, and nobody changed them."""
        files = {self._file(name, part): one["sha256"] for name, one in mark["tables"].items()}
        return all(file.is_file() and digest_of_file(file) == is_ for file, is_ in files.items())

    def _reopen(self, stated: Manifest) -> None:
        """Have parts of complete tables made again; marks say which are there."""
        for part, mark in enumerate(stated["parts"]):
            atomic_write(self._mark(part), json.dumps(mark).encode())
        self._write({**stated, "complete": False, "failed": 0, "tables": {}, "parts": []})

    def begun(self, part: int) -> Path:
        """A file that says which recordings of a part were begun."""
        return self.path / PARTS / f".{_name(part)}.begun"

    def write_part(
        self, part: int, tables: "Mapping[str, pa.Table]", *, recordings: int, failed: int
    ) -> None:
        """Write all tables of a part, and then that it is complete."""
        written: dict[str, PartTable] = {}
        for name, table in tables.items():
            content = as_parquet(table)
            atomic_write(self._file(name, part), content)
            digest = hashlib.sha256(content).hexdigest()
            written[name] = {"rows": table.num_rows, "sha256": digest}
        mark: PartMark = {"recordings": recordings, "failed": failed, "tables": written}
        atomic_write(self._mark(part), json.dumps(mark).encode())
        self.begun(part).unlink(missing_ok=True)

    def mark(self, part: int) -> PartMark:
        """What is kept of a part that is complete."""
        found: PartMark = read_json(self._mark(part), PartMark, no_tables)
        return found

    def finish(self, parts: int) -> Manifest:
        """State in the manifest that all parts are complete, with their digests."""
        if self.manifest["complete"]:
            return self.manifest
        marks = [self.mark(part) for part in range(parts)]
        rows: dict[str, int] = {}
        for mark in marks:
            for name, table in mark["tables"].items():
                rows[name] = rows.get(name, 0) + table["rows"]
        found: Manifest = {
            **self.manifest,
            "complete": True,
            "failed": sum(mark["failed"] for mark in marks),
            "tables": rows,
            "parts": marks,
        }
        self._write(found)
        self._clear()
        return found

    def reopen_failed(self) -> None:
        """Have all parts with a recording that failed made again."""
        found = self.manifest
        if found["complete"]:
            self._reopen(found)
        for path in (self.path / PARTS).glob("part-*.json"):
            kept: PartMark = read_json(path, PartMark, no_tables)
            if kept["failed"]:
                path.unlink()

    def table(self, name: str) -> "pa.Table":
        """All rows of a table that are there by now, in order."""
        import pyarrow as pa

        parts = list(self.batches(name))
        if not parts:
            raise no_tables(self.path / name, "no part of this table is there")
        return pa.concat_tables(parts)

    def batches(self, name: str) -> "Iterator[pa.Table]":
        """The rows of a table, one part after the other."""
        for file in sorted((self.path / name).glob("part-*.parquet")):
            yield read_table(file, {}, no_tables)

    def _clear(self) -> None:
        """Remove what is of use only while parts are missing, and what killed workers left."""
        shutil.rmtree(self.path / PARTS, ignore_errors=True)
        for path in self.path.glob("*/.*.unfinished"):
            path.unlink(missing_ok=True)

    def _write(self, manifest: Manifest) -> None:
        text = json.dumps({"format": FORMAT, **manifest}, indent=1)
        atomic_write(self.path / MANIFEST, f"{text}\n".encode())

    def _file(self, table: str, part: int) -> Path:
        return self.path / table / f"{_name(part)}.parquet"

    def _mark(self, part: int) -> Path:
        return self.path / PARTS / f"{_name(part)}.json"


def as_parquet(table: "pa.Table") -> bytes:
    """The bytes of a Parquet file, the same for the same rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table.combine_chunks(), sink, compression="zstd")
    found: bytes = sink.getvalue().to_pybytes()
    return found


def concatenated(tables: "Iterable[pa.Table]", schema: "pa.Schema") -> "pa.Table":
    """Rows of several recordings as one table."""
    import pyarrow as pa

    return pa.concat_tables([schema.empty_table(), *tables])


def versions() -> dict[str, str | None]:
    """Versions of Python and of the packages that rows depend on."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def _name(part: int) -> str:
    return f"part-{part:05d}"


def no_tables(path: Path, what: str) -> TargetError:
    """A file or folder that cannot be read as tables of a cohort."""
    return TargetError(f"{path}: {what}; name a folder of tables of a cohort")
