"""Pipes, devices and huge files in the place of any file that is read: refused by name, at once."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from pacl.records import (
    IridiaReader,
    RecordError,
    TextReader,
    WfdbReader,
    open_records,
    read_patients,
    read_processed,
)
from pacl.records.open import ReadOptions
from support.iridia import write_metadata, write_record
from support.mit import annotation_file

BEATS = annotation_file([(1000 * second, "N", "") for second in range(1, 6)], fs=1000)
LIMIT_S = 20


@pytest.fixture(autouse=True)
def _guard() -> Iterator[None]:
    """A reader that waits for a pipe fails the test instead of holding up all of them."""

    def stop(*_: object) -> None:
        raise TimeoutError("it waits")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)  # a hole, which takes no room


def folder(path: Path) -> None:
    path.mkdir()


def nothing(path: Path) -> None:
    path.symlink_to(path.with_name("gone"))


PLANTS = [pipe, endless, huge, folder, nothing]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Every layout, each in its folder."""
    write_record(tmp_path / "iridia", "record_000", [np.full(300, 800)] * 2, [(0, 5, 0, 50)])
    write_metadata(tmp_path / "iridia" / "metadata.csv", [("record_000", "p", 2)])
    for name in ("wfdb", "text", "processed"):
        (tmp_path / name).mkdir()
    for name in ("x", "y"):
        (tmp_path / "wfdb" / f"{name}.atr").write_bytes(BEATS)
        (tmp_path / "text" / f"{name}.txt").write_text("800\n810\n")
    (tmp_path / "wfdb" / "x.hea").write_text("x 0 1000\n")
    (tmp_path / "wfdb" / "m.hea").write_text("m/1 1 1000\nm_1 300\n")
    (tmp_path / "wfdb" / "map.csv").write_text("record_id,patient_id\nx,anna\ny,berta\n")
    with h5py.File(tmp_path / "processed" / "w.h5", "w") as file:
        file["segments"] = np.zeros((4, 3), np.float32)
        file["labels"] = np.array([0, 1, 0, 1])
        file["patient_ids"] = np.zeros(4, np.int32)
    return tmp_path


def read_all(root: Path, **options: object) -> dict[str, str]:
    """Every recording of a folder, with the error of those that cannot be read."""
    reader = open_records(root, ReadOptions(**options))
    found = {}
    for record_id in reader.record_ids:
        try:
            found[record_id] = f"{len(reader.read(record_id))} intervals"
        except RecordError as error:
            found[record_id] = str(error)
    return found


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize(
    ("name", "read"),
    [
        (
            "iridia/metadata.csv",
            lambda p: IridiaReader(p / "iridia", metadata=p / "iridia" / "metadata.csv"),
        ),
        ("iridia/metadata.csv", lambda p: open_records(p / "iridia")),
        (
            "iridia/record_000/record_000_rr_labels.csv",
            lambda p: IridiaReader(p / "iridia").read("record_000"),
        ),
        (
            "iridia/record_000/record_000_rr_01.h5",
            lambda p: open_records(p / "iridia").read("record_000"),
        ),
        ("wfdb/x.hea", lambda p: WfdbReader(p / "wfdb").read("x")),
        ("wfdb/x.hea", lambda p: open_records(p / "wfdb" / "x").read("x")),
        ("wfdb/x.atr", lambda p: open_records(p / "wfdb" / "x.atr").read("x")),
        ("wfdb/x.atr", lambda p: open_records(p / "wfdb" / "x").read("x")),
        ("wfdb/x.qrs", lambda p: open_records(p / "wfdb").read("x")),
        ("wfdb/map.csv", lambda p: read_patients(p / "wfdb" / "map.csv")),
        (
            "wfdb/map.csv",
            lambda p: open_records(p / "wfdb", ReadOptions(patients=p / "wfdb" / "map.csv")),
        ),
        ("text/x.txt", lambda p: TextReader(p / "text" / "x.txt").read("x")),
        ("text/x.txt", lambda p: open_records(p / "text" / "x.txt").read("x")),
        ("processed/w.h5", lambda p: read_processed(p / "processed" / "w.h5")),
        (
            "processed/m.csv",
            lambda p: read_processed(p / "processed" / "w.h5", metadata=p / "processed" / "m.csv"),
        ),
    ],
)
def test_what_is_no_file_of_usual_size_is_refused(
    place: Path, name: str, read: Callable[[Path], object], plant: Callable[[Path], None]
) -> None:
    path = place / name
    path.unlink(missing_ok=True)
    plant(path)
    with pytest.raises(RecordError) as caught:
        read(place)
    assert path.stem in str(caught.value) or "metadata" in str(caught.value)


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("name", ["wfdb/x.hea", "wfdb/x.atr", "wfdb/m.hea", "text/x.txt"])
def test_the_other_recordings_are_read(
    place: Path, name: str, plant: Callable[[Path], None]
) -> None:
    (place / name).unlink()
    plant(place / name)
    found = read_all((place / name).parent)
    assert found["y"].endswith(" intervals")
    others = [told for record_id, told in found.items() if record_id != "y"]
    if plant is not folder and "m.hea" not in name:
        assert any(str(place / name) in told for told in others)


@pytest.mark.parametrize("plant", [pipe, endless, huge, nothing])
def test_a_text_file_beside_wfdb_records_is_named(
    place: Path, plant: Callable[[Path], None]
) -> None:
    plant(place / "wfdb" / "z.txt")
    reader = open_records(place / "wfdb")
    assert len(reader.read("x")) == 4
    assert "z.txt" in "\n".join(reader.left_out)
