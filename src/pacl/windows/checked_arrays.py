"""Arrays that are given as windows: of fitting shapes, with numbers, subjects and classes."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array, Float32, Int32, Int64
from pacl.windows.errors import WindowSetError
from pacl.windows.names import Names

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

WHERE = "windows"
CHUNK_BYTES = 2**24
"""Bytes of windows that are looked at at once."""


def checked_windows(x: "ArrayLike") -> Float32[Array, "window channel time"]:
    """Windows as float32 of shape (window, channel, time); one channel may lack its axis."""
    found: Array = x if isinstance(x, np.ndarray) else np.asarray(x)
    if found.dtype.kind not in "iufb" or found.ndim not in (2, 3) or not all(found.shape):
        raise _misfit(
            f"x is {found.dtype} of shape {found.shape}",
            "give numbers of shape (window, channel, time), or (window, time) for one channel",
        )
    if found.ndim == 2:
        found = found[:, None]
    with np.errstate(over="ignore"):  # what is too large becomes inf, which is refused
        return found.astype(np.float32, copy=False)


def check_values(x: Float32[Array, "window channel time"], subjects: Names) -> None:
    """Refuse values that are no numbers, with the first window that has one and its subject."""
    for rows in chunks(len(x), x[:1].nbytes):
        bad = ~np.isfinite(x[rows]).all(axis=(1, 2))
        if bad.any():
            at = rows.start + int(np.argmax(bad))
            channel, time = np.argwhere(~np.isfinite(x[at]))[0].tolist()
            raise _misfit(
                f"window {at} of subject {subjects.names[subjects.codes[at]]} has the value "
                f"{x[at, channel, time]} in channel {channel} at sample {time}",
                "repair the signal or leave the window out",
            )


def chunks(windows: int, bytes_each: int) -> Iterator[slice]:
    """Rows of windows that can be looked at at once."""
    size = max(1, CHUNK_BYTES // max(1, bytes_each))
    for start in range(0, windows, size):
        yield slice(start, min(start + size, windows))


def checked_names(values: "ArrayLike", what: str, windows: int) -> Names:
    """A name for each window."""
    try:
        found = Names.of(values)
    except TypeError as error:
        raise _misfit(f"{what} are {error}", f"give one of the {what} for each window") from error
    if len(found) != windows:
        raise _misfit(f"{len(found):,} {what} for {windows:,} windows", "give one for each window")
    if "" in found.names:
        at = int(np.argmax(found.is_("")))
        raise _misfit(f"window {at} has an empty name in {what}", "give each a name")
    return found


def checked_labels(
    labels: "ArrayLike", class_names: Sequence[str] | None, windows: int, length: int
) -> tuple[
    Int32[Array, "window"] | Int32[Array, "window time"],
    tuple[str, ...],
]:
    """The class of each window or of each sample, as numbers of the class names, and these.

    Whole numbers count the class names where these are given; texts are looked up in them.
    """
    given: Any = labels if isinstance(labels, np.ndarray) else np.asarray(labels)
    if given.shape not in ((windows,), (windows, length)):
        raise _misfit(
            f"labels of shape {given.shape} for {windows:,} windows of {length} samples",
            f"give them as ({windows},), or as ({windows}, {length}) for one of each sample",
        )
    order = None if class_names is None else _distinct(class_names)
    if order is not None and given.dtype.kind in "iub":
        low, high = int(given.min()), int(given.max())
        if low < 0 or high >= len(order):
            raise _misfit(
                f"class {low if low < 0 else high} in the labels, which count "
                f"{len(order)} class names from 0",
                "name all classes, or give the labels as names",
            )
        return given.astype(np.int32), order
    try:
        found = Names.of(given.reshape(-1), order)
    except TypeError as error:
        raise _misfit(f"labels are {error}", "give the class of each window") from error
    except KeyError as error:
        raise _misfit(
            f"class {error.args[0]} in the labels is not one of {', '.join(order or ())}",
            "name all classes in class_names",
        ) from error
    return found.codes.reshape(given.shape), found.names


def checked_starts(
    start: "ArrayLike | None", records: Names, length: int
) -> Int64[Array, "window"]:
    """The first sample of each window; windows follow each other where it is not known."""
    if start is None:
        order = np.argsort(records.codes, kind="stable")
        ordered = records.codes[order]
        found = np.empty(len(records), dtype=np.int64)
        found[order] = np.arange(len(records)) - np.searchsorted(ordered, ordered)
        return found * length
    given: Array = np.asarray(start)
    if given.shape != (len(records),) or given.dtype.kind not in "iu":
        raise _misfit(
            f"start is {given.dtype} of shape {given.shape}",
            f"give the first sample of each of the {len(records):,} windows, as whole numbers",
        )
    return given.astype(np.int64)


def _distinct(class_names: Sequence[str]) -> tuple[str, ...]:
    names = tuple(str(one) for one in class_names)
    if not names or "" in names or len(set(names)) < len(names):
        raise _misfit(f"class_names are {names}", "give each class a name of its own")
    return names


def _misfit(what: str, remedy: str) -> WindowSetError:
    return WindowSetError(WHERE, what, remedy)
