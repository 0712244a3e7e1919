"""Arrays out of HDF5, and what is refused before it can do harm."""

import io
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from pacl.records import hdf5, hdf5_chunks
from pacl.records.errors import FormatError
from pacl.records.hdf5 import read_array
from support.refusals import refused

PATH = Path("some.h5")
RR = np.arange(300) * 5
MOST = 10_000_000


def read_1d_int(path: Path, key: str, content: bytes) -> Any:
    return hdf5.read_1d_int(path, key, content, MOST)


def read_2d_float(path: Path, key: str, content: bytes) -> Any:
    return hdf5.read_2d_float(path, key, content, MOST)


def written(fill: Callable[[Any], None], **options: Any) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", **options) as file:
        fill(file)
    return buffer.getvalue()


def with_rr(data: Any = RR, **options: Any) -> bytes:
    return written(lambda file: file.create_dataset("rr", data=data, **options))


@pytest.mark.parametrize("dtype", ["i2", "i4", "i8", "u1", "u2", "u8", ">i4"])
def test_integers_of_any_width(dtype: str) -> None:
    found = read_1d_int(PATH, "rr", with_rr((RR % 200).astype(dtype)))
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, RR % 200)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8"])
def test_floats_of_any_width(dtype: str) -> None:
    values = np.linspace(-2, 2, 12).reshape(3, 4).astype(dtype)
    found = read_2d_float(PATH, "rr", with_rr(values))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, values.astype("f8"), rtol=1e-6)


@pytest.mark.parametrize(
    "options",
    [{}, {"chunks": (50,)}, {"compression": "gzip"}, {"compression": 9, "shuffle": True}],
)
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_storage(options: dict[str, Any], libver: str) -> None:
    content = written(lambda file: file.create_dataset("rr", data=RR, **options), libver=libver)
    np.testing.assert_array_equal(read_1d_int(PATH, "rr", content), RR)


def test_a_long_constant_compresses_well_and_is_read() -> None:
    content = with_rr(np.full(1_000_000, 800), compression="gzip", compression_opts=9)
    assert len(content) < 100_000
    assert read_1d_int(PATH, "rr", content).sum() == 800_000_000


def test_empty_array_is_an_array() -> None:
    assert read_1d_int(PATH, "rr", with_rr(np.array([], dtype="i4"))).shape == (0,)


def lzf(file: Any) -> None:
    file.create_dataset("rr", data=RR, compression="lzf")


def fletcher(file: Any) -> None:
    file.create_dataset("rr", data=RR, fletcher32=True)


def external(file: Any) -> None:
    file.create_dataset("rr", shape=(4,), dtype="i8", external=[("/etc/hostname", 0, 32)])


def virtual(file: Any) -> None:
    layout = h5py.VirtualLayout(shape=(4,), dtype="i8")
    layout[:] = h5py.VirtualSource("other.h5", "rr", shape=(4,))
    file.create_virtual_dataset("rr", layout)


def soft_link(file: Any) -> None:
    file["real"] = RR
    file["rr"] = h5py.SoftLink("/real")


def external_link(file: Any) -> None:
    file["rr"] = h5py.ExternalLink("other.h5", "/rr")


def sparse(file: Any) -> None:
    file.create_dataset("rr", shape=(10**6,), dtype="i8", chunks=(1000,), compression="gzip")


def sparse_contiguous(file: Any) -> None:
    file.create_dataset("rr", shape=(10**6,), dtype="i8")


def huge_chunk(file: Any) -> None:
    file.create_dataset("rr", shape=(1,), maxshape=(None,), dtype="i8", chunks=(2**28,))


@pytest.mark.parametrize(
    ("fill", "facts"),
    [
        (lambda f: f.create_group("rr"), ("'rr'", "group")),
        (lambda f: f.create_group("ecg"), ("'rr'", "'ecg'")),
        (lambda f: None, ("'rr'", "nothing")),
        (lambda f: f.create_dataset("rr", data=RR / 2), ("float64", "integer")),
        (lambda f: f.create_dataset("rr", data=RR > 3), ("bool", "integer")),
        (lambda f: f.create_dataset("rr", data=b"abc"), ("integer",)),
        (lambda f: f.create_dataset("rr", data=["a", "b"]), ("integer",)),
        (lambda f: f.create_dataset("rr", data=RR.astype("c8")), ("integer",)),
        (lambda f: f.create_dataset("rr", data=RR[None]), ("(1, 300)", "1 axes")),
        (lambda f: f.create_dataset("rr", data=3), ("()", "1 axes")),
        (
            lambda f: f.create_dataset("rr", data=h5py.Empty("i8")),
            ("None", "1 axes"),
        ),
        (lzf, ("[32000]", "gzip", "shuffle", "repack")),
        (fletcher, ("[3]",)),
        (external, ("'rr'", "another file")),
        (virtual, ("another file",)),
        (soft_link, ("'rr'", "link")),
        (external_link, ("'rr'", "link")),
        (sparse, (8_000_000, 0)),
        (sparse_contiguous, (8_000_000,)),
        (huge_chunk, ("(268435456,)",)),
        (
            lambda f: f.create_dataset("rr", data=np.array([2**63], dtype="u8")),
            ("2^63",),
        ),
    ],
)
def test_refused(fill: Callable[[Any], None], facts: tuple[str | int, ...]) -> None:
    with refused(FormatError, *facts) as caught:
        read_1d_int(PATH, "rr", written(fill))
    assert str(caught.value).startswith("some.h5: ")


@pytest.mark.parametrize("content", [b"", b"x", b"\x89HDF\r\n\x1a\n", bytes(5000), with_rr()[:900]])
def test_not_hdf5(content: bytes) -> None:
    with refused(FormatError, "some.h5: ", "HDF5"):
        read_1d_int(PATH, "rr", content)


def test_truncated_data() -> None:
    content = with_rr()
    with refused(FormatError, "some.h5: "):
        read_1d_int(PATH, "rr", content[:-100])


def test_numbers_of_either_kind() -> None:
    assert read_array(PATH, "rr", with_rr(), MOST, ndim=1, numbers="number").dtype == np.int64
    halves = read_array(PATH, "rr", with_rr(RR / 2), MOST, ndim=1, numbers="number")
    assert halves.dtype == np.float64


# Small files that ask for much memory


def packed_twice(file: Any) -> None:
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((100,))
    plist.set_deflate(9)
    plist.set_deflate(9)
    space = h5py.h5s.create_simple((100,))
    made = h5py.h5d.create(file.id, b"rr", h5py.h5t.NATIVE_INT32, space, plist)
    made.write_direct_chunk((0,), zlib.compress(zlib.compress(bytes(400))))


def one_chunk(packed: bytes, **options: Any) -> Callable[[Any], None]:
    def fill(file: Any) -> None:
        made = file.create_dataset(
            "rr", shape=(100,), chunks=(100,), dtype="i4", compression="gzip", **options
        )
        made.id.write_direct_chunk((0,), packed)

    return fill


def test_what_declares_too_many_values_is_refused_before_it_is_unpacked() -> None:
    content = with_rr(np.full(MOST + 1, 80, np.int8), compression="gzip", compression_opts=9)
    assert len(content) < 50_000
    with refused(FormatError, 10_000_001, 10_000_000):
        read_1d_int(PATH, "rr", content)
    with refused(FormatError, 100_000_000_000_000):
        read_1d_int(PATH, "rr", written(lambda f: f.create_dataset("rr", (10**14,), "i8")))


@pytest.mark.parametrize(
    ("fill", "facts"),
    [
        (packed_twice, ("[1, 1]",)),
        (one_chunk(zlib.compress(bytes(50_000_000), 9)), ("400 bytes",)),
        (one_chunk(zlib.compress(bytes(399))), ("400 bytes",)),
        (one_chunk(zlib.compress(bytes(400))[:-2]), ("chunk",)),
        (one_chunk(b"not packed at all"), ("HDF5",)),
        (one_chunk(zlib.compress(bytes(399)), shuffle=True), ("400 bytes",)),
    ],
)
def test_a_chunk_is_unpacked_to_its_declared_length_or_refused(
    fill: Callable[[Any], None], facts: tuple[str | int, ...]
) -> None:
    content = written(fill)
    tracemalloc.start()
    with refused(FormatError, *facts):
        read_1d_int(PATH, "rr", content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_a_filter_that_was_not_run_for_a_chunk() -> None:
    values = np.arange(100, dtype="<i4")

    def fill(file: Any) -> None:
        made = file.create_dataset("rr", shape=(100,), chunks=(100,), dtype="<i4", compression=4)
        made.id.write_direct_chunk((0,), values.tobytes(), filter_mask=1)

    np.testing.assert_array_equal(read_1d_int(PATH, "rr", written(fill)), values)


def test_chunks_that_do_not_fill_the_last_row_and_column() -> None:
    values = np.linspace(-2, 2, 7 * 11, dtype="f4").reshape(7, 11)
    content = with_rr(values, chunks=(3, 4), compression="gzip", shuffle=True)
    np.testing.assert_array_equal(read_2d_float(PATH, "rr", content), values)


def test_crumbs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hdf5_chunks, "MAX_CHUNKS", 10)
    with refused(FormatError, "10 chunks"):
        read_1d_int(PATH, "rr", with_rr(chunks=(5,), compression="gzip"))
