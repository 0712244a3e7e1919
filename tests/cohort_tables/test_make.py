"""Tables of a cohort: the same for all workers and interruptions; a bad recording is a row."""

import json
import os
import signal
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pacl.atomic_write import TargetError
from pacl.cohort_tables import (
    DetectionTables,
    TablesError,
    TablesFolder,
    common,
    common_of,
    make_tables,
)
from pacl.detect import DetectorSettings
from pacl.records import ReadOptions
from pacl.work import Cluster, Here, Processes
from support.cohorts_of_text import bytes_of, write_text_cohort
from support.dask_cluster import DaskCluster
from support.refusals import refused


@dataclass(frozen=True)
class Counted:
    """Counts beats; may end the process at some recordings, as if memory ran out."""

    deadly: str = ""
    factor: int = 1

    command = "count"

    def schemas(self):
        counts = [("beats", pa.int64())]
        return {
            "recordings": pa.schema([*common(), *counts]),
            "halves": pa.schema([("record", pa.string()), ("beats", pa.int64())]),
        }

    def settings(self):
        return {"factor": self.factor}

    def open(self):
        return self

    def rows(self, reader, record):
        if self.deadly and record.record_id == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        row = common_of(record) | {"beats": self.factor * len(record)}
        halves = [{"record": record.record_id, "beats": len(record) // 2}] * 2
        schemas = self.schemas()
        return {
            "recordings": pa.Table.from_pylist([row], schema=schemas["recordings"]),
            "halves": pa.Table.from_pylist(halves, schema=schemas["halves"]),
        }


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    return write_text_cohort(tmp_path_factory.mktemp("cohort") / "text", 23, bad=(4, 17))


@pytest.fixture(scope="module")
def alone(cohort, tmp_path_factory):
    """The tables that one process makes."""
    target = tmp_path_factory.mktemp("alone") / "tables"
    make_tables(target, Counted(), [cohort], workers=Here(), per_part=4)
    return bytes_of(target)


def made_by(workers, target, cohort, kind=None, **more):
    try:
        return make_tables(target, kind or Counted(), [cohort], workers=workers, per_part=4, **more)
    finally:
        workers.close()


def test_rows_are_in_order_and_bad_recordings_are_rows(cohort, tmp_path):
    seen = []
    made = made_by(Here(), tmp_path / "t", cohort, advance=lambda *one: seen.append(one))
    rows = made.folder.table("recordings").to_pylist()
    assert [row["record"] for row in rows] == [f"r{number:05}" for number in range(23)]
    failed = [row for row in rows if row["error"] is not None]
    assert [row["record"] for row in failed] == ["r00004", "r00017"]
    assert all("r000" in row["error"] and row["beats"] is None for row in failed)
    assert made.manifest["failed"] == 2
    assert made.manifest["tables"] == {"recordings": 23, "halves": 42}
    assert seen[0] == (0, 23)
    assert seen[-1] == (23, 23)
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == [
        "halves",
        "manifest.json",
        "recordings",
    ]


def test_the_bytes_do_not_depend_on_workers(cohort, tmp_path, alone):
    made_by(Processes(2), tmp_path / "two", cohort)
    assert bytes_of(tmp_path / "two") == alone
    cluster = DaskCluster(tmp_path)
    try:
        made_by(Cluster(cluster.address), tmp_path / "cluster", cohort)
    finally:
        cluster.close()
    assert bytes_of(tmp_path / "cluster") == alone


class Interrupted(Here):
    """Stops after some parts, as if the machine was switched off."""

    def run(self, work, tasks, **more):
        for number, ended in enumerate(super().run(work, tasks, **more)):
            yield ended
            if number == 2:
                raise KeyboardInterrupt


def test_parts_can_be_read_while_the_others_are_made_and_are_not_made_again(
    cohort, tmp_path, alone
):
    target = tmp_path / "t"
    with pytest.raises(KeyboardInterrupt):
        made_by(Interrupted(), target, cohort)
    folder = TablesFolder(target)
    assert not folder.manifest["complete"]
    assert folder.table("recordings").num_rows == 12
    assert pq.read_table(target / "recordings").num_rows == 12
    kept = {path: path.stat().st_mtime_ns for path in target.rglob("*.parquet")}
    made_by(Here(), target, cohort)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert bytes_of(target) == alone


def test_a_recording_that_ends_its_process_is_given_up(cohort, tmp_path):
    kind = Counted(deadly="r00009")
    made = made_by(Processes(2), tmp_path / "t", cohort, kind)
    rows = made.folder.table("recordings").to_pylist()
    failed = {row["record"]: row["error"] for row in rows if row["error"] is not None}
    assert list(failed) == ["r00004", "r00009", "r00017"]
    assert "5 processes ended" in failed["r00009"]


def test_failed_recordings_are_tried_again_when_asked(tmp_path):
    cohort = write_text_cohort(tmp_path / "cohort", 6, bad=(3,))
    made_by(Here(), tmp_path / "t", cohort)
    before = (cohort / "r00003.csv").stat()
    whole = (cohort / "r00001.csv").read_text()
    (cohort / "r00003.csv").write_text(whole)
    made = made_by(Here(), tmp_path / "t", cohort)
    assert made.manifest["failed"] == 0  # another file than before
    assert made.folder.table("recordings").num_rows == 6
    assert before.st_size != len(whole)


def test_what_failed_for_a_reason_elsewhere_is_tried_again_when_asked(tmp_path, monkeypatch):
    cohort = write_text_cohort(tmp_path / "cohort", 6)
    with monkeypatch.context() as patch:
        patch.setattr("pacl.records.text.reader.check_usable", disk_is_away)
        made_by(Here(), tmp_path / "t", cohort)
    made = made_by(Here(), tmp_path / "t", cohort)
    assert made.manifest["failed"] == 6
    made = made_by(Here(), tmp_path / "t", cohort, retry_failed=True)
    assert made.manifest["failed"] == 0


def disk_is_away(path):
    raise OSError(5, "the disk does not answer", str(path))


def test_a_recording_that_changed_is_made_again(tmp_path):
    cohort = write_text_cohort(tmp_path / "cohort", 9)
    before = made_by(Here(), tmp_path / "t", cohort).folder.table("recordings").to_pylist()
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "t").rglob("*.parquet")}
    path = cohort / "r00005.csv"
    path.write_text(path.read_text() + "\n".join(["800,N"] * 9) + "\n")
    after = made_by(Here(), tmp_path / "t", cohort).folder.table("recordings").to_pylist()
    assert after[5]["beats"] == before[5]["beats"] + 9
    assert after[5]["digest"] != before[5]["digest"]
    assert [*after[:5], *after[6:]] == [*before[:5], *before[6:]]
    changed = {path.name for path, time in kept.items() if path.stat().st_mtime_ns != time}
    assert changed == {"part-00001.parquet"}


def test_a_recording_that_is_listed_has_all_its_rows_in_the_other_tables(
    cohort, tmp_path, monkeypatch
):
    written = []
    real = TablesFolder._file

    def note(self, table, part):
        written.append((part, table))
        return real(self, table, part)

    monkeypatch.setattr(TablesFolder, "_file", note)
    made_by(Here(), tmp_path / "t", cohort)
    for part in range(6):
        assert [table for number, table in written if number == part] == ["halves", "recordings"]


def test_other_settings_or_recordings_are_refused(cohort, tmp_path):
    target = tmp_path / "t"
    made_by(Here(), target, cohort)
    with refused(TargetError, target, "factor", "another folder"):
        made_by(Here(), target, cohort, Counted(factor=2))
    other = write_text_cohort(tmp_path / "other", 3)
    with refused(TargetError, target, "recordings", 23, 3):
        made_by(Here(), target, other)
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.txt").write_text("mine")
    with refused(TargetError, full):
        made_by(Here(), full, cohort)
    assert (full / "thesis.txt").read_text() == "mine"


def test_other_ways_of_reading_are_refused(cohort, tmp_path):
    made_by(Here(), tmp_path / "t", cohort)
    with refused(TargetError, tmp_path / "t", "unit"):
        made_by(Here(), tmp_path / "t", cohort, read=ReadOptions(unit="ms"))


@pytest.mark.parametrize("finished", [True, False])
def test_a_part_that_was_deleted_or_damaged_is_made_again(cohort, tmp_path, alone, finished):
    target = tmp_path / "t"
    if finished:
        made_by(Here(), target, cohort)
    else:
        with pytest.raises(KeyboardInterrupt):
            made_by(Interrupted(), target, cohort)
    (target / "recordings" / "part-00001.parquet").unlink()
    (target / "halves" / "part-00002.parquet").write_bytes(b"junk")
    made_by(Here(), target, cohort)
    assert bytes_of(target) == alone


def test_commands_that_were_stopped_do_not_count_against_a_recording(cohort, tmp_path, alone):
    target = tmp_path / "t"
    with pytest.raises(KeyboardInterrupt):
        made_by(Interrupted(), target, cohort)
    (target / "parts" / ".part-00004.begun").write_text("-\n1\n" * 9)
    made_by(Here(), target, cohort)
    assert bytes_of(target) == alone


def test_what_a_command_left_that_was_killed_at_its_end_is_removed(cohort, tmp_path, alone):
    made_by(Here(), tmp_path / "t", cohort)
    (tmp_path / "t" / "parts").mkdir()
    (tmp_path / "t" / "parts" / "part-00001.json").write_text("{}")
    (tmp_path / "t" / "halves" / ".part-00002.parquet.unfinished").write_bytes(b"PAR1")
    made_by(Here(), tmp_path / "t", cohort)
    assert not (tmp_path / "t" / "parts").exists()
    assert bytes_of(tmp_path / "t") == alone


def test_a_path_that_is_given_twice_counts_once(cohort, tmp_path):
    made = make_tables(tmp_path / "t", Counted(), [cohort, cohort], workers=Here())
    assert made.manifest["recordings"] == 23


def test_nothing_to_do_is_an_error(tmp_path):
    with refused(TablesError, "no recordings"):
        make_tables(tmp_path / "t", Counted(), [], workers=Here())


def test_a_path_that_is_not_there_is_a_row(cohort, tmp_path):
    made = make_tables(tmp_path / "t", Counted(), [tmp_path / "missing", cohort], workers=Here())
    first = made.folder.table("recordings").to_pylist()[0]
    assert "missing" in first["error"]
    assert made.manifest["recordings"] == 24


def test_workers_with_other_packages_are_refused(cohort, tmp_path, monkeypatch):
    target = tmp_path / "t"
    monkeypatch.setattr(
        "pacl.cohort_tables.part.versions", lambda: {"python": "2.7", "numpy": "1.0"}
    )
    with refused(TablesError, target, "python", "install the same"):
        made_by(Here(), target, cohort)


def test_the_manifest_states_what_the_rows_depend_on(cohort, tmp_path):
    kind = DetectionTables(DetectorSettings(operating_point="specific"))
    make_tables(tmp_path / "t", kind, [cohort], workers=Here())
    stated = json.loads((tmp_path / "t" / "manifest.json").read_text())
    assert stated["command"] == "detect"
    assert stated["settings"]["detector"]["operating_point"] == "specific"
    assert stated["versions"]["onnxruntime"]
    assert len(stated["parts"]) == 23
    assert all(len(one["tables"]["recordings"]["sha256"]) == 64 for one in stated["parts"])
