"""Workers, the scheduler and the command are killed: nothing is lost or done twice."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import pyarrow.parquet as pq
import pytest

from pacl.cohort_tables import DetectionTables, make_tables
from pacl.detect import DetectorSettings
from pacl.work import Cluster, Here
from support.cohorts_of_text import bytes_of, write_text_cohort
from support.dask_cluster import DaskCluster

pytestmark = pytest.mark.slow

KIND = DetectionTables(DetectorSettings())


def rows_of(folder):
    """Each recording once, in order."""
    return pq.read_table(folder / "recordings").column("record").to_pylist()


def wait_for_parts(folder, count, goes_on):
    """Wait until so many parts are there: how fast a machine is decides nothing."""
    until = time.monotonic() + 300
    while len(list(folder.glob("recordings/part-*.parquet"))) < count and goes_on():
        assert time.monotonic() < until, f"{count} parts were not made in 300 s"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    return write_text_cohort(tmp_path_factory.mktemp("cohort") / "text", 1500, bad=(11, 700))


@pytest.fixture(scope="module")
def alone(cohort, tmp_path_factory):
    target = tmp_path_factory.mktemp("alone") / "tables"
    make_tables(target, KIND, [cohort], workers=Here(), per_part=4)
    return bytes_of(target)


def test_fifty_workers_of_a_cluster_and_the_scheduler(cohort, alone, tmp_path):
    cluster, stop = DaskCluster(tmp_path), threading.Event()
    killed = []

    def kill():
        chosen = random.Random(1)
        while not stop.is_set() and len(killed) < 50:
            wait_for_parts(tmp_path / "t", 7 * len(killed), lambda: not stop.is_set())
            if len(killed) == 25:
                cluster.kill_scheduler()
            else:
                cluster.kill_worker(chosen.randrange(2))
            killed.append(time.monotonic())

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        workers = Cluster(cluster.address)
        made = make_tables(tmp_path / "t", KIND, [cohort], workers=workers, per_part=4)
        workers.close()
    finally:
        stop.set()
        thread.join()
        cluster.close()
    assert len(killed) == 50, f"the work was done after {len(killed)} kills; give it more to do"
    assert made.manifest["failed"] == 2
    assert rows_of(tmp_path / "t") == [f"r{number:05}" for number in range(1500)]
    assert bytes_of(tmp_path / "t") == alone


def test_the_command_and_its_processes_at_random(cohort, alone, tmp_path):
    """The command is killed -9 with all its processes, and given again, until it is done."""
    chosen, parts = random.Random(2), 0
    words = [sys.executable, "-m", "pacl", "detect", cohort, "-o", tmp_path / "t", "--workers=2"]
    for _ in range(4):
        process = subprocess.Popen([*words, "-q"], start_new_session=True)
        parts += chosen.randrange(5, 15)
        wait_for_parts(tmp_path / "t", parts, lambda running=process: running.poll() is None)
        assert process.poll() is None, "the work was done before the kill; give it more to do"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run([*words, "-q"], check=True)
    assert rows_of(tmp_path / "t") == [f"r{number:05}" for number in range(1500)]
    whole = {name: one for name, one in bytes_of(tmp_path / "t").items() if name != "manifest.json"}
    make_tables(tmp_path / "again", KIND, [cohort], workers=Here())
    again = bytes_of(tmp_path / "again")
    assert whole == {name: one for name, one in again.items() if name != "manifest.json"}


def test_ten_thousand_recordings_with_ten_bad_ones(tmp_path):
    bad = tuple(range(500, 10_000, 1000))
    cohort = write_text_cohort(tmp_path / "cohort", 10_000, beats=120, bad=bad)
    words = [sys.executable, "-m", "pacl", "detect", cohort, "-o", tmp_path / "t", "--workers=2"]
    done = subprocess.run([*words, "-q"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "10 of 10,000 recordings failed" in done.stderr
    table = pq.read_table(tmp_path / "t" / "recordings")
    assert table.column("record").to_pylist() == [f"r{number:05}" for number in range(10_000)]
    failed = [row["record"] for row in table.to_pylist() if row["error"] is not None]
    assert failed == [f"r{number:05}" for number in bad]
