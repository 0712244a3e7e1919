"""The numbers of a file, whatever its format, as nested dictionaries, lists and arrays."""

import csv
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import onnx
import pyarrow as pa
import pyarrow.parquet as pq
from onnx import numpy_helper

NUMBER = re.compile(r"(?:(?<![\w.)])[-+])?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
IN_PROSE = re.compile(rf"(?<![A-Za-z_\d.]){NUMBER.pattern}")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
TENSORS = {"F64": "f8", "F32": "f4", "F16": "f2", "I64": "i8", "I32": "i4", "I16": "i2", "I8": "i1"}
TENSORS |= {"U8": "u1", "BOOL": "?"}


class Table(dict[str, list[Any]]):
    """Columns by name; rows may come in another order."""


class Cell(str):
    """Text of a table that may hold numbers."""


def read_values(path: Path) -> Any:
    """What a file holds.

    Raises
    ------
    KeyError
        If files with this ending are not compared.
    """
    return READERS[path.suffix](path)


def has_values(path: Path) -> bool:
    """Whether the numbers of a file are compared."""
    return path.suffix in READERS


def numbers_in(text: str) -> list[float]:
    """The numbers in a text, in order.

    Examples
    --------
    >>> numbers_in("0.91 ± 2e-3 of patient_07")
    [0.91, 0.002, 7.0]
    """
    return [float(one) for one in NUMBER.findall(text)]


def prose_numbers(text: str) -> list[float]:
    """The numbers in a sentence; those in names and paths are left out.

    Examples
    --------
    >>> prose_numbers("1,200 beats of 200-2000 ms in af-rr200 and /tmp/3.csv")
    [1200.0, 200.0, 2000.0]
    """
    words = " ".join(word for word in text.split() if "/" not in word)
    plain = THOUSANDS.sub("", words.replace("\N{MINUS SIGN}", "-"))
    return [float(one) for one in IN_PROSE.findall(plain)]


def table_numbers(text: str) -> list[float]:
    """The numbers in the tables of a Markdown page."""
    rows = [line for line in text.splitlines() if line.lstrip().startswith("|")]
    return prose_numbers("\n".join(rows))


def _json(path: Path) -> Any:
    return json.loads(path.read_text())


def _json_lines(path: Path) -> Any:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _toml(path: Path) -> Any:
    return tomllib.loads(path.read_text())


def _csv(path: Path) -> Table:
    rows = list(csv.reader(path.read_text().splitlines()))
    header, *cells = rows if rows else [[]]
    return Table(
        (
            f"{name}#{column}" if header.count(name) > 1 else name,
            [_cell(row[column]) for row in cells],
        )
        for column, name in enumerate(header)
    )


def _cell(text: str) -> float | Cell:
    try:
        return float(text)
    except ValueError:
        return Cell(text)


def _parquet(path: Path) -> Table:
    read = pq.read_table(path)
    found = Table()
    for name, column in zip(read.column_names, read.columns, strict=True):
        numeric = pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
        plain = numeric and not column.null_count
        found[name] = column.to_numpy() if plain else column.to_pylist()
    return found


def _npy(path: Path) -> Any:
    return np.load(path, allow_pickle=False)


def _npz(path: Path) -> Any:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _hdf5(path: Path) -> Any:
    found: dict[str, Any] = {}

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def _safetensors(path: Path) -> Any:
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    about = {key: _parsed(value) for key, value in header.pop("__metadata__", {}).items()}
    tensors = {}
    for name, one in header.items():
        first, last = (8 + length + at for at in one["data_offsets"])
        tensors[name] = np.frombuffer(data[first:last], TENSORS[one["dtype"]]).reshape(one["shape"])
    return {"tensors": tensors, "about": about}


def _onnx(path: Path) -> Any:
    """Weights, operators and the numbers in their attributes; names of nodes may differ."""
    model = onnx.load(path)
    return {
        "weights": [numpy_helper.to_array(one) for one in model.graph.initializer],
        "operators": [node.op_type for node in model.graph.node],
        "attributes": [
            [one.f, one.i, *one.floats, *one.ints]
            for node in model.graph.node
            for one in sorted(node.attribute, key=lambda each: each.name)
        ],
        "about": {one.key: _parsed(one.value) for one in model.metadata_props},
    }


def _parsed(text: str) -> Any:
    """A value that was kept as JSON in a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _c(path: Path) -> Any:
    return np.array(numbers_in(COMMENT.sub(" ", path.read_text())))


def _text(path: Path) -> Any:
    return np.array(numbers_in(path.read_text()))


READERS: dict[str, Callable[[Path], Any]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".toml": _toml,
    ".csv": _csv,
    ".parquet": _parquet,
    ".npy": _npy,
    ".npz": _npz,
    ".h5": _hdf5,
    ".safetensors": _safetensors,
    ".onnx": _onnx,
    ".c": _c,
    ".txt": _text,
}
