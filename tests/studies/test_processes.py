"""Processes that work for one another: what they say, and how they end."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial

import pytest

from pacl.studies import RunError
from pacl.studies.processes import work_in_processes
from support.refusals import refused
from support.sessions import wait_for_nobody

SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from pacl.studies.processes import work_in_processes

def sleep(task, say):
    if task == 1:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say(os.getpid())
    try:
        time.sleep(600)
    finally:
        Path(sys.argv[1], "cleared").touch()

def nothing():
    pass

if __name__ == "__main__":
    try:
        work_in_processes(
            sleep, range(5000), processes=2, where=Path("here"), setup=nothing,
            on_message=lambda task, word: print(word, flush=True), on_result=print,
        )
    except KeyboardInterrupt:
        sys.exit(130)
"""
pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs sessions")


@pytest.fixture
def started(tmp_path):
    """A process, and two that work for it; more tasks wait than a pipe has room for.

    One of the two clears away when it is stopped, the other does not listen.
    """
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT))
    with subprocess.Popen(
        [sys.executable, path, tmp_path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        workers = [int(process.stdout.readline()) for _ in range(2)]
        yield process, workers
        process.kill()


def test_workers_end_with_a_process_that_is_killed(started):
    process, _ = started
    process.kill()
    process.wait()
    wait_for_nobody(process.pid)
    assert process.stderr.read() == ""


def test_workers_leave_ctrl_c_to_whoever_started_them(started, tmp_path):
    process, _ = started
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    assert process.wait(timeout=60) == 130
    wait_for_nobody(process.pid)
    assert (tmp_path / "cleared").exists()
    assert process.stderr.read() == ""


def test_a_worker_that_is_killed_is_told(started):
    process, workers = started
    os.kill(workers[0], signal.SIGKILL)
    assert process.wait(timeout=60) == 1
    said = process.stderr.read()
    assert "here: " in said
    assert "status -9" in said
    wait_for_nobody(process.pid)


def test_what_breaks_in_a_process_is_told_with_its_place(tmp_path):
    with refused(RuntimeError, 3, "TypeError"):
        work_in_processes(
            time.sleep, [3], processes=1, where=tmp_path, setup=os.getpid, on_result=lambda *_: None
        )


def test_a_process_that_cannot_begin_is_told(tmp_path):
    with refused(RunError, "status 7"):
        work_in_processes(
            time.sleep,
            [1, 2],
            processes=2,
            where=tmp_path,
            setup=partial(os._exit, 7),
            on_result=lambda *_: None,
        )
