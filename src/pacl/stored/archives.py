"""Several arrays in one `.npz` file."""

import io
import zipfile
import zlib
from pathlib import Path

from pacl.axes import Array
from pacl.file_bytes import FileError, read_file
from pacl.stored.arrays import parse_array
from pacl.stored.documents import Refuse

MOST = 2**30
"""Bytes of a file, and of the arrays that are packed into it."""


def read_archive(path: Path, refuse: Refuse) -> dict[str, Array]:
    """Read all arrays of a file by their names; whoever asked looks at their types and shapes."""
    try:
        content = read_file(path, MOST)
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if (size := sum(one.file_size for one in packed.infolist())) > MOST:
                raise ValueError(f"{size:,} bytes unpacked, expected at most {MOST:,}")
            return {
                one.filename.removesuffix(".npy"): parse_array(packed.read(one))
                for one in packed.infolist()
            }
    except FileError as error:
        raise refuse(path, error.what) from error
    except (
        ValueError,  # also of a wrong array
        OSError,
        KeyError,
        EOFError,
        RuntimeError,  # a password is asked for, or a way of packing is not known
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise refuse(path, f"cannot be read ({error})") from error
