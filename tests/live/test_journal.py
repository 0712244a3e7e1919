"""The file of a session: read back, continued, and there after a crash."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from pacl.live import Beat, Journal, LiveError
from pacl.records import open_records
from support.refusals import refused

STARTED = datetime(2026, 4, 1, 21, 30, tzinfo=timezone(timedelta(hours=2)))


def made(rows):
    """Beats that follow each other."""
    at_s, found = 0.0, []
    for rr_ms, valid in rows:
        found.append(Beat(at_s, rr_ms, valid))
        at_s += rr_ms / 1000
    return found


def some(count=300, lost=()):
    draw = np.random.default_rng(5)
    rows = [(1000 * round(one) / 1024, True) for one in draw.uniform(600, 1100, count)]
    for at, lost_ms in lost:
        rows.insert(at, (lost_ms, False))
    return made(rows)


def written(path, beats, started=STARTED, source="strap"):
    journal = Journal(path)
    try:
        journal.begin(started, source)
        journal.append(beats)
    finally:
        journal.close()


def read(path):
    reader = open_records(path)
    return reader.read(reader.record_ids[0])


def test_what_is_written_is_read_back(tmp_path):
    beats = some(lost=[(100, 4120.0), (200, 60_000.0)])
    written(tmp_path / "night.csv", beats, source="strap\n\x1b[2J,1")
    record = read(tmp_path / "night.csv")
    assert record.started == STARTED
    assert np.array_equal(record.rr_ms, np.float32([one.rr_ms for one in beats]))
    assert record.gaps().tolist() == [200]
    assert record.onset_s() == pytest.approx([one.start_s for one in beats], abs=1e-3)


def test_a_session_without_a_clock_is_read_back(tmp_path):
    beats = some(lost=[(100, 12_000.0)])
    written(tmp_path / "night.csv", beats, started=None)
    record = read(tmp_path / "night.csv")
    assert record.started is None
    assert np.array_equal(record.rr_ms, np.float32([one.rr_ms for one in beats]))


def test_a_file_is_continued_and_the_time_between_is_a_pause(tmp_path):
    path = tmp_path / "night.csv"
    written(path, some())
    written(path, some(200), STARTED + timedelta(hours=3))
    record = read(path)
    assert len(record) == 500
    assert record.file_onset_s.tolist() == [0.0, 3 * 3600]
    assert path.read_text().count("time,rr_ms,valid") == 1


def test_half_a_line_is_repaired_when_the_file_is_continued(tmp_path):
    path = tmp_path / "night.csv"
    written(path, some())
    with path.open("a") as file:
        file.write("2026-04-01T21:34")
    written(path, some(100), STARTED + timedelta(hours=3))
    assert len(read(path)) == 400


def test_a_file_that_someone_edited_without_zone_is_continued(tmp_path):
    written(tmp_path / "night.csv", some())
    text = (tmp_path / "night.csv").read_text().replace("+02:00", "")
    (tmp_path / "night.csv").write_text(text)
    written(tmp_path / "night.csv", some(), STARTED + timedelta(days=2))


def test_a_session_that_began_before_the_end_of_the_file_is_refused(tmp_path):
    written(tmp_path / "night.csv", some())
    with refused(LiveError, tmp_path / "night.csv", "clock"):
        written(tmp_path / "night.csv", some(), STARTED.astimezone(UTC))
    with refused(LiveError, "without a clock"):
        written(tmp_path / "night.csv", some(), None)


def test_other_files_are_never_written_to(tmp_path):
    (tmp_path / "rr.csv").write_text("rr_ms\n812\n")
    with refused(LiveError, "rr.csv", "name another file"):
        Journal(tmp_path / "rr.csv")
    assert (tmp_path / "rr.csv").read_text() == "rr_ms\n812\n"
    os.mkfifo(tmp_path / "pipe")
    for wrong in (tmp_path, tmp_path / "pipe", tmp_path / "none" / "x.csv"):
        with refused(LiveError, wrong):
            Journal(wrong)


def test_a_folder_that_may_not_be_written_to_is_refused_at_once(tmp_path, monkeypatch):
    def forbid(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", forbid)
    with refused(LiveError, "x.csv", "Permission denied", "another path"):
        Journal(tmp_path / "x.csv")


def test_a_full_disk_is_refused_at_once(tmp_path, monkeypatch):
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("pacl.live.journal.shutil.disk_usage", lambda _: usage)
    with refused(LiveError, "x.csv", 1000, "free"):
        Journal(tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize(
    "content",
    ["# pacl listen 1\ntime,rr\n1,2\n", "# pacl listen 1\ntime,rr_ms,valid\n" + "x" * 9000],
)
def test_a_damaged_file_is_not_added_to(tmp_path, content):
    (tmp_path / "x.csv").write_text(content)
    with refused(LiveError, "x.csv", "another file"):
        Journal(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == content


def test_two_sessions_do_not_share_a_file(tmp_path):
    first = Journal(tmp_path / "x.csv")
    with refused(LiveError, "x.csv", "another pacl listen"):
        Journal(tmp_path / "x.csv")
    first.close()


def test_a_session_without_beats_leaves_no_file(tmp_path):
    Journal(tmp_path / "x.csv").close()
    assert not (tmp_path / "x.csv").exists()


def test_rows_wait_for_a_second_at_most(tmp_path):
    now = [0.0]
    journal = Journal(tmp_path / "x.csv", now=lambda: now[0])
    journal.begin(STARTED, "strap")
    first, second = some(2)
    journal.append([first])
    rows = lambda: (tmp_path / "x.csv").read_text().count("+02:00,")  # noqa: E731
    now[0] = 0.9
    journal.tick()
    assert rows() == 0
    now[0] = 1.0
    journal.tick()
    assert rows() == 2  # the line that says when it started, and the beat
    journal.append([second])
    journal.close()
    assert rows() == 3


def test_a_disk_that_becomes_full_is_tried_again(tmp_path, monkeypatch):
    now = [0.0]
    journal = Journal(tmp_path / "x.csv", now=lambda: now[0])
    journal.begin(STARTED, "strap")
    write = os.write

    def full(number, content):
        if len(content) > 20:
            return write(number, content[:20])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    now[0] = 1.0
    journal.append(some(100))
    assert "No space" in journal.problem
    assert (tmp_path / "x.csv").read_text() == "# pacl listen 1\n"  # no half line
    monkeypatch.undo()
    now[0] = 2.0
    journal.tick()
    assert journal.problem is None
    journal.close()
    assert len(read(tmp_path / "x.csv")) == 100


def test_a_disk_that_stays_full_is_an_error_at_the_end(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "x.csv")
    journal.begin(STARTED, "strap")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    journal.append(some(100))
    with refused(LiveError, "x.csv", "No space", "102 lines"):
        journal.close()


def test_a_disk_that_is_full_for_long_does_not_fill_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.live.journal.MOST_WAITING", 1000)
    journal = Journal(tmp_path / "x.csv")
    journal.begin(STARTED, "strap")
    with refused(LiveError, "x.csv", "lines are not written"):
        journal.append(some(100))
    journal.close()


def test_nothing_is_written_before_it_has_begun(tmp_path):
    written(tmp_path / "x.csv", some())
    before = (tmp_path / "x.csv").read_bytes()
    journal = Journal(tmp_path / "x.csv")
    journal.append([])
    with refused(LiveError, "x.csv", "begun"):
        journal.append(some())
    journal.close()
    assert (tmp_path / "x.csv").read_bytes() == before


def test_one_marked_beat_is_read_back_as_it_was_used(tmp_path):
    beats = some(lost=[(100, 810.0), (200, 1600.0)])
    written(tmp_path / "night.csv", beats)
    used = [piece for one in beats for piece in one.pieces_ms()]
    assert len(used) == 314  # 5 and 9 pieces, all too short for a beat
    assert np.array_equal(read(tmp_path / "night.csv").rr_ms, np.float32(used))


def test_rows_and_the_name_of_the_file_are_on_the_disk(tmp_path, monkeypatch):
    """The file, then its folder; and the file again after each second."""
    done, write, fsync = [], os.write, os.fsync

    def note(what, number):
        kind = "folder" if stat.S_ISDIR(os.fstat(number).st_mode) else "file"
        done.append(f"{what} {kind}")

    def writing(number, content):
        note("write", number)
        return write(number, content)

    def syncing(number):
        note("sync", number)
        fsync(number)

    monkeypatch.setattr(os, "write", writing)
    monkeypatch.setattr(os, "fsync", syncing)
    now = [0.0]
    journal = Journal(tmp_path / "x.csv", now=lambda: now[0])
    assert done == ["write file", "sync file", "sync folder"]
    journal.begin(STARTED, "strap")
    for second in (1.0, 2.0):
        done.clear()
        now[0] = second
        journal.append(some(1))
        assert done == ["write file", "sync file"]
    journal.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_process_that_is_killed_loses_a_second_at_most(tmp_path):
    code = f"""
import sys, time
from datetime import datetime, UTC
from pathlib import Path
from pacl.live import Beat, Journal
journal = Journal(Path({str(tmp_path / "x.csv")!r}))
journal.begin(datetime.now(UTC), "strap")
for at in range(100_000):
    journal.append([Beat(at * 0.1, 100.0 + at % 7)])
    print(time.monotonic(), flush=True)
    time.sleep(0.1)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    said = [float(process.stdout.readline()) for _ in range(25)]
    process.send_signal(signal.SIGKILL)
    killed_s = time.monotonic()
    process.communicate()
    rows = (tmp_path / "x.csv").read_text().splitlines()[3:]
    assert all(row.count(",") == 2 and row.endswith(",1") for row in rows)
    due = sum(one < killed_s - 1.2 for one in said)
    assert due >= 10
    assert len(rows) >= due
