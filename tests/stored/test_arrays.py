"""Arrays, archives, tables and tensors: type, shape and length before a single number is read."""

import io
import os
import zipfile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from safetensors.torch import save

from pacl.file_bytes import FileError
from pacl.stored import read_archive, read_array, read_table, read_tensors, write_tensors
from pacl.stored.documents import unreadable
from support.refusals import refused


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize(
    "values", [np.arange(6.0).reshape(2, 3), np.asfortranarray(np.ones((3, 2))), np.empty((0, 3))]
)
def test_arrays_come_back(tmp_path, values, mapped):
    np.save(tmp_path / "a.npy", values)
    found = read_array(tmp_path / "a.npy", np.float64, (None, None), unreadable, mapped=mapped)
    assert np.array_equal(found, values)
    assert found.dtype == values.dtype


def lying(shape):
    """A head that states another shape than there are numbers."""
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue().replace(b"(3,)", shape).replace(b" " * (len(shape) - 4), b"", 1)


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (lying(b"(999999999999,)"), ("24 bytes", 7_999_999_999_992)),
        (lying(b"(2,)"), ("24 bytes", 16)),
        (lying(b"(-3,)"), ("a.npy",)),
        (lying(b"((((3,),),),)"), ("a.npy",)),
        (b"", ("a.npy",)),
        (b"\x93NUMPY\x01\x00v\x00" + b"(" * 60_000, ("a.npy",)),
    ],
)
def test_an_array_that_lies_takes_no_memory(tmp_path, content, facts, mapped):
    (tmp_path / "a.npy").write_bytes(content)
    with refused(FileError, *facts):
        read_array(tmp_path / "a.npy", np.float64, (None,), unreadable, mapped=mapped)


def test_other_types_and_shapes_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((2, 3), np.float32))
    for dtype, shape in ((np.float64, (2, 3)), (np.float32, (3, 3)), (np.float32, (None,))):
        with refused(FileError, "float32", "(2, 3)"):
            read_array(tmp_path / "a.npy", dtype, shape, unreadable)


def test_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "x")
    for read in (
        lambda path: read_array(path, np.float64, (None,), unreadable, mapped=True),
        lambda path: read_archive(path, unreadable),
        lambda path: read_table(path, {}, unreadable),
        lambda path: read_tensors(path, dict[str, Any], unreadable, written_as="x"),
    ):
        with refused(FileError, "pipe"):
            read(tmp_path / "x")


def test_an_archive_that_unpacks_to_very_much_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.npy", lying(b"(999999999999,)"))
    with refused(FileError, "expected 7,999"):
        read_archive(tmp_path / "a.npz", unreadable)
    content = (tmp_path / "a.npz").read_bytes()
    size = (152).to_bytes(4, "little")
    assert size in content
    (tmp_path / "a.npz").write_bytes(content.replace(size, b"\xff\xff\xff\x7f"))
    with refused(FileError, "a.npz", "unpacked"):
        read_archive(tmp_path / "a.npz", unreadable)


def test_a_table_has_the_columns_and_rows_that_are_expected(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"who": ["a", "b"], "n": [1, None], "x": [0.5, None]}), path)
    found = read_table(path, {"who": str, "x": np.float32}, unreadable, rows=2)
    assert found["who"].to_pylist() == ["a", "b"]
    assert np.isnan(found["x"].to_numpy()[1])
    for columns, rows, facts in (
        ({"who": str}, 3, ("2 rows", 3)),
        ({"when": str}, None, ("when",)),
        ({"n": np.int64}, None, ("n: ",)),
        ({"x": str}, None, ("x: ",)),
        ({"who": np.float64}, None, ("a.parquet",)),
    ):
        with refused(FileError, *facts):
            read_table(path, columns, unreadable, rows=rows)


def test_tensors_say_what_they_are(tmp_path):
    path = tmp_path / "a.safetensors"
    path.write_bytes(save({"a": torch.ones(2)}, {"pacl": '{"format": "f", "n": 1}'}))
    about, tensors = read_tensors(path, dict[str, Any], unreadable, written_as="f")
    assert about == {"format": "f", "n": 1}
    assert tensors["a"].tolist() == [1, 1]
    for content in (save({"a": torch.ones(2)}), b"", b"\xff" * 20, path.read_bytes()[:-1]):
        path.write_bytes(content)
        with pytest.raises(FileError):
            read_tensors(path, dict[str, Any], unreadable, written_as="f")


def test_tensors_are_written_as_they_are_read_and_always_with_the_same_bytes(tmp_path):
    one, other = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    weight = torch.arange(6.0, requires_grad=True).reshape(2, 3).T
    write_tensors(one, {"w": weight}, {"format": "f", "n": 1})
    write_tensors(other, {"w": weight.clone()}, {"n": 1, "format": "f"})
    about, tensors = read_tensors(one, dict[str, Any], unreadable, written_as="f")
    assert about == {"format": "f", "n": 1}
    assert torch.equal(tensors["w"], weight)
    assert one.read_bytes() == other.read_bytes()
