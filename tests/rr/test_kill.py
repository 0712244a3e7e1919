"""A preparation killed at any moment leaves nothing, or all of it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from pacl.records.simulate import write_cohort
from pacl.rr import RRWindowSet, audit_windows
from pacl.windows import WindowSetError
from support.refusals import refused

SERVER = """
import os, sys
import numpy as np
import pyarrow.compute, pyarrow.parquet
from pacl.cohort import EpisodesProtocol
from pacl.windows import split_units
from pacl.records import open_records
from pacl.rr import prepare

def run(target):
    prepare(
        open_records(cohort),
        target,
        protocol=EpisodesProtocol(),
        divide=lambda strata, patients: split_units(strata, seed=0),
    )


cohort, target = sys.argv[1:]
pyarrow.table({"a": np.zeros(1)})  # imports what it needs
print("ready", flush=True)
for _ in sys.stdin:
    child = os.fork()
    if not child:
        run(target)
        os._exit(0)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""
"""Prepares once for every line it is sent, each time in a process of its own, imports done."""


@contextmanager
def server(cohort: Path, target: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(cohort), str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PACL_CHECK_AXES": ""},
    ) as process:
        try:
            yield process
        finally:
            process.stdin.close()
            process.wait(timeout=30)


def prepare_once(process: subprocess.Popen[str], kill_after_s: float | None) -> tuple[bool, float]:
    """Whether it was killed before it ended, and how long it ran."""
    began = time.perf_counter()
    process.stdin.write("go\n")
    process.stdin.flush()
    child = int(process.stdout.readline())
    if kill_after_s is not None:
        time.sleep(kill_after_s)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    status = int(process.stdout.readline())
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL, time.perf_counter() - began


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.slow
def test_killed_at_random_moments(tmp_path):
    cohort, place = tmp_path / "cohort", tmp_path / "place"
    write_cohort(cohort, 16, seed=0)
    place.mkdir()
    target = place / "windows"
    generator = np.random.default_rng(0)
    killed = remains = 0
    with server(cohort, target) as process:
        assert process.stdout.readline() == "ready\n"
        _, once_s = prepare_once(process, None)
        whole = contents(target)
        assert audit_windows(RRWindowSet.open(target)) == ()
        shutil.rmtree(target)
        whole_s = min(once_s, prepare_once(process, None)[1])
        moments = [*generator.uniform(0, 1.1, 12), *generator.uniform(0.8, 1.0, 4)]
        for share in moments:
            if target.exists():
                shutil.rmtree(target)
            was_killed, _ = prepare_once(process, share * whole_s)
            killed += was_killed
            unfinished = [path for path in place.iterdir() if path != target]
            assert len(unfinished) <= 1
            assert all(path.name.endswith(".unfinished") for path in unfinished)
            remains += len(unfinished)
            if target.exists():
                assert contents(target) == whole
            else:
                assert was_killed
                with refused(WindowSetError, "pacl prepare"):
                    RRWindowSet.open(target)
        if not target.exists():
            prepare_once(process, None)
    assert contents(target) == whole
    assert [path.name for path in place.iterdir()] == ["windows"]
    assert killed >= 3
    assert remains >= 1


def test_killed_after_each_recording(tmp_path):
    """Between any two recordings, and before the first: nothing can be mistaken for a set."""
    cohort = tmp_path / "cohort"
    write_cohort(cohort, 3, seed=0)
    code = """
import os, signal, sys
from pacl.cohort import PooledProtocol
from pacl.windows import split_units
from pacl.records import open_records
from pacl.rr import prepare

cohort, target = sys.argv[1:]
for stop in range(1, 5):
    child = os.fork()
    if not child:
        def track(done, total):
            if done == stop:
                os.kill(os.getpid(), signal.SIGKILL)
        prepare(
            open_records(cohort),
            target,
            protocol=PooledProtocol(),
            divide=lambda strata, patients: split_units(strata, seed=0),
            allow=("class-missing",),
            track=track,
        )
        os._exit(0)
    os.waitpid(child, 0)
    print(sorted(os.listdir(os.path.dirname(target))))
"""
    place = tmp_path / "place"
    place.mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", code, str(cohort), str(place / "windows")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PACL_CHECK_AXES": ""},
    )
    left = [line for line in ran.stdout.splitlines() if line.startswith("[")]
    records = len(list((cohort / "iridia-af-records-v1.0.1").iterdir()))
    assert records == 3
    for line in left[:records]:
        assert line.count("unfinished") == line.count("'") // 2 == 1, line
    assert left[records:] == ["['windows']"]
    assert RRWindowSet.open(place / "windows").safe
