"""One process at a time in a folder; a lock ends with whoever holds it."""

import errno
import fcntl
import os
import signal
import socket
import threading
import time
from contextlib import contextmanager

import pytest

from pacl.locks import LockError, held, is_free, sole_worker
from pacl.studies import train_run
from pacl.studies.rivals import RivalsProtocol, run_rivals
from support.refusals import refused
from support.small_runs import PLAN, cohort, flags, pacl, small_windows

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr("pacl.locks.PATIENCE_S", 0.05)


@contextmanager
def another_process(folder):
    """One that works in a folder until it is killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with sole_worker(folder):
            os.write(writing, b"x")
            time.sleep(600)
    os.read(reading, 1)
    try:
        yield child
    finally:
        os.close(reading)
        os.close(writing)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_second_process_is_told_who_works_there(tmp_path):
    folder = tmp_path / "study"
    with another_process(folder) as child:
        with pytest.raises(LockError) as refused, sole_worker(folder):
            raise AssertionError("both work there")
        for fact in (folder, child, socket.gethostname(), "another folder"):
            assert str(fact) in str(refused.value)
        with sole_worker(tmp_path / "other"):
            pass


def test_a_lock_ends_with_a_process_that_is_killed(tmp_path):
    with another_process(tmp_path / "study"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [".study.lock"]
    with sole_worker(tmp_path / "study"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_somebody_who_is_about_to_end_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.locks.PATIENCE_S", 60.0)
    with another_process(tmp_path / "study") as child:
        threading.Timer(0.3, os.kill, (child, signal.SIGKILL)).start()
        with sole_worker(tmp_path / "study"):
            pass


def test_whoever_has_a_lock_may_take_it_again_but_no_other_thread(tmp_path):
    refused = []

    def work():
        try:
            with sole_worker(tmp_path / "study"):
                pass
        except LockError as error:
            refused.append(error)

    with sole_worker(tmp_path / "study"), sole_worker(tmp_path / "." / "study"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len(refused) == 1
    work()
    assert len(refused) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("reason", [errno.ENOLCK, errno.ENOSYS])
def test_where_there_are_no_locks_that_is_said(tmp_path, monkeypatch, reason):
    def no_lock(*_):
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(fcntl, "flock", no_lock)
    worked = []
    warned = pytest.warns(UserWarning, match=os.strerror(reason))
    with warned as told, sole_worker(tmp_path / "study"):
        worked.append("here")
    assert worked == ["here"]
    assert list(tmp_path.iterdir()) == []
    assert str(tmp_path / "study") in str(told[0].message)
    with pytest.raises(LockError, match=os.strerror(reason)), held(tmp_path / "lock"):
        raise AssertionError("it began")


def test_a_lock_is_held_and_let_go(tmp_path):
    path = tmp_path / "lock"
    assert not is_free(path)
    with held(path):
        assert not is_free(path)
    assert is_free(path)


@pytest.mark.parametrize("command", ["reproduce", "rivals", "weights", "train"])
def test_commands_refuse_a_folder_that_another_process_works_in(tmp_path, capsys, command):
    folder = tmp_path / "study"
    given = {
        "weights": [cohort(3, 6)],
        "train": [small_windows(), *flags(epochs=1)],
    }
    with another_process(folder) as child:
        said = pacl(capsys, command, *given.get(command, []), "-o", folder, "--quiet")
    assert said.status == 2
    assert f"{folder}: " in said.err
    assert f"process {child} on" in said.err
    assert not folder.exists()


def test_so_do_functions(tmp_path):
    folder = tmp_path / "study"
    protocol = RivalsProtocol(methods=("statistics",), few=(1,))
    with another_process(folder) as child:
        with refused(LockError, folder, child):
            train_run(small_windows(), folder, PLAN, device="cpu")
        with refused(LockError, folder, child):
            run_rivals({"here": small_windows()}, folder, protocol)
    assert not folder.exists()
