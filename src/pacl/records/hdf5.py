"""Plain arrays out of HDF5 files that may be truncated, corrupted or hostile."""

import math
from pathlib import Path
from typing import Any, Literal

import h5py
import numpy as np
from h5py import h5d, h5f, h5l, h5o

from pacl.axes import Array, Float32, Int64
from pacl.records.content import read_bytes
from pacl.records.errors import FormatError

MAX_ARRAY_BYTES = 4 * 1024**3
"""Above this an array is not read, whatever the file says about it."""

Numbers = Literal["integer", "float", "number"]

_KINDS: dict[Numbers, str] = {"integer": "iu", "float": "f", "number": "iuf"}
_FILTERS = {h5py.h5z.FILTER_DEFLATE: "gzip", h5py.h5z.FILTER_SHUFFLE: "shuffle"}
_DEFLATE_RATIO = 1032  # deflate cannot pack tighter than this
_IMAGE_IN_PLACE = 2 | 4  # H5LT_FILE_IMAGE_DONT_COPY and _DONT_RELEASE: read our bytes as they lie
_AGAIN = "fetch or write the file again"
_H5PY_RAISES = (
    OSError,
    KeyError,
    RuntimeError,
    ValueError,  # UnicodeDecodeError among them
    TypeError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    NotImplementedError,
)


def read_1d_int(path: Path, key: str, content: bytes | None = None) -> Int64[Array, "value"]:
    """Read a one-dimensional integer array of any width as int64; see `read_array`."""
    values = read_array(path, key, ndim=1, numbers="integer", content=content)
    if values.dtype == np.uint64 and values.size and values.max() > np.iinfo(np.int64).max:
        raise FormatError(path, f"dataset {key!r} holds values above 2^63", _AGAIN)
    return values.astype(np.int64)


def read_2d_float(path: Path, key: str, content: bytes | None = None) -> Float32[Array, "row col"]:
    """Read a two-dimensional floating-point array of any width as float32; see `read_array`."""
    values = read_array(path, key, ndim=2, numbers="float", content=content)
    with np.errstate(over="ignore"):  # what overflows becomes inf, which callers refuse
        return values.astype(np.float32)


def read_array(
    path: Path, key: str, *, ndim: int, numbers: Numbers, content: bytes | None = None
) -> Array:
    """Read one dataset after checking that it is what it should be and as large as it claims.

    Nothing is read before its link, type, rank, filters, layout and declared size have been
    checked against the bytes that are really there, so that a corrupted header cannot ask for a
    terabyte, reach into another file or load a filter plug-in.

    Parameters
    ----------
    path
        The file; where `content` is given, only its name in messages.
    key
        Name of the dataset.
    ndim
        Number of axes it must have.
    numbers
        What it must hold.
    content
        Bytes of the file, where the caller has read them already.

    Returns
    -------
    Array
        The values in the machine's byte order, of the width the file has; often read-only, a view
        of `content`.

    Raises
    ------
    FormatError
        Whatever is wrong: this is the only exception that leaves here.
    """
    if content is None:
        content = read_bytes(path)
    if not content:
        raise FormatError(path, "the file is empty, expected HDF5", _AGAIN)
    try:
        # The low-level interface: opening is most of the work, and there are hundreds of files.
        file = h5f.open_file_image(content, _IMAGE_IN_PLACE)
        dataset = _dataset(file, path, key)
        dtype, shape = dataset.dtype, dataset.shape
        _check_kind(dtype, shape, path, key, ndim, _KINDS[numbers], numbers)
        _check_storage(dataset, dtype, shape, path, key, len(content))
        values = _values(dataset, dtype, shape, content)
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    except _H5PY_RAISES as error:
        reason = str(error).strip("'\"") or type(error).__name__
        raise FormatError(path, f"not a readable HDF5 file ({reason[:200]})", _AGAIN) from error


def _values(dataset: Any, dtype: Any, shape: tuple[int, ...], content: bytes) -> Array:
    """The values of a checked dataset: where they lie in one piece, a view of the bytes."""
    offset = dataset.get_offset()
    if offset is None or offset + math.prod(shape) * dtype.itemsize > len(content):
        return np.asarray(h5py.Dataset(dataset)[()])
    return np.frombuffer(content, dtype, count=math.prod(shape), offset=offset).reshape(shape)


def _dataset(file: Any, path: Path, key: str) -> Any:
    name = key.encode()
    if not file.links.exists(name):
        present = list(h5py.Group(h5o.open(file, b"/")))
        names = ", ".join(repr(child) for child in present[:10]) or "nothing"
        raise FormatError(
            path, f"no dataset {key!r}, the file holds {names}", "check that it is the right file"
        )
    if file.links.get_info(name).type != h5l.TYPE_HARD:
        raise FormatError(
            path, f"{key!r} is a link to somewhere else", "copy the data into the file itself"
        )
    dataset = h5o.open(file, name)
    if not isinstance(dataset, h5d.DatasetID):
        raise FormatError(
            path, f"{key!r} is a group, expected a dataset", "check that it is the right file"
        )
    return dataset


def _check_kind(
    dtype: Any,
    shape: tuple[int, ...] | None,
    path: Path,
    key: str,
    ndim: int,
    kinds: str,
    numbers: Numbers,
) -> None:
    if dtype.kind not in kinds or dtype.itemsize > 8 or dtype.subdtype is not None:
        raise FormatError(
            path,
            f"dataset {key!r} holds {dtype}, expected {numbers} values of at most 64 bits",
            "check that it is the right file",
        )
    if shape is None or len(shape) != ndim:
        raise FormatError(
            path,
            f"dataset {key!r} has shape {shape}, expected {ndim} axes",
            "check that it is the right file",
        )


def _check_storage(
    dataset: Any, dtype: Any, shape: tuple[int, ...], path: Path, key: str, file_bytes: int
) -> None:
    plist = dataset.get_create_plist()
    layout = plist.get_layout()
    if layout == h5d.VIRTUAL or plist.get_external_count():
        raise FormatError(
            path, f"dataset {key!r} lies in another file", "copy the data into the file itself"
        )
    filters = {plist.get_filter(index)[0] for index in range(plist.get_nfilters())}
    if not filters <= _FILTERS.keys():
        known = " or ".join(_FILTERS.values())
        raise FormatError(
            path,
            f"dataset {key!r} is packed with filter {sorted(filters - _FILTERS.keys())}, "
            f"expected {known} or none",
            "repack it, for instance with h5repack",
        )
    declared = math.prod(shape) * dtype.itemsize
    chunks = plist.get_chunk() if layout == h5d.CHUNKED else ()
    chunk = math.prod(chunks) * dtype.itemsize
    ratio = _DEFLATE_RATIO if h5py.h5z.FILTER_DEFLATE in filters else 1
    stored = min(dataset.get_storage_size(), file_bytes)
    if declared > min(stored * ratio, MAX_ARRAY_BYTES) or chunk > file_bytes * _DEFLATE_RATIO:
        raise FormatError(
            path,
            f"dataset {key!r} declares {declared:,} bytes of shape {shape}, "
            f"the file holds {stored:,} for it",
            f"it is truncated or corrupted: {_AGAIN}",
        )
