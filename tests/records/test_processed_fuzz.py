"""Spoilt files of processed windows: read or refused with a `RecordError`, never anything else."""

import io
import random
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pacl.records.errors import RecordError
from pacl.records.processed import read_processed


def written(arrays: dict[str, Any], libver: str = "earliest", **options: Any) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", libver=libver) as file:
        for key, values in arrays.items():
            file.create_dataset(key, data=values, **options)
    return buffer.getvalue()


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    scaled=hnp.arrays(
        np.float32,
        st.tuples(st.integers(1, 12), st.integers(1, 20)),
        elements=st.floats(-50, 50, width=32),
    ),
    options=st.sampled_from([{}, {"compression": "gzip"}, {"chunks": True, "shuffle": True}]),
    libver=st.sampled_from(["earliest", "latest"]),
    data=st.data(),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    scaled: np.ndarray[Any, Any],
    options: dict[str, Any],
    libver: str,
    data: st.DataObject,
) -> None:
    per_window = {"min_size": len(scaled), "max_size": len(scaled)}
    labels = data.draw(st.lists(st.integers(0, 1), **per_window))
    records = data.draw(st.lists(st.integers(0, 999), **per_window))
    arrays = {
        "segments": scaled,
        "labels": np.array(labels, dtype=np.int32),
        "patient_ids": np.array(records, dtype=np.int32),
    }
    path = tmp_path_factory.getbasetemp() / "round.h5"
    path.write_bytes(written(arrays, libver, **options))
    found = read_processed(path)
    np.testing.assert_array_equal(found.scaled, scaled)
    assert found.rhythm.tolist() == labels
    assert [int(name.removeprefix("record_")) for name in found.record_ids] == records


ARRAYS = {
    "segments": np.linspace(-3, 3, 400, dtype=np.float32).reshape(20, 20),
    "labels": (np.arange(20) % 2).astype(np.int32),
    "patient_ids": (np.arange(20) // 5 + 30).astype(np.int32),
}
SEEDS = [
    written(ARRAYS),
    written(ARRAYS, "latest"),
    written(ARRAYS, compression="gzip", shuffle=True),
    written(ARRAYS, "latest", compression="gzip"),
]


def mutate(content: bytearray, rng: random.Random) -> None:
    """Change bytes, those of the headers above all."""
    at = rng.randrange(len(content) if rng.random() < 0.4 else min(len(content), 2048))
    match rng.randrange(8):
        case 0 | 1:
            content[at] ^= 1 << rng.randrange(8)
        case 2 | 3:
            content[at] = rng.choice([0, 1, 127, 128, 255])
        case 4:
            content[at : at + 8] = rng.choice([bytes(8), b"\xff" * 8, rng.randbytes(8)])
        case 5:
            del content[max(at, 1) :]
        case 6:
            content[at:at] = content[at : at + rng.randrange(1, 64)]
        case _:
            content[at:at] = rng.randbytes(rng.randrange(1, 16))


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_spoilt_files(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path = tmp_path / "spoilt.h5"
    outcomes = {True: 0, False: 0}
    for _ in range(400):
        content = bytearray(SEEDS[seed])
        for _ in range(rng.choice([1, 1, 2, 4])):
            mutate(content, rng)
        path.write_bytes(content)
        try:
            found = read_processed(path)
        except RecordError as error:
            assert str(error).startswith(str(path))
            outcomes[False] += 1
        else:
            assert np.isfinite(found.scaled).all()
            assert len(found) == len(found.patient_ids) == len(found.rhythm)
            outcomes[True] += 1
    assert outcomes[True] > 0, "the mutations spoil everything"
    assert outcomes[False] > 100, "the mutations spoil hardly anything"
