"""Files of arrays, tables and tensors that are sound in themselves and hold what nobody expects."""

import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from safetensors.torch import load, save

from support.mutate import damaged
from support.mutate_values import odd_values


def odd_array(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """Arrays of other types, shapes and values, heads that lie, and damaged bytes."""
    rng = np.random.default_rng(seed)
    values = np.load(io.BytesIO(content))
    by_bytes = damaged(content, cases, seed)
    kinds = ("<f4", ">f4", "<f8", "<i8", "<u8", "|b1", "<U5", "<c8", "<M8[s]", "|V4", "<f2")
    shapes = (b"(9999999999999,)", b"(-1,)", b"()", b"(3, 4,)", b"(0,)", b"((((1,),),),)", b"1e9")
    for case in range(cases):
        match case % 4:
            case 0:
                yield next(by_bytes)
                continue
            case 1:
                file = io.BytesIO()
                odd = np.zeros(int(rng.integers(9)), kinds[int(rng.integers(len(kinds)))])
                np.save(file, odd if rng.random() < 0.5 else odd[None])
                yield file.getvalue()
            case 2:
                shape = str(values.shape).encode()
                new = shapes[int(rng.integers(len(shapes)))]
                yield content.replace(shape, new).replace(b" " * (len(new) - len(shape)), b"", 1)
            case _:
                changed = values.copy().reshape(-1)
                odd = np.array([np.nan, np.inf, -1, 0, 3e38, 7])
                with np.errstate(all="ignore"):
                    many = odd[rng.integers(6, size=max(1, changed.size // 9))].astype(
                        changed.dtype
                    )
                changed[rng.integers(changed.size, size=many.size)] = many
                file = io.BytesIO()
                np.save(file, changed.reshape(values.shape))
                yield file.getvalue()


def odd_table(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """Tables with columns missing, of other types, out of range or of another length."""
    rng = np.random.default_rng(seed)
    table = pq.read_table(io.BytesIO(content))
    by_bytes = damaged(content, cases, seed)
    for case in range(cases):
        if case % 2:
            yield next(by_bytes)
            continue
        at = int(rng.integers(table.num_columns))
        rows = table.num_rows
        odd: list[Any] = [
            pa.array([None] * rows),
            pa.array([""] * rows),
            pa.array(["x"] * rows).dictionary_encode(),
            pa.array([float("nan")] * rows),
            pa.array([1e300] * rows),
            pa.array([-1] * rows),
            pa.array([2**62] * rows),
            pa.array([[1]] * rows),
            pa.array([b"\xff"] * rows),
            pa.array([True] * rows),
            pa.array(rng.integers(-3, 9, rows)),
        ]
        found = table.set_column(at, table.column_names[at], odd[int(rng.integers(len(odd)))])
        match int(rng.integers(6)):
            case 0:
                found = table.drop_columns([table.column_names[at]])
            case 1:
                found = found.slice(0, int(rng.integers(rows + 1)))
            case 2:
                found = pa.concat_tables([table] * 3)
        file = io.BytesIO()
        pq.write_table(found, file)
        yield file.getvalue()


def odd_tensors(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """Tensors with odd values in what the file says of itself, of other shapes, and damaged."""
    rng = np.random.default_rng(seed)
    tensors = load(content)
    length = int.from_bytes(content[:8], "little")
    said = json.loads(content[8 : 8 + length])["__metadata__"]["pacl"].encode()
    by_value, by_bytes = odd_values(said, cases, seed), damaged(content, cases, seed)
    for case in range(cases):
        if case % 3 == 0:
            yield next(by_bytes)
        elif case % 3 == 1:
            about = next(by_value).decode("utf-8", "replace")
            yield save(tensors, {"pacl": about})
        else:
            name = list(tensors)[int(rng.integers(len(tensors)))]
            other = dict(tensors)
            match int(rng.integers(4)):
                case 0:
                    del other[name]
                case 1:
                    other[name] = torch.zeros(int(rng.integers(1, 5)))
                case 2:
                    other[name] = other[name].double()
                case _:
                    other[name] = other[name] * float("nan")
            yield save(other, {"pacl": said.decode()})


def odd_archive(content: bytes, cases: int, seed: int) -> Iterator[bytes]:
    """Archives of other arrays, and of odd values in what they say of themselves."""
    with np.load(io.BytesIO(content)) as found:
        arrays = {name: found[name] for name in found.files}
    by_bytes = damaged(content, cases, seed)
    by_value = odd_values(str(arrays["about"]).encode(), cases, seed)
    rng = np.random.default_rng(seed)
    for case in range(cases):
        other: dict[str, Any] = dict(arrays)
        if case % 3 == 0:
            yield next(by_bytes)
            continue
        if case % 3 == 1:
            other["about"] = np.array(next(by_value).decode("utf-8", "replace").replace("\0", ""))
        else:
            name = list(arrays)[int(rng.integers(len(arrays)))]
            odd = (np.zeros((2, 2)), np.array("x"), np.zeros(3, np.complex64), np.full(9, np.nan))
            other[name] = odd[int(rng.integers(len(odd)))]
            if rng.random() < 0.3:
                del other[name]
        file = io.BytesIO()
        np.savez_compressed(file, **other)
        yield file.getvalue()
