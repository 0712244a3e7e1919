"""An array on disk that grows: memory is bounded by what is appended at once."""

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pacl.axes import Array


class GrowingArray:
    """A `.npy` file, appended to along its first axis; its header is corrected when it is closed.

    `row` is the shape of one entry: empty for an array of one dimension.
    """

    def __init__(self, path: Path, dtype: Any, row: tuple[int, ...] = ()) -> None:
        self._dtype = np.dtype(dtype)
        self._row = row
        self._size = 0
        self._file: BinaryIO = path.open("wb")
        self._write_header()

    def __len__(self) -> int:
        return self._size

    def append(self, values: Array) -> None:
        """Add entries at the end."""
        if values.shape[1:] != self._row:
            raise ValueError(f"entries of shape {values.shape[1:]}, expected {self._row}")
        self._file.write(np.ascontiguousarray(values, dtype=self._dtype).data)
        self._size += len(values)

    def close(self) -> None:
        """Write the final length; numpy reserves space for it in the header."""
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def _write_header(self) -> None:
        shape = (self._size, *self._row)
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, header)
