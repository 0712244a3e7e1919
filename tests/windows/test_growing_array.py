from contextlib import closing

import numpy as np
import pytest

from pacl.rr.collect import growing_beats
from pacl.windows import GrowingArray
from support.refusals import refused


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int8])
def test_what_was_appended_is_what_numpy_loads(tmp_path, dtype):
    generator = np.random.default_rng(0)
    pieces = [generator.integers(0, 100, size).astype(dtype) for size in (5, 0, 1, 10_000, 3)]
    with closing(GrowingArray(tmp_path / "a.npy", dtype)) as array:
        for piece in pieces:
            array.append(piece)
        assert len(array) == 10_009
    found = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert found.dtype == dtype
    assert np.array_equal(found, np.concatenate(pieces))
    np.save(tmp_path / "b.npy", np.concatenate(pieces))
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_values_are_converted_and_made_contiguous(tmp_path):
    with closing(GrowingArray(tmp_path / "a.npy", np.float32)) as array:
        array.append(np.arange(10)[::3])
    found = np.load(tmp_path / "a.npy")
    assert found.dtype == np.float32
    assert found.tolist() == [0, 3, 6, 9]


def test_nothing_appended(tmp_path):
    GrowingArray(tmp_path / "a.npy", np.int8).close()
    assert np.load(tmp_path / "a.npy").shape == (0,)


def test_an_error_closes_the_files(tmp_path):
    with pytest.raises(KeyboardInterrupt), growing_beats(tmp_path) as beats:
        raise KeyboardInterrupt
    with refused(ValueError, "closed file"):
        beats["rr_ms"].append(np.zeros(1))


def test_rows_of_several_dimensions(tmp_path):
    rows = np.random.default_rng(0).normal(size=(7, 2, 3)).astype(np.float32)
    with closing(GrowingArray(tmp_path / "a.npy", np.float32, (2, 3))) as array:
        array.append(rows[:4])
        array.append(rows[4:])
        with refused(ValueError, "(3, 2)", "(2, 3)"):
            array.append(rows.transpose(0, 2, 1))
    np.save(tmp_path / "b.npy", rows)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()
