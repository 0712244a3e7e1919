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
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pacl
from pacl.atomic_write import TargetError, atomic_write, check_new
from pacl.cohort_tables.manifest import FORMAT, IDENTITY, Manifest, PartMark, PartTable, versions
from pacl.settings import differences
from pacl.stored import as_read, digest_of_file, read_json, read_table

if TYPE_CHECKING:
    import pyarrow as pa

MANIFEST, PARTS = "manifest.json", "parts"


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
                if then["recordings_digest"] != recordings_digest:
                    differ = [one for one in differ if not one.startswith("recordings_digest")]
                    differ.append("names of recordings")
                raise TargetError(
                    f"{self.path}: its tables are of something else (then / now): "
                    f"{', '.join(differ)}; give the same to continue, or name another folder"
                )
            return then
        check_new(self.path)
        self._write(now)
        return now

    def done(self, files: Sequence[str]) -> set[int]:
        """Numbers of the parts that are complete, as they were written, and of the same files.

        `files` is the state of the files of each part, see `CohortPlan.state`.
        """
        stated = self.manifest
        if stated["complete"]:
            marks = dict(enumerate(stated["parts"]))
        else:
            numbers = range(len(files))
            marks = {number: self.mark(number) for number in numbers if self._mark(number).exists()}
        found = {
            number
            for number, mark in marks.items()
            if mark["files"] == files[number] and self._whole(number, mark)
        }
        if stated["complete"] and len(found) < len(files):
            self._reopen(stated)
        return found

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
        self,
        part: int,
        tables: "Mapping[str, pa.Table]",
        *,
        recordings: int,
        failed: int,
        files: str,
    ) -> None:
        """Write all tables of a part, and then that it is complete.

        The first table comes last: a recording that is listed has all its rows in the others.
        """
        contents = {name: as_parquet(table) for name, table in tables.items()}
        for name, content in reversed(contents.items()):
            atomic_write(self._file(name, part), content)
        written: dict[str, PartTable] = {
            name: {
                "rows": tables[name].num_rows,
                "sha256": hashlib.sha256(content).hexdigest(),
            }
            for name, content in contents.items()
        }
        mark: PartMark = {
            "recordings": recordings,
            "files": files,
            "failed": failed,
            "tables": written,
        }
        atomic_write(self._mark(part), json.dumps(mark).encode())
        self.begun(part).unlink(missing_ok=True)

    def mark(self, part: int) -> PartMark:
        """What is kept of a part that is complete."""
        found: PartMark = read_json(self._mark(part), PartMark, no_tables)
        return found

    def finish(self, parts: int) -> Manifest:
        """State in the manifest that all parts are complete, with their digests."""
        if (stated := self.manifest)["complete"]:
            self._clear()  # again: the command before may have been killed while it did
            return stated
        marks = [self.mark(part) for part in range(parts)]
        rows: dict[str, int] = {}
        for mark in marks:
            for name, table in mark["tables"].items():
                rows[name] = rows.get(name, 0) + table["rows"]
        found: Manifest = {
            **stated,
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


def _name(part: int) -> str:
    return f"part-{part:05d}"


def no_tables(path: Path, what: str) -> TargetError:
    """A file or folder that cannot be read as tables of a cohort."""
    return TargetError(f"{path}: {what}; name a folder of tables of a cohort")
