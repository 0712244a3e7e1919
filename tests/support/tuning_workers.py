"""Workers of a search as processes of their own, with short times between signs of life."""

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import optuna

from pacl.studies.tuning.storage import open_storage
from support.small_runs import flags, small_windows

SHORT = {"SIGN_EVERY_S": 0.3, "SILENT_S": 4.0, "UNCLAIMED_S": 4.0}
WORK = f"""
from pacl.studies.tuning import search, signs
for name, value in {SHORT!r}.items():
    setattr(signs, name, value)
search.LOOK_LATER_S = 0.2
from pacl.cli import main
main()
"""
PROXY = """
import sys, warnings
warnings.simplefilter("ignore")
from optuna.storages import get_storage, run_grpc_proxy_server
run_grpc_proxy_server(get_storage(sys.argv[1]), port=int(sys.argv[2]))
"""


def shorten_times(monkeypatch):
    """The same for a worker in this process."""
    for name, value in SHORT.items():
        monkeypatch.setattr(f"pacl.studies.tuning.signs.{name}", value)
    monkeypatch.setattr("pacl.studies.tuning.search.LOOK_LATER_S", 0.2)


def start_worker(folder, url, *argv, epochs=3, windows=None):
    """`pacl tune` in a process."""
    command = ["tune", windows or small_windows(), "-o", folder, f"--storage={url}"]
    return subprocess.Popen(
        [sys.executable, "-c", WORK, *map(str, command), *flags(epochs=epochs), *map(str, argv)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PACL_CHECK_AXES": "", "OMP_NUM_THREADS": "1"},
    )


def start_proxy(url, port):
    """Optuna's gRPC proxy in front of a storage."""
    return subprocess.Popen([sys.executable, "-c", PROXY, url, str(port)])


def listens(port):
    """Whether a server listens on this machine."""
    with suppress(OSError), socket.create_connection(("localhost", port), timeout=1):
        return True
    return False


def wait_until(true, *processes, seconds=60):
    """Wait for what processes do; they must not end before."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        for process in processes:
            assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@contextmanager
def study_in(url, *processes):
    """The one study of a database, once a process has made it."""
    storage = open_storage(url)
    try:
        wait_until(lambda: optuna.get_all_study_names(storage), *processes)
        [name] = optuna.get_all_study_names(storage)
        yield optuna.load_study(study_name=name, storage=storage)
    finally:
        storage.close()


def in_state(trials, *states):
    """Trials in some states, such as RUNNING."""
    return [trial for trial in trials if trial.state.name in states]


def running_in(study, process):
    """The trials that a process trains."""
    return [
        trial
        for trial in in_state(study.get_trials(deepcopy=False), "RUNNING")
        if f"-{process.pid}-" in trial.user_attrs.get("worker", "") and trial.intermediate_values
    ]
