"""Which arrays of a file are the signal, the labels, the subject, the recording and the time."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pacl.axes import Array
from pacl.windows.errors import WindowSetError

SIGNALS = ("signal", "signals", "x", "data", "emg", "ecg", "eeg", "ppg", "acc", "imu")
LABELS = ("labels", "label", "y", "class", "classes", "target", "targets")
SUBJECTS = ("subject", "subjects", "subject_id", "participant", "person")
RECORDS = ("record", "recording", "take", "session", "trial", "run")
TIMES = ("time_s", "time", "times", "t", "timestamp")


@dataclass(frozen=True, slots=True)
class ArrayKeys:
    """The names of arrays in a file; what is None is recognised, '' is none.

    Parameters
    ----------
    signal
        Samples of all channels, (time, channel) or (channel, time).
    channels
        Arrays of one dimension that are the channels, instead of `signal`.
    labels
        The class of each sample.
    subject
        Whose sample it is, for each sample or once; '' takes the name of the file.
    record
        A new recording begins where it changes.
    time
        When each sample was taken, in any unit; a step that is longer than usual is a gap.
    """

    signal: str | None = None
    channels: tuple[str, ...] = ()
    labels: str | None = None
    subject: str | None = None
    record: str | None = None
    time: str | None = None

    def found_in(self, arrays: Mapping[str, Array], path: Path) -> "ArrayKeys":
        """The keys of a file, each given or recognised."""
        named = [self.signal, *self.channels, self.labels, self.subject, self.record, self.time]
        if missing := [key for key in named if key and key not in arrays]:
            raise _no_array(path, f"no array {', '.join(missing)}", arrays)
        if self.signal and self.channels:
            raise _no_array(path, "both a signal and channels are named", arrays)
        found = replace(
            self,
            subject=_named(self.subject, SUBJECTS, arrays),
            record=_named(self.record, RECORDS, arrays),
            time=_named(self.time, TIMES, arrays),
        )
        return found._with_labels(arrays, path)._with_signal(arrays, path)

    def _with_labels(self, arrays: Mapping[str, Array], path: Path) -> "ArrayKeys":
        """By name, or the only array left that could be labels."""
        if self.labels:
            return self
        if usual := _named(None, LABELS, arrays):
            return replace(self, labels=usual)
        left = _left(arrays, {self.subject, self.record, self.time, self.signal, *self.channels})
        fitting = [key for key in left if arrays[key].ndim == 1 and _is_label(arrays[key])]
        if len(fitting) != 1:
            what = f"{len(fitting)} arrays could be the labels"
            raise _no_array(path, f"{what}, name one with labels (--arrays.labels)", arrays)
        return replace(self, labels=fitting[0])

    def _with_signal(self, arrays: Mapping[str, Array], path: Path) -> "ArrayKeys":
        """By name, or the only array of two dimensions, or all of one that have fractions."""
        if self.signal or self.channels:
            return self
        left = _left(arrays, {self.subject, self.record, self.time, self.labels})
        wide = [key for key in left if arrays[key].ndim == 2 and arrays[key].dtype.kind in "iuf"]
        usual = [key for key in wide if key.lower() in SIGNALS]
        if len(usual or wide) == 1:
            return replace(self, signal=(usual or wide)[0])
        single = [key for key in left if arrays[key].ndim == 1 and arrays[key].dtype.kind == "f"]
        if wide or not single:
            what = f"{len(wide)} arrays could be the signal, name it with signal (--arrays.signal)"
            raise _no_array(
                path, f"{what}, or its channels with channels (--arrays.channels)", arrays
            )
        return replace(self, channels=tuple(single))


def _named(given: str | None, usual: Sequence[str], arrays: Mapping[str, Array]) -> str:
    """The key that was given, or the first of the usual names that is there, or ''."""
    if given is not None:
        return given
    by_name = {key.lower(): key for key in arrays}
    return next((by_name[name] for name in usual if name in by_name), "")


def _left(arrays: Mapping[str, Array], taken: Collection[str | None]) -> list[str]:
    return [key for key in arrays if key not in taken]


def _is_label(values: Array) -> bool:
    """Whether values could be classes: texts, or whole numbers."""
    return values.dtype.kind in "iubU" and not np.issubdtype(values.dtype, np.datetime64)


def _no_array(path: Path, what: str, arrays: Mapping[str, Array]) -> WindowSetError:
    listed = ", ".join(f"{key} {one.dtype}{list(one.shape)}" for key, one in arrays.items())
    return WindowSetError(path, what, f"it has {listed or 'no array'}")
