"""Windows cut from stretches of samples with a label each."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from pacl.axes import Array, Bool, Int32, Int64
from pacl.settings import Count, Seconds
from pacl.stored import Between
from pacl.windows.errors import WindowSetError
from pacl.windows.table import window_labels

LENGTH = 200
"""Samples in a window where nothing was chosen."""

AT_ONCE = 2**22
"""Labels of samples that are looked at at once."""

MixedWindow = Literal["drop", "majority", "per-sample"]


@dataclass(frozen=True)
class ArrayCut:
    """How windows are cut.

    Windows with samples of a class that is not used are dropped, or, by majority, windows that are
    mostly of one.
    """

    length: Count | None = None
    """Samples in a window. [default: 200]"""
    length_s: Seconds | None = None
    """Seconds in a window, instead of length."""
    stride: Count | None = None
    """Samples between the starts of two windows. [default: half a window]"""
    stride_s: Seconds | None = None
    """Seconds between the starts of two windows, instead of stride."""
    mixed: MixedWindow = "drop"
    """What a window with several classes becomes: dropped, of the class of most samples, or all
    windows keep a label for each sample."""
    classes: tuple[str, ...] = ()
    """Classes to use, in order, each as value or value=name. [default: all]"""
    sampling_hz: Annotated[float, Between(0, 1e9, without_low=True)] | None = None
    """Samples in a second, for lengths in seconds. [default: by the times, if in seconds]"""

    def __post_init__(self) -> None:
        for name in ("length", "stride"):
            each = (getattr(self, name), getattr(self, f"{name}_s"))
            if None not in each:
                raise WindowSetError(
                    "windows", f"both {name} and {name}_s are given", "give one of them"
                )
            if any(value is not None and not value > 0 for value in each):
                raise WindowSetError(
                    "windows", f"a {name} of {each[0] or each[1]}", "give one above 0"
                )

    def in_samples(self, sampling_hz: float | None) -> tuple[int, int]:
        """Samples in a window, and between the starts of two."""
        length = self.length or _samples(self.length_s, sampling_hz, "length_s") or LENGTH
        stride = self.stride or _samples(self.stride_s, sampling_hz, "stride_s")
        return length, stride or max(1, length // 2)

    def class_of(self, values: Collection[str]) -> dict[str, str]:
        """The name of the class of each value of the labels that is used, in order."""
        if not self.classes:
            return {value: value for value in sorted(values, key=_by_number)}
        named = [one.partition("=") for one in self.classes]
        found = {value: name or value for value, _, name in named}
        if unknown := [value for value in found if value not in values]:
            raise WindowSetError(
                "windows",
                f"no sample is of class {', '.join(unknown)}",
                f"the labels are {', '.join(sorted(values, key=_by_number))}",
            )
        return found


@dataclass(frozen=True, eq=False, slots=True)
class Cuts:
    """Windows of a stretch: where each begins, its label or labels, and what was dropped."""

    start: Int64[Array, "window"]
    label: Int32[Array, "window"] | Int32[Array, "window time"]
    dropped: Counter[str]


def cut_stretch(
    classes: Int32[Array, "time"],
    usable: Bool[Array, "time"],
    *,
    length: int,
    stride: int,
    mixed: MixedWindow,
) -> Iterator[Cuts]:
    """Windows of one stretch, some at once.

    `classes` is the class of each sample, below 0 for one that is not used; windows have `usable`
    samples alone.
    """
    every = np.arange(0, len(classes) - length + 1, stride)
    unusable = np.append(0, np.cumsum(~usable))
    for low in range(0, len(every), size := max(1, AT_ONCE // length)):
        start = every[low : low + size]
        clean = unusable[start + length] == unusable[start]
        inside = np.lib.stride_tricks.sliding_window_view(classes, length)[start[clean]]
        label, kept, dropped = _labelled(inside, mixed)
        dropped["windows with samples that the scale was fitted on"] = int((~clean).sum())
        yield Cuts(start[clean][kept], np.ascontiguousarray(label[kept]), +dropped)


def _labelled(
    inside: Int32[Array, "window time"], mixed: MixedWindow
) -> tuple[Array, Bool[Array, "window"], Counter[str]]:
    """The label or labels of each window, which are kept, and why others are not."""
    label: Array = inside
    several: Bool[Array, "window"] = np.zeros(len(inside), dtype=bool)
    if mixed == "majority":
        label, _ = window_labels(inside, "majority")
        other: Array = label < 0
    else:
        other = np.asarray((inside < 0).any(axis=1))
    if mixed == "drop":
        label = inside[:, 0]
        several = ~other & (inside != inside[:, :1]).any(axis=1)
    dropped = Counter(
        {
            "windows with a class that is not used": int(other.sum()),
            "windows of several classes": int(several.sum()),
        }
    )
    return label, ~(other | several), dropped


def _samples(seconds: float | None, sampling_hz: float | None, name: str) -> int | None:
    if seconds is None:
        return None
    if sampling_hz is None:
        raise WindowSetError(
            "windows", f"{name} is given, the sampling rate is not known", "give sampling_hz"
        )
    return max(1, round(seconds * sampling_hz))


def _by_number(value: str) -> tuple[int, str]:
    """Order whole numbers by size, before texts."""
    digits = value.removeprefix("-")
    is_number = digits.isascii() and digits.isdecimal()
    return (0, f"{int(value) + 2**70:030d}") if is_number else (1, value)
