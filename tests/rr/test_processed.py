import json

import h5py
import numpy as np
import pytest

from pacl.records import RecordError, Rhythm
from pacl.rr import RRWindowSet, audit_windows, prepare_processed
from pacl.windows import LeakError, WindowSetError, read_split
from support.refusals import refused

RECORDS = {"train": [0, 1, 2], "validation": [3, 4], "test": [5, 6]}


UNKNOWN = ("patients-unknown",)


def write(path, records, *, seed=0, beats=20, labels=(0, 1, 1)):
    """Three windows a record, as the authors write them."""
    generator = np.random.default_rng([seed, *path.name.encode()])
    size = len(records) * len(labels)
    arrays = {
        "segments": generator.normal(size=(size, beats)).astype(np.float32),
        "labels": np.tile(np.array(labels, dtype=np.int32), len(records)),
        "patient_ids": np.repeat(np.array(records, dtype=np.int32), len(labels)),
    }
    with h5py.File(path, "w") as file:
        for key, values in arrays.items():
            file.create_dataset(key, data=values)
    return arrays


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "processed"
    folder.mkdir()
    (folder / "README.txt").write_text("not windows")
    return folder


@pytest.fixture
def written(source):
    return {part: write(source / f"3f2a_{part}.h5", who) for part, who in RECORDS.items()}


@pytest.fixture
def metadata(tmp_path):
    """Every record has its patient, but records 0 and 5 are of the same."""
    path = tmp_path / "metadata.csv"
    patients = [0, 1, 2, 3, 4, 0, 6]
    rows = [f"patient_{who:03d},record_{number:03d}" for number, who in enumerate(patients)]
    path.write_text("\n".join(["patient_id,record_id", *rows]) + "\n")
    return path


def test_windows_come_out_as_they_went_in(source, written, tmp_path):
    done = prepare_processed(source, tmp_path / "w", allow=UNKNOWN)
    found = RRWindowSet.open(tmp_path / "w")
    assert (done.windows, done.subjects, done.records) == (21, 7, 7)
    assert done.findings == audit_windows(found)
    assert [finding.kind for finding in done.findings] == ["patients-unknown"]
    for part, arrays in written.items():
        mine = found.part(part)
        assert np.array_equal(mine.windows(), arrays["segments"])
        assert mine.table.rhythm.tolist() == arrays["labels"].tolist()
        assert mine.table.record.to_list() == [f"record_{n:03d}" for n in arrays["patient_ids"]]
        assert mine.table.patient.to_list() == mine.table.record.to_list()
    assert found.window_beats == 20
    assert found.rr_ms.size == 21 * 20
    assert found.table.start.tolist() == [20 * row for row in range(21)]
    assert np.array_equal(found.beat_rhythm, np.repeat(found.table.rhythm, 20))


def test_what_scaled_windows_no_longer_tell(source, written, tmp_path):
    prepare_processed(source, tmp_path / "w", allow=UNKNOWN)
    found = RRWindowSet.open(tmp_path / "w")
    with refused(WindowSetError, "ms") as caught:
        found.windows(scaled=False)
    assert str(caught.value).startswith(str(source))
    table = found.table
    assert set(found.raw_index.tolist()) == {-1}
    for column in (table.raw_start, table.raw_stop, table.episode):
        assert set(column.tolist()) == {-1}
    assert np.isnan(table.onset_s).all()
    assert np.isnan(table.to_onset_s).all()
    assert set(table.centre_ms.tolist()) == {0.0}
    assert set(table.scale_ms.tolist()) == {1.0}
    assert found.scale_beats.record == ()


def test_the_manifest(source, written, tmp_path):
    prepare_processed(source, tmp_path / "w", allow=UNKNOWN)
    manifest = json.loads((tmp_path / "w" / "manifest.json").read_text())
    assert manifest["scaled"] is True
    assert manifest["patients_known"] is False
    assert manifest["min_to_onset_s"] == 0.0
    assert manifest["protocol"] == {"name": "processed"}
    assert manifest["source"] == str(source)
    assert [(file["file"], file["part"]) for file in manifest["processed_files"]] == [
        (f"3f2a_{part}.h5", part) for part in RECORDS
    ]
    assert len({file["digest"] for file in manifest["processed_files"]}) == 3
    assert manifest["records"][0] == {
        "record": "record_000",
        "patient": "record_000",
        "windows": {"SR": 1, "AF": 2},
    }
    assert manifest["beats"] == {"all": 420, "in windows": 420}
    split = read_split(tmp_path / "w" / "split.json")
    assert not split.safe
    assert manifest["split"] == {
        "unit": "record",
        "safe": False,
        "origin": "names of the files",
        "digest": split.digest,
    }
    assert split.part_of == {
        f"record_{number:03d}": part for part, who in RECORDS.items() for number in who
    }


def test_metadata_show_a_patient_in_two_parts(source, written, metadata, tmp_path):
    """What the file names hide: records 0 and 5 are one patient's."""
    with refused(LeakError, "patient_000", "test (record_005)", "train"):
        prepare_processed(source, tmp_path / "w", metadata=metadata)
    assert not (tmp_path / "w").exists()
    done = prepare_processed(
        source,
        tmp_path / "w",
        metadata=metadata,
        allow=("patient-in-two-parts", "unsafe-split"),
    )
    assert done.subjects == 6
    found = RRWindowSet.open(tmp_path / "w")
    assert not found.safe
    assert found.manifest["allowed"] == ["patient-in-two-parts", "unsafe-split"]
    assert found.manifest["patients_known"] is True


def test_records_of_unknown_patients_in_several_parts_are_refused(source, written, tmp_path):
    with refused(LeakError, "patients-unknown"):
        prepare_processed(source, tmp_path / "w")


def test_a_record_in_two_parts(source, tmp_path):
    for part, who in {**RECORDS, "test": [5, 2]}.items():
        write(source / f"3f2a_{part}.h5", who)
    with refused(LeakError, "record_002", "test (record_002)", "train"):
        prepare_processed(source, tmp_path / "w")
    prepare_processed(source, tmp_path / "w", allow=("patient-in-two-parts", *UNKNOWN))
    assert RRWindowSet.open(tmp_path / "w").manifest["split"]["digest"] is None
    assert not (tmp_path / "w" / "split.json").exists()


def test_the_same_windows_twice(source, written, tmp_path):
    content = {}
    with h5py.File(source / "3f2a_train.h5") as file:
        content = {key: file[key][:] for key in file}
    content["patient_ids"] += 50
    with h5py.File(source / "3f2a_test.h5", "w") as file:
        for key, values in content.items():
            file.create_dataset(key, data=values)
    with refused(LeakError, "duplicate-window", 18):
        prepare_processed(source, tmp_path / "w")


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("3f2a_train.h5", "train"),
        ("3f2a_validation.h5", "validation"),
        ("a_b_test.h5", "test"),
        ("windows.h5", "test"),
        ("train.h5", "test"),
        ("x_train_more.h5", "test"),
    ],
)
def test_a_single_file(source, tmp_path, name, part):
    write(source / name, [1, 2])
    done = prepare_processed(source / name, tmp_path / "w")
    assert done.findings == ()
    assert RRWindowSet.open(tmp_path / "w").table.split.present() == (part,)


def test_a_part_of_one_class(source, tmp_path):
    write(source / "3f2a_test.h5", [1], labels=(0, 0))
    with refused(LeakError, "class-missing", "test", "AF"):
        prepare_processed(source, tmp_path / "w")
    done = prepare_processed(source, tmp_path / "w", allow=("class-missing",))
    assert done.windows == 2
    assert set(RRWindowSet.open(tmp_path / "w").table.rhythm.tolist()) == {Rhythm.SR}


def test_sources_that_cannot_be(source, written, tmp_path):
    with refused(WindowSetError, "<hash>_", ".h5"):
        prepare_processed(tmp_path, tmp_path / "w")
    write(source / "77aa_train.h5", [9])
    with pytest.raises(WindowSetError) as caught:
        prepare_processed(source, tmp_path / "w")
    assert str(caught.value) == (
        f"{source}: 2 train files: 3f2a_train.h5, 77aa_train.h5; keep one of each"
    )
    (source / "77aa_train.h5").unlink()
    write(source / "3f2a_test.h5", [5], beats=21)
    with refused(WindowSetError, 21, 20):
        prepare_processed(source, tmp_path / "w")
    (source / "3f2a_test.h5").write_bytes(b"torn")
    with pytest.raises(RecordError):
        prepare_processed(source, tmp_path / "w")
    with refused(RecordError, ".h5"):
        prepare_processed(tmp_path / "none.h5", tmp_path / "w")
    assert not (tmp_path / "w").exists()
    assert not list(tmp_path.glob(".*"))


def test_the_same_files_give_the_same_bytes(source, written, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    prepare_processed(source, one, allow=UNKNOWN)
    prepare_processed(source, two, allow=UNKNOWN)
    for path in one.iterdir():
        assert (two / path.name).read_bytes() == path.read_bytes()
