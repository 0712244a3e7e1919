"""Plain arrays out of HDF5 files that may be truncated, corrupted or hostile."""

import math
import zlib
from pathlib import Path
from typing import Any, Literal

import h5py
import numpy as np
from h5py import h5d, h5f, h5l, h5o

from pacl.axes import Array, Float32, Int64
from pacl.records.errors import FormatError
from pacl.records.hdf5_chunks import DEFLATE, SHUFFLE, read_chunks

Numbers = Literal["integer", "float", "number"]

_KINDS: dict[Numbers, str] = {"integer": "iu", "float": "f", "number": "iuf"}
_FILTERS = {DEFLATE: "gzip", SHUFFLE: "shuffle"}
_DEFLATE_RATIO = 1032  # deflate cannot pack tighter than this
_IMAGE_IN_PLACE = 2 | 4  # H5LT_FILE_IMAGE_DONT_COPY and _DONT_RELEASE: read our bytes in place
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
    zlib.error,
)


def read_1d_int(path: Path, key: str, content: bytes, most: int) -> Int64[Array, "value"]:
    """Read a one-dimensional integer array of any width as int64; see `read_array`."""
    values = read_array(path, key, content, most, ndim=1, numbers="integer")
    if values.dtype == np.uint64 and values.size and values.max() > np.iinfo(np.int64).max:
        raise FormatError(path, f"dataset {key!r} holds values above 2^63", _AGAIN)
    return values.astype(np.int64)


def read_2d_float(path: Path, key: str, content: bytes, most: int) -> Float32[Array, "row col"]:
    """Read a two-dimensional floating-point array of any width as float32; see `read_array`."""
    values = read_array(path, key, content, most, ndim=2, numbers="float")
    with np.errstate(over="ignore"):  # what overflows becomes inf, which callers refuse
        return values.astype(np.float32)


def read_array(
    path: Path, key: str, content: bytes, most: int, *, ndim: int, numbers: Numbers
) -> Array:
    """Read dataset `key` of at most `most` values; any fault is a `FormatError`.

    Link, type, rank, filters, layout and declared size are checked against the bytes of the file
    before reading, so that a corrupted header cannot ask for a terabyte, reach into another file or
    load a filter plug-in. Values are decompressed to the declared size and no further.

    The values have the machine's byte order and the file's width; often they are a read-only view
    of `content`.
    """
    if not content:
        raise FormatError(path, "the file is empty, expected HDF5", _AGAIN)
    try:
        # The low-level interface: opening is most of the work, and there are hundreds of files.
        file = h5f.open_file_image(content, _IMAGE_IN_PLACE)
        dataset = _dataset(file, path, key)
        _check_kind(dataset, path, key, ndim, numbers)
        values = _values(dataset, path, key, content, most)
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    except _H5PY_RAISES as error:
        reason = str(error).strip("'\"") or type(error).__name__
        raise FormatError(path, f"not a readable HDF5 file ({reason[:200]})", _AGAIN) from error


def _values(dataset: Any, path: Path, key: str, content: bytes, most: int) -> Array:
    """The values of a dataset: a view of the bytes where they are contiguous."""
    dtype, shape = dataset.dtype, dataset.shape
    plist = dataset.get_create_plist()
    filters = [plist.get_filter(index)[0] for index in range(plist.get_nfilters())]
    chunk = plist.get_chunk() if plist.get_layout() == h5d.CHUNKED else ()
    if max(math.prod(shape), math.prod(chunk)) > most:
        raise FormatError(
            path,
            f"dataset {key!r} declares {math.prod(shape):,} values in chunks of {chunk}, expected "
            f"at most {most:,}",
            "check that it is the right file, or split it",
        )
    _check_storage(dataset, filters, path, key, len(content))
    if filters:
        return read_chunks(dataset, chunk, filters)
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
            path, f"{key!r} is a link to another place", "copy the data into the file itself"
        )
    dataset = h5o.open(file, name)
    if not isinstance(dataset, h5d.DatasetID):
        raise FormatError(
            path, f"{key!r} is a group, expected a dataset", "check that it is the right file"
        )
    return dataset


def _check_kind(dataset: Any, path: Path, key: str, ndim: int, numbers: Numbers) -> None:
    dtype, shape = dataset.dtype, dataset.shape
    if dtype.kind not in _KINDS[numbers] or dtype.itemsize > 8 or dtype.subdtype is not None:
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


def _check_storage(dataset: Any, filters: list[int], path: Path, key: str, file_bytes: int) -> None:
    """Refuse data in other files, unknown filters, and sizes that the bytes cannot hold."""
    plist = dataset.get_create_plist()
    if plist.get_layout() == h5d.VIRTUAL or plist.get_external_count():
        raise FormatError(
            path, f"dataset {key!r} is in another file", "copy the data into the file itself"
        )
    if not set(filters) <= _FILTERS.keys() or len(set(filters)) != len(filters):
        raise FormatError(
            path,
            f"dataset {key!r} is packed with the filters {filters}, expected "
            f"{' or '.join(_FILTERS.values())}, each once, or none",
            "repack it, for instance with h5repack",
        )
    declared = math.prod(dataset.shape) * dataset.dtype.itemsize
    ratio = _DEFLATE_RATIO if DEFLATE in filters else 1
    stored = min(dataset.get_storage_size(), file_bytes)
    if declared > stored * ratio:
        raise FormatError(
            path,
            f"dataset {key!r} declares {declared:,} bytes of shape {dataset.shape}, "
            f"the file holds {stored:,} for it",
            f"it is truncated or corrupted: {_AGAIN}",
        )
