"""Columns of a table of windows in a parquet file: numbers, and names as dictionaries."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pacl.axes import Array
from pacl.stored import Refuse, read_table
from pacl.windows.names import Names

if TYPE_CHECKING:
    import pyarrow as pa


def write_columns(path: Path, columns: Mapping[str, Names | Array]) -> None:
    """Write columns of the same length."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    written = {
        name: pa.DictionaryArray.from_arrays(value.codes, pa.array(value.names))
        if isinstance(value, Names)
        else value
        for name, value in columns.items()
    }
    pq.write_table(pa.table(written), path)


def read_columns(
    path: Path, types: Mapping[str, type], refuse: Refuse, *, rows: int | None = None
) -> dict[str, Any]:
    """Read columns of these types, `str` as `Names`; refuses another number of rows, if given."""
    found = read_table(path, types, refuse, rows=rows)
    return {
        name: _names(found[name]) if kind is str else found[name].to_numpy()
        for name, kind in types.items()
    }


def _names(column: "pa.ChunkedArray") -> Names:
    joined = column.combine_chunks()
    codes = joined.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    return Names(codes, tuple(joined.dictionary.to_pylist()))
