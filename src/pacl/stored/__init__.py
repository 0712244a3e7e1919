"""Files that pacl itself wrote, read with checks: documents, arrays, tables, tensors, results."""

from pacl.stored.arrays import digest_of_file, read_archive, read_array
from pacl.stored.documents import (
    Refuse,
    as_read,
    as_toml,
    ends_too_early,
    parse_json,
    read_json,
    read_lines,
    read_toml,
)
from pacl.stored.kept import Kept, cache_folder
from pacl.stored.kinds import Between, MisfitError, Odd, Several, build, fitted, shown
from pacl.stored.tables import read_table
from pacl.stored.tensors import read_state, read_tensors, write_tensors

__all__ = [
    "Between",
    "Kept",
    "MisfitError",
    "Odd",
    "Refuse",
    "Several",
    "as_read",
    "as_toml",
    "build",
    "cache_folder",
    "digest_of_file",
    "ends_too_early",
    "fitted",
    "parse_json",
    "read_archive",
    "read_array",
    "read_json",
    "read_lines",
    "read_state",
    "read_table",
    "read_tensors",
    "read_toml",
    "shown",
    "write_tensors",
]
