"""A set of windows on disk: beats once, a row a window, and a manifest of how it came about.

```
windows/
    manifest.json     config, digests, split, what was dropped and why, leaks that were allowed
    windows.parquet   a row a window: patient, record, episode, rhythm, split, start, centre_ms, ...
    rr_ms.npy         the kept beats in ms, each once
    raw_index.npy     where each was in its record
    beat_rhythm.npy   its annotated rhythm
    scale.parquet     ranges of beats that scales were fitted on
```
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from pacl.axes import Array, Float32, Int8, Int32, Int64
from pacl.records import Rhythm
from pacl.windows.errors import WindowSetError
from pacl.windows.gather import gather
from pacl.windows.table import Names, WindowTable

FORMAT = "pacl windows 1"
ARRAYS = {"rr_ms": np.float32, "raw_index": np.int32, "beat_rhythm": np.int8}
NEEDED = ("window_beats", "windows", "min_to_onset_s", "allowed", "files")


@dataclass(frozen=True, eq=False, slots=True)
class ScaleBeats:
    """Ranges of beats, in the record, that scales were fitted on."""

    record: tuple[str, ...]
    start: Int64[Array, "range"]
    stop: Int64[Array, "range"]


@dataclass(frozen=True, eq=False, slots=True)
class WindowSet:
    """Windows of `window_beats` beats with their labels, patients, parts and scales.

    Nothing is copied: windows are taken from the beats, and scaled, when they are asked for.

    Examples
    --------
    >>> windows = WindowSet.open("windows")  # doctest: +SKIP
    >>> train = windows.part("train")  # doctest: +SKIP
    >>> train.windows().shape  # doctest: +SKIP
    (80125, 200)
    """

    window_beats: int
    rr_ms: Float32[Array, "beat"]
    raw_index: Int32[Array, "beat"]
    beat_rhythm: Int8[Array, "beat"]
    table: WindowTable
    scale_beats: ScaleBeats
    manifest: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        safe = "" if self.safe else ", UNSAFE: " + ", ".join(self.manifest["allowed"])
        return (
            f"WindowSet({len(self):,} windows of {self.window_beats} beats, "
            f"{len(self.table.patient.present())} patients{safe})"
        )

    @property
    def safe(self) -> bool:
        """Whether the set was written without allowing any leak."""
        return not self.manifest["allowed"]

    @property
    def in_ms(self) -> bool:
        """Whether windows come in ms: nobody's scale is applied."""
        unscaled = np.all(self.table.centre_ms == 0) and np.all(self.table.scale_ms == 1)
        return bool(unscaled) and not self.manifest.get("scaled", False)

    def part(self, name: str) -> "WindowSet":
        """The windows of one part alone: no row of another part is left in it."""
        if name not in self.table.split.present():
            raise WindowSetError(
                "window set",
                f"no part {name!r}, it has {', '.join(self.table.split.present())}",
                "name one of these",
            )
        found = self.table[self.table.split.is_(name)]
        alone = Names(np.zeros(len(found), dtype=np.int32), (name,))
        return replace(self, table=found.with_split(alone))

    def select(self, rows: Array) -> "WindowSet":
        """Some of the windows, by mask or by number."""
        return replace(self, table=self.table[rows])

    def windows(
        self, rows: Array | None = None, *, scaled: bool = True
    ) -> Float32[Array, "w beat"]:
        """Take windows, all or some, scaled as in Eq. 4 or in ms."""
        if self.manifest.get("scaled", False) and not scaled:
            raise WindowSetError(
                self.manifest.get("source", "window set"),
                "its beats came already scaled, their ms are not known",
                "ask for scaled windows, or prepare the recordings themselves",
            )
        chosen = self.table if rows is None else self.table[rows]
        by = (chosen.centre_ms, chosen.scale_ms) if scaled else (None, None)
        return gather(self.rr_ms, chosen.start, self.window_beats, *by)

    def count(self) -> dict[str, dict[str, int]]:
        """Windows of each rhythm in each part."""
        parts = self.table.split.present()
        return {
            part: {
                kind.name: int(
                    np.count_nonzero(self.table.rhythm[self.table.split.is_(part)] == kind)
                )
                for kind in (Rhythm.SR, Rhythm.AF)
            }
            for part in parts
        }

    @classmethod
    def open(cls, path: Path | str) -> "WindowSet":
        """Open a window set; beats are mapped, not read."""
        path = Path(path)
        try:
            manifest = json.loads((path / "manifest.json").read_text("utf-8"))
            if manifest["format"] != FORMAT:
                raise WindowSetError(
                    path, f"format {manifest['format']!r}, expected {FORMAT!r}", "prepare it again"
                )
            if missing := [key for key in NEEDED if key not in manifest]:
                raise KeyError(f"the manifest lacks {', '.join(missing)}")
            window_beats = int(manifest["window_beats"])
            arrays = {name: _map(path / f"{name}.npy", dtype) for name, dtype in ARRAYS.items()}
            if len({array.size for array in arrays.values()}) > 1:
                raise ValueError(f"{', '.join(arrays)} differ in length")
        except (OSError, EOFError, ValueError, KeyError, TypeError, TokenError) as error:
            raise WindowSetError(
                path, f"not a window set ({error})", "give a folder that pacl prepare wrote"
            ) from error
        table = WindowTable.read(path / "windows.parquet")
        found = cls(
            window_beats=window_beats,
            table=table,
            scale_beats=_read_scale(path / "scale.parquet"),
            manifest=manifest,
            **arrays,
        )
        found._check(path)
        return found

    def _check(self, path: Path) -> None:
        table, beats = self.table, self.rr_ms.size
        inside = self.window_beats > 0 and bool(
            np.all((table.start >= 0) & (table.start <= beats - self.window_beats))
        )
        limit_s = self.manifest["min_to_onset_s"]
        told = isinstance(limit_s, int | float) and 0 <= limit_s < math.inf
        told = told and isinstance(self.manifest["files"], dict)
        named = all(column.valid for column in (table.patient, table.record, table.split))
        if not inside or not named or not told or len(self) != self.manifest["windows"]:
            raise WindowSetError(
                path, "its files do not fit each other", "prepare the window set again"
            )

    def write(self, folder: Path) -> None:
        """Write all files into an existing, empty folder."""
        for name, dtype in ARRAYS.items():
            np.save(folder / f"{name}.npy", np.ascontiguousarray(getattr(self, name), dtype=dtype))
        self.write_tables(folder)

    def write_tables(self, folder: Path) -> None:
        """Write everything but the beats, which lie there already, and last the manifest."""
        self.table.write(folder / "windows.parquet")
        _write_scale(self.scale_beats, folder / "scale.parquet")
        manifest = {**self.manifest, "files": _digests(folder)}
        (folder / "manifest.json").write_text(_readable(manifest), "utf-8")


def changed_files(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Names of the files that are missing or not what the manifest says they were."""
    stated, found = dict(manifest["files"]), _digests(folder)
    return sorted(name for name in stated if found.get(name) != stated[name])


def _digests(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name != "manifest.json" and path.is_file():
            with path.open("rb") as file:
                found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _readable(manifest: Mapping[str, Any]) -> str:
    """JSON with a line for each key, and one for each entry of a list."""
    lines = []
    for key, value in manifest.items():
        if isinstance(value, list) and value:
            entries = ",\n  ".join(json.dumps(entry) for entry in value)
            lines.append(f"{json.dumps(key)}: [\n  {entries}\n ]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def _map(path: Path, dtype: type) -> Array:
    """Map a one-dimensional array."""
    found = np.load(path, mmap_mode="r")
    if not isinstance(found, np.ndarray) or found.ndim != 1 or found.dtype != dtype:
        raise ValueError(f"{path.name} is no column of {np.dtype(dtype)}")
    return found


def _write_scale(scale: ScaleBeats, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "record": pa.array(scale.record, pa.string()),
        "start": scale.start,
        "stop": scale.stop,
    }
    pq.write_table(pa.table(columns), path)


def _read_scale(path: Path) -> ScaleBeats:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        start, stop = (table.column(name).cast(pa.int64()).to_numpy() for name in ("start", "stop"))
        return ScaleBeats(tuple(map(str, table.column("record").to_pylist())), start, stop)
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise WindowSetError(
            path, f"cannot be read ({error})", "prepare the window set again"
        ) from error
