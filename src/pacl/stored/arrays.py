"""Arrays in `.npy` and `.npz` files: of the expected type and shape, and not truncated."""

import hashlib
import math
import os
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pacl.axes import Array
from pacl.file_bytes import FileError, open_file
from pacl.stored.documents import Refuse
from pacl.stored.kinds import MisfitError

MOST = 64 * 2**30
"""Bytes of a file that is mapped: more samples than any cohort has."""

MOST_READ = 4 * 2**30
"""Bytes of a file that is read."""

MOST_PACKED = 2**30
"""Bytes of an `.npz` file, and of the arrays in it."""

CHUNK_BYTES = 2**20
HEAD_BYTES = 2**16
_HEAD = re.compile(
    rb"\x93NUMPY[\x01-\x03]\x00.{2,4}?"
    rb"\{'descr': '(?P<type>[<>|=][a-zA-Z]\d{1,9})', "
    rb"'fortran_order': (?P<order>False|True), "
    rb"'shape': \((?P<shape>(?:\d{1,18}, ?)*(?:\d{1,18})?)\), *\} *\n",
    re.DOTALL,
)
"""Header of a numpy file. Arrays of objects, which can run code, do not match."""

Shape = tuple[int | None, ...]
"""Expected length of each axis; None for any length."""


def read_array(
    path: Path, dtype: Any, shape: Shape, refuse: Refuse, *, mapped: bool = False
) -> Array:
    """Read an array of this type and shape; `mapped`: its numbers are read when they are used."""
    try:
        with open_file(path, MOST if mapped else MOST_READ) as file:
            head = _Head.of(file.read(HEAD_BYTES), os.fstat(file.fileno()).st_size)
            head.check(dtype, shape)
            count = math.prod(head.shape)
            if mapped and count:
                return np.memmap(file, head.dtype, "r", head.end, head.shape, head.order)
            file.seek(head.end)
            return np.fromfile(file, head.dtype, count).reshape(head.shape, order=head.order)
    except FileError as error:
        raise refuse(path, error.what) from error
    except MisfitError as error:
        raise refuse(path, str(error)) from error


def read_archive(
    path: Path, refuse: Refuse, *, limit: int = MOST_PACKED, only_plain: bool = False
) -> dict[str, Array]:
    """Read all arrays of a file by their names; the caller checks types and shapes.

    `limit` is the most bytes, packed and unpacked. With `only_plain`, entries that are no arrays
    of numbers or texts are left out instead of refused.
    """
    try:
        with open_file(path, limit) as file, zipfile.ZipFile(file) as packed:
            if (size := sum(one.file_size for one in packed.infolist())) > limit:
                raise ValueError(f"{size:,} bytes unpacked, expected at most {limit:,}")
            found = {}
            for one in packed.infolist():
                try:
                    found[one.filename.removesuffix(".npy")] = _parse_array(packed.read(one))
                except MisfitError:
                    if not only_plain:
                        raise
            return found
    except FileError as error:
        raise refuse(path, error.what) from error
    except (
        ValueError,
        OSError,
        KeyError,
        EOFError,
        RuntimeError,  # a password, or an unknown compression
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise refuse(path, f"cannot be read ({error})") from error


def digest_of_file(path: Path) -> str:
    """Hash a file without holding it in memory."""
    digest = hashlib.sha256()
    with open_file(path, MOST) as file:
        while part := file.read(CHUNK_BYTES):
            digest.update(part)
    return digest.hexdigest()


def _parse_array(content: bytes) -> Array:
    """The array whose file has this content, of any type and shape."""
    head = _Head.of(content, len(content))
    found = np.frombuffer(bytearray(content[head.end :]), head.dtype)
    return found.reshape(head.shape, order=head.order)


@dataclass(frozen=True, slots=True)
class _Head:
    """What a file states about its array, and where the numbers begin."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: Literal["C", "F"]
    end: int

    @classmethod
    def of(cls, content: bytes, size: int) -> "_Head":
        """Read how a file of some size begins."""
        head = _HEAD.match(content)
        if head is None:
            raise MisfitError("not a file of an array of numbers")
        try:
            dtype = np.dtype(head["type"].decode())
        except TypeError as error:
            raise MisfitError(str(error)) from error
        shape = tuple(int(part) for part in head["shape"].split(b",") if part.strip())
        expected, came = math.prod(shape) * dtype.itemsize, size - head.end()
        if came != expected:
            raise MisfitError(
                f"{came:,} bytes of numbers, expected {expected:,}: truncated, or with extra bytes"
            )
        return cls(dtype, shape, "F" if head["order"] == b"True" else "C", head.end())

    def check(self, dtype: Any, shape: Shape) -> None:
        """Refuse another type or shape."""
        fits = len(self.shape) == len(shape) and all(
            expected in (None, size) for size, expected in zip(self.shape, shape, strict=True)
        )
        if self.dtype != np.dtype(dtype) or not fits:
            wanted = ", ".join("any" if size is None else str(size) for size in shape)
            raise MisfitError(
                f"{self.dtype} of shape {self.shape}, expected {np.dtype(dtype)} of shape "
                f"({wanted})"
            )
