import csv
import hashlib
import json
from datetime import datetime
from pathlib import Path
from time import sleep

import h5py
import numpy as np
import pytest

from pacl.atomic_write import TargetError
from pacl.records import ValueRangeError, open_records
from pacl.records.iridia import IridiaReader
from pacl.records.simulate import Kind, Population, simulate_cohort, write_cohort
from pacl.records.simulate import write as writing
from pacl.records.simulate.draws import LogNormal
from support.refusals import refused

# three files, two episodes, nearly all of it AF: episodes cross files and last to the end
LONG = Population(
    files=(0, 0, 1, 0),
    episodes=((2, 1),),
    burden=LogNormal(0.85, 0.05, 0.7, 0.94),
    episode_evenness=0.5,
    ends_in_af=0.5,
    starts_in_af=0.5,
    records=(1, 1),
)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("cohort") / "long"
    write_cohort(directory, 6, 3, population=LONG)
    return directory


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def records(directory: Path) -> list[Path]:
    return sorted((directory / "iridia-af-records-v1.0.1").iterdir())


def rr_files(folder: Path) -> list[np.ndarray]:
    found = []
    for path in sorted(folder.glob("*_rr_*.h5")):
        with h5py.File(path) as file:
            found.append(file["rr"][:])
    return found


def kinds(directory: Path, record_id: str) -> np.ndarray:
    with h5py.File(directory / "truth" / f"{record_id}.h5") as file:
        return file["kind"][:]


def contents(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_layout(written):
    assert sorted(path.name for path in written.iterdir()) == [
        "iridia-af-metadata-v1.0.1.csv",
        "iridia-af-records-v1.0.1",
        "truth",
    ]
    folders = records(written)
    assert [f.name for f in folders] == [f"record_{n:03d}" for n in range(len(folders))]
    assert sorted(path.name for path in folders[0].iterdir()) == [
        "record_000_ecg_labels.csv",
        *(f"record_000_rr_0{n}.h5" for n in range(3)),
        "record_000_rr_labels.csv",
    ]
    with h5py.File(folders[0] / "record_000_rr_00.h5") as file:
        assert list(file) == ["rr"]
        assert (file["rr"].dtype, file["rr"].chunks, file["rr"].compression) == (
            np.int64,
            None,
            None,
        )


def test_metadata(written):
    path = written / "iridia-af-metadata-v1.0.1.csv"
    assert path.read_text().splitlines()[0] == (
        "patient_id,patient_sex,patient_age,record_id,record_date,record_start_time,"
        "record_end_time,record_timedelta,record_files,record_seconds,record_samples"
    )
    assert b"\r" not in path.read_bytes()
    table = rows(path)
    assert [row["record_id"] for row in table] == [folder.name for folder in records(written)]
    assert len(table) > len({row["patient_id"] for row in table}) == 6
    for row in table:
        start, end = (
            datetime.fromisoformat(row[f"record_{edge}_time"]) for edge in ("start", "end")
        )
        assert (end - start).total_seconds() == int(row["record_timedelta"])
        assert row["record_date"] == start.date().isoformat()
        assert 0 <= int(row["record_samples"]) - 200 * int(row["record_seconds"]) <= 192
    for row, folder in zip(table, records(written), strict=True):
        files = rr_files(folder)
        assert len(files) == int(row["record_files"]) == 3
        seconds = sum(int(rr.sum()) for rr in files) / 1000
        assert 0 <= seconds - int(row["record_seconds"]) < 47


def test_labels_are_half_open_local_and_cross_files(written):
    """Checked against the kind of each interval, which is written by other code."""
    crossed = ended = began = 0
    for folder in records(written):
        files = rr_files(folder)
        inside = [np.zeros(rr.size, dtype=bool) for rr in files]
        for row in rows(folder / f"{folder.name}_rr_labels.csv"):
            first, start, last, stop = (int(cell) for cell in row.values())
            assert 0 <= start < files[first].size
            assert 0 < stop <= files[last].size
            for index in range(first, last + 1):
                begin = start if index == first else 0
                end = stop if index == last else files[index].size
                inside[index][begin:end] = True
            crossed += last - first == 2
            ended += last == 2 and stop == files[2].size - 1
            began += first == start == 0
        kind, af = kinds(written, folder.name), np.concatenate(inside)
        assert kind.size == af.size
        assert not np.any(af[kind == Kind.SINUS])
        assert np.all(af[:-1][kind[:-1] == Kind.FIBRILLATION])
    assert crossed
    assert ended
    assert began


def test_ecg_labels_name_the_same_beats(written):
    for folder in records(written):
        files = rr_files(folder)
        total = np.concatenate(files)
        offsets = np.cumsum([0, *(rr.size for rr in files)])
        free_since = 0
        beats = rows(folder / f"{folder.name}_rr_labels.csv")
        samples = rows(folder / f"{folder.name}_ecg_labels.csv")
        for beat, sample in zip(beats, samples, strict=True):
            first, start, last, stop = (int(cell) for cell in beat.values())
            assert int(sample["start_qrs_index"]) * 5 == files[first][:start].sum()
            # the last interval belongs to an episode that lasts to the end of the record
            ends = last == len(files) - 1 and stop == files[last].size - 1
            assert int(sample["end_qrs_index"]) * 5 == files[last][: stop + ends].sum()
            begin, end = offsets[first] + start, offsets[last] + stop + ends
            assert int(sample["af_duration"]) == total[begin:end].sum() // 1000
            assert int(sample["nsr_before_duration"]) == total[free_since:begin].sum() // 1000
            free_since = end


def test_our_reader_reads_it(written):
    reader = IridiaReader(written)
    for record_id in reader.record_ids:
        record = reader.read(record_id)
        with h5py.File(written / "truth" / f"{record_id}.h5") as file:
            truth = file["af"][:]
            assert file["kind"].attrs["file_starts"].tolist() == record.file_starts.tolist()
        read = [(s.start, s.stop) for s in record.rhythm_runs() if s.rhythm.name == "AF"]
        assert np.abs(np.array(read) - truth).max() <= 1


def test_truth_names_every_patient_and_parameter(written):
    truth = json.loads((written / "truth" / "patients.json").read_text())
    assert truth["seed"] == 3
    assert [p["patient_id"] for p in truth["patients"]] == [f"patient_00{n}" for n in range(6)]
    listed = [record for patient in truth["patients"] for record in patient["records"]]
    assert listed == [folder.name for folder in records(written)]
    assert truth["patients"][0]["fibrillation"]["mean_ms"] > 300
    readme = (written / "truth" / "README.md").read_text()
    assert all(f"| {kind.value} | {kind.name} |" in readme for kind in Kind)


def test_text_has_the_same_beats_and_rhythms(tmp_path):
    cohort = write_cohort(tmp_path / "text", 3, 4, layout="text")
    there = open_records(tmp_path / "text")
    assert cohort.records == len(there.record_ids)
    for simulated in simulate_cohort(patients=3, seed=4):
        record = simulated.record
        kept = (simulated.kind != Kind.CALIBRATION) & (record.rr_ms > 0)
        found = there.read(record.record_id)
        assert found.patient_id == record.patient_id
        assert found.rr_ms.tolist() == record.rr_ms[kept].tolist()
        assert found.rhythm().tolist() == record.rhythm()[kept].tolist()
        assert (
            abs((found.started - simulated.timeline.started).total_seconds() - 30) < 3
        )  # calibration


def test_same_seed_same_bytes_whatever_the_threads(tmp_path):
    write_cohort(tmp_path / "one", 4, 7, threads=1)
    sleep(1.1)  # a time of writing kept in a file, in whole seconds, would differ
    write_cohort(tmp_path / "four", 4, 7, threads=4)
    assert contents(tmp_path / "one") == contents(tmp_path / "four")


def test_summary_and_progress(tmp_path):
    seen: list[tuple[int, int]] = []
    summary = write_cohort(
        tmp_path / "deep" / "new", 3, 1, track=lambda done, total: seen.append((done, total))
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]
    made = [rr for folder in records(summary.directory) for rr in rr_files(folder)]
    assert (summary.patients, summary.files) == (3, len(made))
    assert summary.records == len(records(summary.directory))
    assert summary.beats == sum(rr.size for rr in made)
    assert summary.hours == pytest.approx(sum(int(rr.sum()) for rr in made) / 3.6e6)
    assert 0 < summary.af_hours < summary.hours


def test_a_folder_that_holds_something_is_refused_and_left_alone(tmp_path):
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    with refused(TargetError, tmp_path):
        write_cohort(tmp_path, 1)
    with refused(TargetError, mine):
        write_cohort(mine, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_what_appears_meanwhile_is_not_overwritten(tmp_path):
    target = tmp_path / "cohort"

    def intrude(done: int, total: int) -> None:
        target.mkdir()
        (target / "mine.txt").write_text("mine")

    with refused(TargetError, target):
        write_cohort(target, 1, track=intrude)
    assert [path.name for path in tmp_path.rglob("*")] == ["cohort", "mine.txt"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "empty").mkdir()
    assert write_cohort(tmp_path / "empty", 1).records >= 1


def test_no_threads_are_refused(tmp_path):
    with refused(ValueRangeError, "0 threads"):
        write_cohort(tmp_path / "cohort", 1, threads=0)


def test_a_cohort_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(writing, "write_patients", fail)
    with refused(TargetError, "disk full"):
        write_cohort(tmp_path / "cohort", 1)
    assert list(tmp_path.iterdir()) == []
