"""A set of windows on disk: beats once, one row per window, and a manifest of how it was made.

```
windows/
    manifest.json     config, digests, split, what was dropped and why, leaks that were allowed
    windows.parquet   one row per window: patient, record, rhythm, split, start, centre_ms, ...
    rr_ms.npy         the kept beats in ms, each once
    raw_index.npy     where each was in its record
    beat_rhythm.npy   its annotated rhythm
    scale.parquet     ranges of beats that scales were fitted on
```
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

import numpy as np

from pacl.axes import Array, Float32, Int8, Int32, Int64
from pacl.records import Rhythm
from pacl.rr.scale import gather
from pacl.rr.table import RRWindowTable
from pacl.stored import Between, read_array, read_json, read_table
from pacl.windows import (
    Names,
    Split,
    WindowSetError,
    changed_files,
    no_window_set,
    prepare_again,
    write_manifest,
)

if TYPE_CHECKING:
    import torch

    from pacl.rr.tensors import RRWindowTensors

FORMAT = "pacl windows 1"
CLASS_NAMES = (Rhythm.SR.name, Rhythm.AF.name)
ARRAYS = {"rr_ms": np.float32, "raw_index": np.int32, "beat_rhythm": np.int8}
FILES = (*(f"{name}.npy" for name in ARRAYS), "windows.parquet", "scale.parquet")


class RecordOfManifest(TypedDict):
    """What a manifest states about one recording."""

    record: str
    digest: NotRequired[str]


class Manifest(TypedDict):
    """The part of a manifest that is used."""

    window_beats: Annotated[int, Between(1, 10**9)]
    windows: Annotated[int, Between(0, 10**9)]
    min_to_onset_s: Annotated[float, Between(0, 1e9)]
    allowed: list[str]
    files: dict[str, str]
    digest: NotRequired[str]
    source: NotRequired[str]
    scaled: NotRequired[bool]
    patients_known: NotRequired[bool]
    records: NotRequired[list[RecordOfManifest]]
    protocol: NotRequired[dict[str, Any]]
    split: NotRequired[dict[str, Any]]
    cut: NotRequired[dict[str, Any]]
    cohort: NotRequired[dict[str, Any]]


@dataclass(frozen=True, eq=False, slots=True)
class ScaleBeats:
    """Ranges of beats, in the record, that scales were fitted on."""

    record: tuple[str, ...]
    start: Int64[Array, "range"]
    stop: Int64[Array, "range"]


@dataclass(frozen=True, eq=False, slots=True)
class RRWindowSet:
    """Windows of `window_beats` beats with their labels, patients, parts and scales.

    Nothing is copied: windows are taken from the beats, and scaled, when they are used.

    Examples
    --------
    >>> windows = RRWindowSet.open("windows")
    >>> train = windows.part("train")
    >>> train.windows().shape
    (216, 40)
    """

    window_beats: int
    rr_ms: Float32[Array, "beat"]
    raw_index: Int32[Array, "beat"]
    beat_rhythm: Int8[Array, "beat"]
    table: RRWindowTable
    scale_beats: ScaleBeats
    manifest: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        safe = "" if self.safe else ", UNSAFE: " + ", ".join(self.manifest["allowed"])
        return (
            f"RRWindowSet({len(self):,} windows of {self.window_beats} beats, "
            f"{len(self.table.patient.present())} patients{safe})"
        )

    @property
    def length(self) -> int:
        """Beats in a window."""
        return self.window_beats

    @property
    def channels(self) -> int:
        """One: the RR interval."""
        return 1

    @property
    def class_names(self) -> tuple[str, ...]:
        """SR and AF."""
        return CLASS_NAMES

    @property
    def safe(self) -> bool:
        """Whether the set was written without allowing any leak."""
        return not self.manifest["allowed"]

    @property
    def in_ms(self) -> bool:
        """Whether windows are in ms, without any scaling."""
        unscaled = np.all(self.table.centre_ms == 0) and np.all(self.table.scale_ms == 1)
        return bool(unscaled) and not self.manifest.get("scaled", False)

    def part(self, name: str) -> "RRWindowSet":
        """The windows of one part alone: no row of another part is left in it."""
        if name not in self.table.split.present():
            raise WindowSetError(
                "window set",
                f"no part {name!r}, it has {', '.join(self.table.split.present())}",
                "name one of these",
            )
        found = self.table[self.table.split.is_(name)]
        alone = Names(np.zeros(len(found), dtype=np.int32), (name,))
        return replace(self, table=replace(found, split=alone))

    def select(self, rows: Array) -> "RRWindowSet":
        """Some of the windows, by mask or by number."""
        return replace(self, table=self.table[rows])

    def divided(self, split: Split) -> "RRWindowSet":
        """The windows of those in a split, with their parts."""
        parts, kept = split.parts_of(self.table.patient, self.table.record)
        manifest = {**self.manifest, "split": split.about()}
        return replace(self, table=replace(self.table[kept], split=parts), manifest=manifest)

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

    def take(self, rows: Array | None = None) -> Float32[Array, "window 1 time"]:
        """Windows, all or some, scaled as in Eq. 4, with an axis for the channel."""
        return self.windows(rows)[:, None]

    def tensors(self, device: "torch.device | str" = "cpu") -> "RRWindowTensors":
        """Copy the windows to a device."""
        from pacl.rr.tensors import RRWindowTensors

        return RRWindowTensors.of(self, device)

    def count(self) -> dict[str, dict[str, int]]:
        """Windows of each rhythm in each part."""
        found = {}
        for part in self.table.split.present():
            rhythm = self.table.rhythm[self.table.split.is_(part)]
            found[part] = {k.name: int((rhythm == k).sum()) for k in (Rhythm.SR, Rhythm.AF)}
        return found

    @classmethod
    def open(cls, path: Path | str, *, verify: bool = True) -> "RRWindowSet":
        """Open a window set; beats are mapped, not read.

        With `verify`, a set whose files are not those that were written is refused: nothing is
        trained on, nor evaluated on, changed windows.
        """
        path = Path(path)
        manifest: Mapping[str, Any] = read_json(
            path / "manifest.json", Manifest, no_window_set, written_as=FORMAT
        )
        if verify and (changed := changed_files(path, manifest, FILES)):
            raise prepare_again(path, f"{', '.join(changed)} changed since the set was written")
        table = RRWindowTable.read(path / "windows.parquet", rows=manifest["windows"])
        scale, beats = _read_scale(path / "scale.parquet"), map_beats(path)
        last = beats[0].size - manifest["window_beats"]
        if not (np.all((table.start >= 0) & (table.start <= last)) and table.valid):
            raise prepare_again(path, "its files do not fit each other")
        return cls(manifest["window_beats"], *beats, table, scale, manifest)

    def write(self, folder: Path) -> None:
        """Write all files into an existing, empty folder."""
        for name, dtype in ARRAYS.items():
            np.save(folder / f"{name}.npy", np.ascontiguousarray(getattr(self, name), dtype=dtype))
        self.write_tables(folder)

    def write_tables(self, folder: Path) -> None:
        """Write all but the beats, which are there already; the manifest last."""
        self.table.write(folder / "windows.parquet")
        _write_scale(self.scale_beats, folder / "scale.parquet")
        write_manifest(folder, self.manifest)


def map_beats(folder: Path) -> tuple[Array, Array, Array]:
    """The `ARRAYS` in a folder, mapped; all have the same length."""

    def mapped(name: str, beats: int | None) -> Array:
        path = folder / f"{name}.npy"
        return read_array(path, ARRAYS[name], (beats,), no_window_set, mapped=True)

    rr_ms = mapped("rr_ms", None)
    return rr_ms, mapped("raw_index", rr_ms.size), mapped("beat_rhythm", rr_ms.size)


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
    columns = {"record": str, "start": np.int64, "stop": np.int64}
    table = read_table(path, columns, prepare_again)
    start, stop = (table[name].to_numpy() for name in ("start", "stop"))
    return ScaleBeats(tuple(table["record"].to_pylist()), start, stop)
