"""Windows of any signal: in memory, or in a folder that is read as it is used.

```
windows/
    manifest.json     classes, digests, split, what was dropped and why, leaks that were allowed
    windows.parquet   one row per window: subject, record, split, start, label
    x.npy             the windows: (window, channel, time)
    labels.npy        the class of each sample, if samples have labels
```
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

import pacl
from pacl.atomic_write import atomic_folder
from pacl.axes import Array, Float32, Int64
from pacl.stored import read_array
from pacl.windows.audit import WINDOW_KINDS, audit_arrays
from pacl.windows.checked_arrays import (
    check_values,
    checked_labels,
    checked_names,
    checked_starts,
    checked_windows,
    chunks,
)
from pacl.windows.errors import WindowSetError, prepare_again
from pacl.windows.findings import Finding, accepted
from pacl.windows.folder import changed_files, no_window_set, write_manifest
from pacl.windows.growing_array import GrowingArray
from pacl.windows.manifest import (
    FORMAT,
    LABELS_FILE,
    TABLE_FILE,
    X_FILE,
    files_of,
    read_manifest,
)
from pacl.windows.names import Names
from pacl.windows.split import Split
from pacl.windows.table import Mixed, WindowTable, window_labels

if TYPE_CHECKING:
    import torch
    from numpy.typing import ArrayLike

    from pacl.windows.tensors import ArrayTensors

UNDIVIDED = "all"
"""The part of windows that were not divided."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class WindowSet:
    """Windows with a subject and a class each, and their parts.

    `x` may be mapped from a file; window i is `x[at[i]]`, so that parts and selections copy
    nothing. `manifest` states how the set was made.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(12, 3, 50))
    >>> windows = WindowSet.from_arrays(
    ...     x, labels=["rest", "walk"] * 6, subjects=["ann", "bob", "cem"] * 4, sampling_hz=100
    ... )
    >>> windows
    WindowSet(12 windows of 3 channels x 50 samples, 3 subjects, classes rest, walk)
    >>> windows.count()
    {'all': {'rest': 6, 'walk': 6}}
    """

    x: Float32[Array, "stored channel time"]
    at: Int64[Array, "window"]
    table: WindowTable
    class_names: tuple[str, ...]
    manifest: Mapping[str, Any]

    @classmethod
    def from_arrays(
        cls,
        x: "ArrayLike",
        labels: "ArrayLike",
        subjects: "ArrayLike",
        *,
        class_names: Sequence[str] | None = None,
        records: "ArrayLike | None" = None,
        split: "ArrayLike | None" = None,
        start: "ArrayLike | None" = None,
        sampling_hz: float | int | None = None,
    ) -> "WindowSet":
        """Make a set of arrays; nothing is copied if `x` is of float32, in memory or mapped.

        Parameters
        ----------
        x
            Windows of shape (window, channel, time), or (window, time) for one channel.
        labels
            The class of each window, or of each sample (window, time): texts, or whole numbers.
        subjects
            Whose window each is: texts or whole numbers.
        class_names
            Names of the classes in order; labels that are numbers count them from 0. By default
            the labels themselves, sorted.
        records
            The recording of each window; by default each subject has one.
        split
            The part of each window, such as train, validation, test; see also `split_windows`.
        start
            First sample of each window in its recording. By default windows do not overlap.
        sampling_hz
            Samples in a second, for information.
        """
        found = checked_windows(x)
        windows, channels, length = found.shape
        subject = checked_names(subjects, "subjects", windows)
        record = subject if records is None else checked_names(records, "records", windows)
        check_values(found, subject)
        label, names = checked_labels(labels, class_names, windows, length)
        parts = [UNDIVIDED] * windows if split is None else split
        if sampling_hz is not None and not 1e-9 <= sampling_hz <= 1e12:
            raise WindowSetError(
                "windows", f"sampling_hz is {sampling_hz}", "give the samples in a second"
            )
        table = WindowTable(
            subject=subject,
            record=record,
            split=checked_names(parts, "split", windows),
            label=label,
            start=checked_starts(start, record, length),
        )
        manifest = {
            "format": FORMAT,
            "pacl": pacl.__version__,
            "source": "arrays",
            "channels": channels,
            "length": length,
            "sampling_hz": None if sampling_hz is None else float(sampling_hz),
            "class_names": list(names),
            "starts_known": start is not None,
            "allowed": [],
        }
        return cls(found, np.arange(windows), table, names, manifest)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        safe = "" if self.safe else ", UNSAFE: " + ", ".join(self.manifest["allowed"])
        return (
            f"WindowSet({len(self):,} windows of {self.channels} channels x {self.length} samples, "
            f"{len(self.table.subject.present())} subjects, "
            f"classes {', '.join(self.class_names)}{safe})"
        )

    @property
    def length(self) -> int:
        """Samples in a window."""
        return int(self.x.shape[2])

    @property
    def channels(self) -> int:
        """Channels of a window."""
        return int(self.x.shape[1])

    @property
    def sampling_hz(self) -> float | None:
        """Samples in a second, if known."""
        return self.manifest.get("sampling_hz")

    @property
    def safe(self) -> bool:
        """Whether the set was written without allowing any leak."""
        return not self.manifest["allowed"]

    def part(self, name: str) -> "WindowSet":
        """The windows of one part alone: no row of another part is left in it."""
        if name not in self.table.split.present():
            raise WindowSetError(
                "window set",
                f"no part {name!r}, it has {', '.join(self.table.split.present())}",
                "name one of these",
            )
        found = self.select(self.table.split.is_(name))
        alone = Names(np.zeros(len(found), dtype=np.int32), (name,))
        return replace(found, table=replace(found.table, split=alone))

    def select(self, rows: Array) -> "WindowSet":
        """Some of the windows, by mask or by number."""
        return replace(self, at=self.at[rows], table=self.table[rows])

    def divided(self, split: Split) -> "WindowSet":
        """The windows of those in a split, with their parts."""
        parts, kept = split.parts_of(self.table.subject, self.table.record)
        found = self.select(kept)
        manifest = {**self.manifest, "split": split.about()}
        return replace(found, table=replace(found.table, split=parts), manifest=manifest)

    def count(self) -> dict[str, dict[str, int]]:
        """Windows of each class in each part; a window with two classes counts for both."""
        return self.table.count(self.class_names)

    def take(self, rows: Array | None = None) -> Float32[Array, "window channel time"]:
        """Windows, all or some."""
        found: Array = np.asarray(self.x[self.at if rows is None else self.at[rows]])
        return found

    def tensors(self, device: "torch.device | str" = "cpu") -> "ArrayTensors":
        """Copy the windows to a device."""
        import torch

        from pacl.windows.tensors import ArrayTensors

        return ArrayTensors(torch.from_numpy(self.take()).to(device))

    def with_window_labels(self, mixed: Mixed = "drop") -> "WindowSet":
        """One label for each window instead of one for each sample.

        A window with several classes is dropped, or gets the class of most of its samples.
        """
        if not self.table.per_sample:
            return self
        label, kept = window_labels(self.table.label, mixed)
        found = self.select(kept)
        return replace(found, table=replace(found.table, label=label))

    @classmethod
    def open(cls, path: Path | str, *, verify: bool = True) -> "WindowSet":
        """Open a window set; the windows are mapped, not read.

        With `verify`, a set whose files are not those that were written is refused: nothing is
        trained on, nor evaluated on, changed windows.
        """
        path = Path(path)
        manifest = read_manifest(path)
        if verify and (changed := changed_files(path, manifest, files_of(manifest))):
            raise prepare_again(path, f"{', '.join(changed)} changed since the set was written")
        rows, names = manifest["windows"], tuple(manifest["class_names"])
        shape = (rows, manifest["channels"], manifest["length"])
        x = read_array(path / X_FILE, np.float32, shape, no_window_set, mapped=True)
        labels = None
        if manifest["labels"] == "sample":
            each = (rows, manifest["length"])
            labels = read_array(path / LABELS_FILE, np.int32, each, no_window_set, mapped=True)
        table = WindowTable.read(path / TABLE_FILE, rows=rows, sample_labels=labels)
        if not table.valid(len(names)):
            raise prepare_again(path, "its files do not fit each other")
        return cls(x, np.arange(rows), table, names, manifest)

    def write(self, target: Path | str, *, allow: Sequence[str] = ()) -> tuple[Finding, ...]:
        """Audit the set and write it as a new folder, complete or not at all.

        A set that would leak is refused, unless the kind of leak is allowed by name: then the set
        is marked as unsafe. Gives what the audit found.
        """
        with atomic_folder(Path(target)) as folder:
            shape = (self.channels, self.length)
            with closing(GrowingArray(folder / X_FILE, np.float32, shape)) as file:
                for rows in chunks(len(self), self.x[:1].nbytes):
                    file.append(self.x[self.at[rows]])
            return write_audited(self, folder, allow)


def write_audited(
    windows: WindowSet, folder: Path, allow: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """Audit a set, refuse it or mark what was allowed, and write all but the windows.

    Labels of samples that are there already are kept, as the windows are.
    """
    table, findings = windows.table, audit_arrays(windows, windows.manifest)
    manifest = {
        **windows.manifest,
        "windows": len(windows),
        "labels": "sample" if table.per_sample else "window",
        "counts": windows.count(),
        **accepted(findings, allow, WINDOW_KINDS, folder.name),
    }
    table.write(folder / TABLE_FILE)
    if table.per_sample and not (folder / LABELS_FILE).exists():
        np.save(folder / LABELS_FILE, np.ascontiguousarray(table.label, dtype=np.int32))
    write_manifest(folder, manifest)
    return findings
