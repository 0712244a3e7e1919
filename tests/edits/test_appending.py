"""Edits are on the disk before `append` returns, or not there at all."""

import errno
import os
import signal
import subprocess
import sys

import pytest

from pacl.edits import Edit, EditError, EditLog, append
from support.refusals import refused

WRITER = """
import sys
from pacl.edits import Edit, append, edits_path
from pacl.records import open_records
record = open_records(sys.argv[1]).read("night")
path = edits_path(record, False)
for at in range(int(sys.argv[2])):
    one = Edit("note", at, at, note=sys.argv[3])
    append(path, record, [one])
    print(one.id, flush=True)
"""


def writer(record, count, name):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, record.source, str(count), name],
        stdout=subprocess.PIPE,
        text=True,
    )


def mark():
    return Edit("af", 10, 60)


def test_two_processes_lose_nothing(path, record):
    both = [writer(record, 40, name) for name in ("one", "other")]
    said = [one.communicate(timeout=60)[0].split() for one in both]
    log = EditLog.read(path, record)
    assert [len(ids) for ids in said] == [40, 40]
    assert {one.id for one in log.edits} == {*said[0], *said[1]}
    for ids in said:
        mine = [one.id for one in log.edits if one.id in ids]
        assert mine == ids
    assert log.problems == ()
    assert log.revision == 81


def test_a_killed_process_loses_nothing_that_was_said(path, record):
    process = writer(record, 10_000, "it")
    said = [process.stdout.readline().strip() for _ in range(20)]
    process.send_signal(signal.SIGKILL)
    said += process.communicate(timeout=60)[0].split()
    log = EditLog.read(path, record)
    assert {one for one in said if len(one) == 16} <= {one.id for one in log.edits}
    assert append(path, record, [mark()]) == EditLog.read(path, record)


@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_changes_nothing(path, record, monkeypatch, there):
    if there:
        append(path, record, [mark()])
    before = path.read_bytes() if there else None
    write = os.write

    def full(number, content):
        if len(content) > 10:
            return write(number, content[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pacl.append_file.os.write", full)
    with refused(EditError, path, "No space left", "free"):
        append(path, record, [mark()])
    monkeypatch.undo()
    assert path.exists() == there
    assert not there or path.read_bytes() == before
    append(path, record, [mark()])


def test_a_folder_that_may_not_be_written_to(path, record, monkeypatch):
    def denied(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("pacl.append_file.os.open", denied)
    with refused(EditError, path, "Permission denied", "allow"):
        append(path, record, [mark()])


def test_a_missing_folder_and_a_pipe_are_refused(tmp_path, record):
    with refused(EditError, "nowhere"):
        append(tmp_path / "nowhere" / "a.edits.jsonl", record, [mark()])
    os.mkfifo(tmp_path / "pipe")
    with refused(EditError, "pipe"):
        append(tmp_path / "pipe", record, [mark()])


def test_a_lock_that_is_held_for_long_is_an_error(path, record, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    append(path, record, [mark()])
    monkeypatch.setattr("pacl.edits.appending.WAIT_S", 0.05)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with refused(EditError, path, "another process", "again"):
            append(path, record, [mark()])
    assert append(path, record, [mark()]).revision == 3


def test_nothing_to_add_makes_no_file(path, record):
    assert append(path, record, []) == EditLog()
    assert not path.exists()


def test_it_is_on_the_disk_with_its_name(path, record, monkeypatch):
    synced = []
    real = os.fsync

    def fsync(number):
        synced.append(os.fstat(number).st_ino)
        real(number)

    monkeypatch.setattr("pacl.append_file.os.fsync", fsync)
    append(path, record, [mark()])
    assert synced == [path.stat().st_ino, path.parent.stat().st_ino]
    synced.clear()
    append(path, record, [mark()])
    assert synced == [path.stat().st_ino]
