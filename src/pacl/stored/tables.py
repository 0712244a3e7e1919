"""Tables in parquet files, with the expected columns and types."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pacl.file_bytes import FileError, read_file
from pacl.stored.documents import Refuse
from pacl.stored.kinds import MisfitError

if TYPE_CHECKING:
    import pyarrow as pa

MOST = 2**30
MOST_ROWS = 10**8


def read_table(
    path: Path, columns: Mapping[str, type], refuse: Refuse, *, rows: int | None = None
) -> "pa.Table":
    """Read some columns of a table, or all where none is named.

    Each column has a type of numbers, of which `float` may be missing (NaN), or `str`, read as a
    dictionary. Another number of `rows` is refused before any is read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(read_file(path, MOST)))
        if not 0 <= file.metadata.num_rows <= MOST_ROWS:
            raise MisfitError(f"{file.metadata.num_rows:,} rows, expected at most {MOST_ROWS:,}")
        if rows is not None and file.metadata.num_rows != rows:
            raise MisfitError(f"{file.metadata.num_rows:,} rows, expected {rows:,}")
        if missing := [name for name in columns if name not in file.schema_arrow.names]:
            raise MisfitError(f"no column {', '.join(missing)}")
        # A thread of Arrow that releases Python's bytes while the interpreter shuts down aborts it.
        found = file.read(list(columns) or None, use_threads=False)
        found.validate(full=True)
        if not columns:
            return found
        return pa.table({name: _typed(name, found[name], kind) for name, kind in columns.items()})
    except FileError as error:
        raise refuse(path, error.what) from error
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise refuse(path, f"cannot be read ({error})") from error


def _typed(name: str, column: "pa.ChunkedArray", kind: type) -> "pa.ChunkedArray":
    """A column as texts, or as numbers of a type; refuses what is missing or of another kind."""
    import pyarrow as pa

    if kind is not str:
        if column.null_count and not np.issubdtype(kind, np.floating):
            raise MisfitError("a number is missing", name)
        return column.cast(pa.from_numpy_dtype(np.dtype(kind)))
    encoded = pa.types.is_dictionary(column.type)
    came = column.type.value_type if encoded else column.type
    if column.null_count or not (pa.types.is_string(came) or pa.types.is_large_string(came)):
        raise MisfitError("a name is missing or no text", name)
    return (column if encoded else column.dictionary_encode()).unify_dictionaries()
