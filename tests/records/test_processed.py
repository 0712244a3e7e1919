"""Windows as the paper's authors released them."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from pacl.records.errors import (
    FormatError,
    LayoutError,
    RecordError,
    RhythmError,
    ValueRangeError,
)
from pacl.records.processed import read_processed
from support.refusals import refused

RECORDS = [35, 36, 36, 7]


def write_processed(path: Path, **changes: Any) -> Path:
    """Write four windows as the authors do, with whatever is to be different."""
    rng = np.random.default_rng(0)
    arrays = {
        "segments": rng.normal(size=(4, 200)).astype(np.float32),
        "labels": np.array([0, 1, 0, 1], dtype=np.int32),
        "patient_ids": np.array(RECORDS, dtype=np.int32),
    } | changes
    with h5py.File(path, "w") as file:
        for key, values in arrays.items():
            if values is not None:
                file.create_dataset(key, data=values)
    return path


@pytest.fixture
def metadata(tmp_path: Path) -> Path:
    path = tmp_path / "metadata.csv"
    rows = ["patient_034,record_035", "patient_034,record_036", "patient_007,record_007"]
    path.write_text("\n".join(["patient_id,record_id", *rows]) + "\n")
    return path


def test_without_metadata_records_stand_for_patients(tmp_path: Path) -> None:
    path = write_processed(tmp_path / "test.h5")
    found = read_processed(path)
    assert found.scaled.shape == (4, 200)
    assert found.scaled.dtype == np.float32
    assert found.rhythm.tolist() == [0, 1, 0, 1]
    assert found.record_ids == ("record_035", "record_036", "record_036", "record_007")
    assert found.patient_ids == found.record_ids
    assert not found.patients_known
    assert found.source == str(path)
    assert repr(found) == (
        "ProcessedWindows(4 windows of 200 beats, 2 in AF, 3 records, patients unknown)"
    )


def test_metadata_tell_patients(tmp_path: Path, metadata: Path) -> None:
    path = write_processed(tmp_path / "test.h5")
    found = read_processed(path, metadata=metadata)
    assert found.patient_ids == ("patient_034", "patient_034", "patient_034", "patient_007")
    assert found.patients_known
    assert "2 patients)" in repr(found)
    assert found.digest != read_processed(path).digest


def test_the_digest_is_of_the_content(tmp_path: Path) -> None:
    one = read_processed(write_processed(tmp_path / "a.h5")).digest
    assert read_processed(write_processed(tmp_path / "b.h5")).digest == one
    other = write_processed(tmp_path / "c.h5", labels=np.array([0, 1, 1, 1]))
    assert read_processed(other).digest != one


def with_nan() -> np.ndarray[Any, Any]:
    values = np.zeros((4, 200), dtype=np.float32)
    values[2, 17] = np.nan
    return values


@pytest.mark.parametrize(
    ("changes", "kind", "facts"),
    [
        ({"labels": None}, FormatError, ("'labels'", "'patient_ids', 'seg")),
        ({"segments": np.zeros(4)}, FormatError, ("'segments'", "(4,)", "2 axes")),
        ({"segments": np.zeros((4, 200), int)}, FormatError, ("float values",)),
        ({"segments": np.zeros((0, 200))}, FormatError, ("'segments'", "(0, 200)")),
        ({"segments": np.zeros((4, 0))}, FormatError, ("(4, 0)",)),
        ({"labels": np.array([0, 1, 0])}, FormatError, ("4 segments", "3 labels", "4 patient_ids")),
        ({"patient_ids": np.arange(5)}, FormatError, ("4 labels", "5 patient_ids")),
        ({"labels": np.array([0.0, 1, 0, 1])}, FormatError, ("integer values",)),
        ({"labels": np.array([0, 1, 2, -1])}, RhythmError, ("[-1, 2]",)),
        ({"patient_ids": np.array([1, 2, 3, -4])}, FormatError, ("patient_ids", "-4 to 3")),
        ({"segments": with_nan()}, ValueRangeError, ("window 2",)),
        ({"segments": np.full((4, 2), 1e300)}, ValueRangeError, ("window 0",)),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, changes: dict[str, Any], kind: type[RecordError], facts: tuple[str, ...]
) -> None:
    path = write_processed(tmp_path / "test.h5", **changes)
    with refused(kind, *facts) as caught:
        read_processed(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_records_the_metadata_do_not_know(tmp_path: Path, metadata: Path) -> None:
    path = write_processed(tmp_path / "test.h5", patient_ids=np.array([35, 36, 99, 166]))
    with pytest.raises(LayoutError) as caught:
        read_processed(path, metadata=metadata)
    assert str(caught.value) == (
        f"{path}: 2 record(s) not in metadata.csv: record_099, record_166; give the metadata of "
        "the same release of IRIDIA-AF"
    )


def test_missing_files(tmp_path: Path) -> None:
    with refused(FormatError, "none.h5"):
        read_processed(tmp_path / "none.h5")
    path = write_processed(tmp_path / "test.h5")
    with refused(RecordError, "none.csv"):
        read_processed(path, metadata=tmp_path / "none.csv")


@pytest.mark.reference
def test_real_metadata(tmp_path: Path, reference: Path) -> None:
    """Records 035 to 038 are one patient's; the file's own ids would make it four."""
    given = reference / "iridia-metadata.csv"
    ids = np.array([35, 36, 37, 38])
    found = read_processed(write_processed(tmp_path / "a.h5", patient_ids=ids), metadata=given)
    assert len(set(found.record_ids)) == 4
    assert set(found.patient_ids) == {"patient_035"}
