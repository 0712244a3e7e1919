"""Recordings in `.npz` files: stretches of samples without a gap, each of one subject."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pacl.axes import Array, Bool, Float64, Int32, Real
from pacl.stored import read_archive
from pacl.windows.errors import WindowSetError
from pacl.windows.names import Names
from pacl.windows.prepare.keys import ArrayKeys

GAP = 1.5
"""A step of time that is longer than this many usual ones is a gap."""
MOST_BYTES = 8 * 2**30
"""Bytes of the arrays of a file, which are in memory at once."""


@dataclass(frozen=True, eq=False, slots=True)
class Stretch:
    """Samples in a row of one subject and one recording, with a label each.

    `start` is the first sample, counted in the file.
    """

    subject: str
    record: str
    start: int
    signal: Real[Array, "time channel"]
    labels: Int32[Array, "time"]


@dataclass(frozen=True, eq=False, slots=True)
class ArrayFile:
    """A file of recordings: its samples, with subject, recording and label of each."""

    path: Path
    keys: ArrayKeys
    signal: Real[Array, "time channel"]
    labels: Names
    subjects: Names
    records: Names
    good: Bool[Array, "time"]
    """Samples that are numbers."""
    joined: Bool[Array, "time"]
    """Whether a sample follows the one before it, without a gap."""
    step_s: float | None

    @classmethod
    def read(cls, path: Path, name: str, keys: ArrayKeys) -> "ArrayFile":
        """Read a file; `name` is what its recordings are called."""
        arrays = read_archive(path, _unreadable, limit=MOST_BYTES, only_plain=True)
        found = keys.found_in(arrays, path)
        labels = _whole(arrays[found.labels or ""])
        signal = _signal(arrays, found, labels.size, path)
        samples = len(signal)
        if not samples:
            raise WindowSetError(path, "it has no sample", "leave the file out")
        if labels.shape != (samples,):
            raise _misfit(path, found.labels or "", labels, samples)
        subjects = Names(np.zeros(samples, np.int32), (name,))
        if found.subject:
            subjects = _names(arrays, found.subject, samples, path)
        number = _names(arrays, found.record, samples, path) if found.record else None
        time = _each(arrays, found.time, samples, path) if found.time else None
        records = _records(name, subjects, number)
        joined = np.append(False, np.diff(records.codes) == 0)
        step = None
        if time is not None:
            joined, step = _without_gaps(time.astype(np.float64), joined, path, found.time or "")
        return cls(
            path=path,
            keys=found,
            signal=signal,
            labels=_names(arrays, found.labels or "", samples, path),
            subjects=subjects,
            records=records,
            good=np.asarray(np.isfinite(signal).all(axis=1)),
            joined=joined,
            step_s=step if (found.time or "").lower().endswith("_s") else None,
        )

    def stretches(self) -> Iterator[Stretch]:
        """The stretches of good samples in a row."""
        joined = self.joined & self.good
        joined[1:] &= self.good[:-1]
        begins = np.flatnonzero(~joined)
        for start, stop in zip(begins, [*begins[1:], len(self.signal)], strict=True):
            if self.good[start]:
                yield Stretch(
                    subject=self.subjects.names[self.subjects.codes[start]],
                    record=self.records.names[self.records.codes[start]],
                    start=int(start),
                    signal=self.signal[start:stop],
                    labels=self.labels.codes[start:stop],
                )


def array_files(source: Path) -> dict[str, Path]:
    """The `.npz` files at a path, by the names of their recordings."""
    if source.is_file():
        return {source.stem: source}
    if not source.exists():
        raise WindowSetError(source, "no such file or folder", "check the path")
    found = {
        path.relative_to(source).with_suffix("").as_posix(): path
        for path in sorted(source.rglob("*.npz"))
        if path.is_file() and not path.name.startswith(".")
    }
    if not found:
        raise WindowSetError(
            source, "no .npz file in it", "save arrays with numpy.savez, one file per recording"
        )
    return found


def _signal(
    arrays: dict[str, Array], keys: ArrayKeys, samples: int, path: Path
) -> Real[Array, "time channel"]:
    for key in keys.channels or (keys.signal or "",):
        if arrays[key].dtype.kind not in "iuf" or arrays[key].ndim != (1 if keys.channels else 2):
            raise _misfit(path, key, arrays[key], samples)
    if keys.channels:
        for key in keys.channels:
            if len(arrays[key]) != samples:
                raise _misfit(path, key, arrays[key], samples)
        return np.stack([arrays[key] for key in keys.channels], axis=1)
    signal = arrays[keys.signal or ""]
    if samples not in signal.shape:
        raise _misfit(path, keys.signal or "", signal, samples)
    return signal if len(signal) == samples else signal.T


def _records(name: str, subjects: Names, number: Names | None) -> Names:
    """The recording of each sample: the file, the subject if it has several, and its number."""
    stems = [name if one == name else f"{name}-{one}" for one in subjects.names]
    if len(subjects.names) == 1:
        stems = [name]
    if number is None:
        return Names(subjects.codes, tuple(stems))
    both = subjects.codes.astype(np.int64) * len(number.names) + number.codes
    known, codes = np.unique(both, return_inverse=True)
    pairs = [divmod(int(one), len(number.names)) for one in known]
    names = tuple(f"{stems[subject]}-{number.names[at]}" for subject, at in pairs)
    return Names(codes.reshape(-1).astype(np.int32), names)


def _without_gaps(
    time: Float64[Array, "time"], joined: Bool[Array, "time"], path: Path, key: str
) -> tuple[Bool[Array, "time"], float | None]:
    """Which samples follow the one before, and the usual step of time."""
    steps = np.append(0.0, np.diff(time))
    within = steps[joined]
    if not within.size:
        return joined, None
    usual = float(np.median(within))
    if not usual > 0 or not np.isfinite(time).all():
        raise WindowSetError(
            path,
            f"{key} does not rise in most steps",
            "name another array of times, or '' for none",
        )
    return joined & (steps > 0) & (steps <= GAP * usual), usual


def _each(arrays: dict[str, Array], key: str, samples: int, path: Path) -> Array:
    """A value for each sample; a single one is that of all."""
    values = _whole(arrays[key])
    if values.size == 1:
        return np.repeat(values.reshape(-1), samples)
    if values.shape != (samples,):
        raise _misfit(path, key, values, samples)
    return values


def _names(arrays: dict[str, Array], key: str, samples: int, path: Path) -> Names:
    """A name for each sample."""
    values = _each(arrays, key, samples, path)
    try:
        return Names.of(values)
    except TypeError as error:
        raise WindowSetError(path, f"{key} is {error}", "name another array") from error


def _whole(values: Array) -> Array:
    """Whole numbers that are stored as fractions, as whole numbers."""
    if values.dtype.kind == "f" and np.isfinite(values).all() and np.all(values == values.round()):
        return values.astype(np.int64)
    return values


def _misfit(path: Path, key: str, values: Array, samples: int) -> WindowSetError:
    return WindowSetError(
        path,
        f"{key} is {values.dtype} of shape {values.shape}, there are {samples:,} labels",
        "all arrays of a file must have one value for each sample",
    )


def _unreadable(path: Path, what: str) -> WindowSetError:
    return WindowSetError(path, what, "save arrays with numpy.savez, without objects")
