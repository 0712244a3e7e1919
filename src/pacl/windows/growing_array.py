"""An array on disk that grows, so that a cohort never has to be held in memory."""

from pathlib import Path
from typing import BinaryIO

import numpy as np

from pacl.axes import Array


class GrowingArray:
    """A one-dimensional `.npy` file, appended to; its header is put right when it is closed."""

    def __init__(self, path: Path, dtype: type) -> None:
        self._dtype = np.dtype(dtype)
        self._size = 0
        self._file: BinaryIO = path.open("wb")
        self._write_header()

    def __len__(self) -> int:
        return self._size

    def append(self, values: Array) -> None:
        """Add values at the end."""
        self._file.write(np.ascontiguousarray(values, dtype=self._dtype).data)
        self._size += values.size

    def __enter__(self) -> "GrowingArray":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """State the final length; numpy leaves room for it in every header."""
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def _write_header(self) -> None:
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": (self._size,)}
        np.lib.format.write_array_header_1_0(self._file, header)
