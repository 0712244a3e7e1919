"""Processes that work for one another: what they say, and how they end."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial

import pytest
import torch

from pacl.studies import RunError
from pacl.studies.processes import run_fits
from support.refusals import refused
from support.sessions import wait_for_nobody

SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from pacl.studies.processes import run_fits

def sleep(task, say):
    if task == 1:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        say(os.getpid())  # within: whoever hears it may end this process at once
        time.sleep(600)
    finally:
        Path(sys.argv[1], "cleared").touch()

if __name__ == "__main__":
    try:
        run_fits(
            sleep, {str(n): n for n in range(5000)}, processes=2, where=Path("here"),
            on_message=lambda name, word: print(word, flush=True),
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


def test_a_worker_that_is_killed_is_replaced_and_its_fit_begun_again(started):
    process, workers = started
    os.kill(workers[0], signal.SIGKILL)
    assert int(process.stdout.readline()) not in workers
    assert process.poll() is None


def test_what_breaks_in_a_process_is_named_with_its_place(tmp_path):
    with refused(RuntimeError, "TypeError"):
        run_fits(time.sleep, {"two": 0, "three": 0}, processes=2, where=tmp_path)


def fit(number, say):
    say(torch.get_num_threads())
    if number % 2:
        raise RunError(f"fit {number}", "odd", "give an even number")


@pytest.mark.parametrize("processes", [1, 2])
def test_fits_have_one_core_and_failures_are_named_at_the_end(tmp_path, processes):
    before, threads, finished = torch.get_num_threads(), [], []
    with refused(RunError, tmp_path, "2 of 4", "fit 1", "fit 3"):
        run_fits(
            fit,
            {f"number {number}": number for number in range(4)},
            processes=processes,
            where=tmp_path,
            on_message=lambda name, message: threads.append(message),
            on_finished=finished.append,
        )
    assert sorted(finished) == ["number 0", "number 2"]
    assert threads == [1] * 4
    assert torch.get_num_threads() == before


def test_killed_processes_are_named_with_a_remedy(tmp_path):
    with refused(RunError, tmp_path, "2 of 2", "status 7", "--workers"):
        run_fits(
            fit,
            {"a": 0, "b": 2},
            processes=2,
            where=tmp_path,
            setup=partial(os._exit, 7),
        )
