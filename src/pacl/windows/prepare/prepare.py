"""From continuous signals with a label per sample to a window set that is safe to learn from."""

import hashlib
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import pacl
from pacl.atomic_write import atomic_folder
from pacl.axes import Array, Float32
from pacl.stored import read_array
from pacl.windows.divide import Prepared, strata
from pacl.windows.errors import WindowSetError
from pacl.windows.folder import no_window_set
from pacl.windows.growing_array import GrowingArray
from pacl.windows.manifest import FORMAT, LABELS_FILE, X_FILE
from pacl.windows.names import Names
from pacl.windows.prepare.cut import ArrayCut, Cuts, cut_stretch
from pacl.windows.prepare.keys import ArrayKeys
from pacl.windows.prepare.recordings import ArrayFile, Stretch, array_files
from pacl.windows.prepare.scale import ArrayScale, Reference
from pacl.windows.prepare.survey import Survey, fitted_on, survey_files
from pacl.windows.split import Split, split_units
from pacl.windows.table import WindowTable
from pacl.windows.window_set import UNDIVIDED, WindowSet, write_audited

Divide = Callable[[Mapping[str, str], Mapping[str, str]], Split]
"""Makes a split, given the stratum of each subject and the subject of each record."""


def prepare_arrays(
    source: Path | str,
    target: Path | str,
    *,
    keys: ArrayKeys | None = None,
    cut: ArrayCut | None = None,
    scale: ArrayScale | None = None,
    divide: Divide | None = None,
    allow: Sequence[str] = (),
    track: Callable[[int, int], None] | None = None,
) -> Prepared:
    """Cut recordings in `.npz` files into windows, divide them by subject, audit, and write them.

    Windows never cross a recording, a gap in time or a sample that is no number. The files are read
    twice: memory holds one file at once.

    Parameters
    ----------
    source
        A file, or a folder of files: one recording each, or several, see `keys`.
    keys
        Which arrays are what; recognised where not named.
    divide
        Makes the split; at random in the paper's proportion if not given.
    allow
        Kinds of leaks and faults to allow, by name; the manifest lists them.
    track
        Called with the files done and their total, which counts each file twice.
    """
    source, target = Path(source), Path(target)
    keys, cut, scale = keys or ArrayKeys(), cut or ArrayCut(), scale or ArrayScale()
    files = array_files(source)
    with atomic_folder(target) as folder, tempfile.TemporaryDirectory() as kept:
        report = track or (lambda done, total: None)
        found = survey_files(files, Path(kept), keys, cut, scale, report)
        collected = _Collector(folder, found, cut, scale)
        with collected:
            for done, (name, path) in enumerate(files.items(), start=len(files) + 1):
                collected.add(ArrayFile.read(path, name, keys))
                report(done, 2 * len(files))
        table = collected.table()
        if not len(table):
            why = {**collected.dropped, "subjects left out": len(collected.left_out)}
            reasons = ", ".join(f"{count:,} x {name}" for name, count in why.items() if count)
            raise WindowSetError(
                source,
                f"no window of {collected.length} samples in {len(files)} file(s) ({reasons})",
                "choose shorter windows, other classes, another reference, or mixed windows",
            )
        groups = strata(table, found.class_names)
        split = (divide or _at_random)(groups, collected.subject_of())
        shape = (len(table), found.channels, collected.length)
        x = read_array(folder / X_FILE, np.float32, shape, no_window_set, mapped=True)
        manifest = collected.manifest(source, scale)
        rows = np.arange(len(table))
        windows = WindowSet(x, rows, table, found.class_names, manifest).divided(split)
        if left_out := len(table) - len(windows):
            raise WindowSetError(
                source,
                f"{left_out:,} windows are of {split.unit}s that the split lacks ({split.origin})",
                f"give a split of all {split.unit}s",
            )
        (folder / "split.json").write_text(split.to_json(), "utf-8")
        return Prepared.of(target, windows.table, write_audited(windows, folder, allow))


class _Collector:
    """Takes the windows of files in order; signals go to a file, rows stay in memory."""

    def __init__(self, folder: Path, found: Survey, cut: ArrayCut, scale: ArrayScale) -> None:
        self.length, self.stride = cut.in_samples(found.sampling_hz)
        self.dropped: Counter[str] = Counter()
        self.left_out: dict[str, str] = {}
        self._folder, self._found, self._cut, self._scale = folder, found, cut, scale
        self._reference = Reference(scale)
        self._open = ExitStack()
        self._columns: dict[str, list[Any]] = defaultdict(list)
        self._records: dict[str, dict[str, Any]] = {}
        self._hashed: dict[str, Any] = {}

    def __enter__(self) -> None:
        row = (self._found.channels, self.length)
        x = GrowingArray(self._folder / X_FILE, np.float32, row)
        self._x = self._open.enter_context(closing(x))
        if self._cut.mixed == "per-sample":
            labels = GrowingArray(self._folder / LABELS_FILE, np.int32, (self.length,))
            self._labels = self._open.enter_context(closing(labels))

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def add(self, file: ArrayFile) -> None:
        """Take the windows of a file."""
        if bad := int(np.count_nonzero(~file.good)):
            self.dropped["samples that are no numbers"] += bad
        classes = self._found.classes(file)
        for stretch in file.stretches():
            usable = ~fitted_on(file, stretch, self._cut, self._reference)
            scaled = self._scaled(stretch)
            if scaled is None:
                continue
            if len(scaled) < self.length:
                self.dropped["stretches shorter than a window"] += 1
            own = {"record": stretch.record, "subject": stretch.subject, "windows": 0}
            record = self._records.setdefault(stretch.record, own)
            hashed = self._hashed.setdefault(stretch.record, hashlib.sha256())
            hashed.update(np.ascontiguousarray(stretch.signal).data)
            hashed.update(np.ascontiguousarray(classes[stretch.labels]).data)
            for cuts in cut_stretch(
                classes[stretch.labels],
                usable,
                length=self.length,
                stride=self.stride,
                mixed=self._cut.mixed,
            ):
                record["windows"] += len(cuts.start)
                self._add_rows(stretch, scaled, cuts)

    def _scaled(self, stretch: Stretch) -> Float32[Array, "time channel"] | None:
        """The signal as it is learned from; None if it is left out."""
        if self._scale.by == "none":
            return stretch.signal.astype(np.float32)
        whose = self._scale.whose(stretch)
        scale = self._found.scales[whose]
        if isinstance(scale, str):
            self.left_out[whose] = scale
            return None
        return scale.apply(stretch.signal)

    def _add_rows(
        self, stretch: Stretch, signal: Float32[Array, "time channel"], cuts: Cuts
    ) -> None:
        self.dropped.update(cuts.dropped)
        view = np.lib.stride_tricks.sliding_window_view(signal, self.length, axis=0)
        size = max(1, 2**22 // (self._found.channels * self.length))
        for low in range(0, len(cuts.start), size):
            self._x.append(view[cuts.start[low : low + size]])
        self._columns["start"].append(cuts.start + stretch.start)
        if self._cut.mixed == "per-sample":
            self._labels.append(cuts.label)
        else:
            self._columns["label"].append(cuts.label)
        self._columns["subject"].append((stretch.subject, len(cuts.start)))
        self._columns["record"].append((stretch.record, len(cuts.start)))

    def table(self) -> WindowTable:
        """All rows, not divided yet."""
        start = np.concatenate([np.empty(0, np.int64), *self._columns["start"]])
        label: Array = np.concatenate([np.empty(0, np.int32), *self._columns["label"]])
        if self._cut.mixed == "per-sample":
            path, shape = self._folder / LABELS_FILE, (start.size, self.length)
            label = read_array(path, np.int32, shape, no_window_set, mapped=True)
        return WindowTable(
            subject=_names(self._columns["subject"]),
            record=_names(self._columns["record"]),
            split=Names(np.zeros(start.size, np.int32), (UNDIVIDED,)),
            label=label,
            start=start,
        )

    def subject_of(self) -> dict[str, str]:
        """The subject of each recording with windows."""
        return {name: one["subject"] for name, one in self._records.items() if one["windows"]}

    def manifest(self, source: Path, scale: ArrayScale) -> dict[str, Any]:
        """How the windows were made."""
        found = self._found
        return {
            "format": FORMAT,
            "pacl": pacl.__version__,
            "source": str(source.resolve()),
            "read_as": asdict(found.keys),
            "channels": found.channels,
            "length": self.length,
            "sampling_hz": found.sampling_hz,
            "class_names": list(found.class_names),
            "starts_known": True,
            "cut": {**asdict(self._cut), "length": self.length, "stride": self.stride},
            "scale": asdict(scale),
            "dropped": dict(self.dropped),
            "left_out": [{"name": name, "why": why} for name, why in self.left_out.items()],
            "records": [
                {**entry, "digest": self._hashed[name].hexdigest()}
                for name, entry in self._records.items()
            ],
            "allowed": [],
        }


def _names(stretches: list[tuple[str, int]]) -> Names:
    """The name of each window, from that of each stretch and its number of windows."""
    each = Names.of(np.array([name for name, _ in stretches], dtype=np.str_))
    return each[
        np.repeat(np.arange(len(stretches)), np.array([n for _, n in stretches], dtype=np.int64))
    ]


def _at_random(groups: Mapping[str, str], subject_of: Mapping[str, str]) -> Split:
    return split_units(groups, seed=1)
