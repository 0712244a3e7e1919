"""How processes end: with whoever started them, and after a signal to one or to all."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from support.sessions import wait_for_nobody

SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from pacl.work import open_workers

def sleep(task, say):
    if task == 1:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        say(os.getpid())  # within: whoever hears it may end this process at once
        time.sleep(600)
    finally:
        Path(sys.argv[1], "cleared").touch()

if __name__ == "__main__":
    tasks = {str(number): number for number in range(5000)}
    try:
        with open_workers(2, None) as workers:
            say = lambda name, word: print(word, flush=True)
            for ended in workers.run(sleep, tasks.items(), on_message=say):
                pass
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


def test_a_worker_that_is_killed_is_replaced_and_its_task_begun_again(started):
    process, workers = started
    os.kill(workers[0], signal.SIGKILL)
    assert int(process.stdout.readline()) not in workers
    assert process.poll() is None
