"""A search through Optuna's gRPC proxy, as a process of its own in front of a database."""

import socket
from contextlib import contextmanager

import pytest

from pacl.studies.tuning import WindowsAsCut, tune
from support.reports import reporting
from support.small_runs import PLAN, small_windows
from support.tuning_workers import (
    in_state,
    listens,
    running_in,
    shorten_times,
    start_proxy,
    start_worker,
    study_in,
    wait_until,
)

pytest.importorskip("grpc", reason="no gRPC")


@contextmanager
def proxy(url, port):
    process = start_proxy(url, port)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def search(target, url, trials=3, **options):
    source = WindowsAsCut(small_windows())
    return tune(source, target, PLAN, trials=trials, device="cpu", storage=url, **options)


def test_a_proxy_killed_and_started_again_in_the_middle_changes_nothing(tmp_path):
    port, behind = free_port(), f"sqlite:///{tmp_path / 'behind.db'}"
    processes = [start_proxy(behind, port)]

    def restart(trial, _):
        if trial.number == 1:
            processes[-1].kill()
            processes.append(start_proxy(behind, port))

    try:
        wait_until(lambda: listens(port), *processes)
        report = reporting(on_trial=restart)
        found = search(tmp_path / "a", f"grpc://localhost:{port}", report=report)
        again = search(tmp_path / "b", f"grpc://localhost:{port}")
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert len(processes) == 2
    assert again == found
    alone = search(tmp_path / "c", None)
    assert [t.settings for t in found.tried] == [t.settings for t in alone.tried]
    assert [t.value for t in found.tried] == [t.value for t in alone.tried]
    for name in ("best.toml", "trials.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert (tmp_path / "a" / "best.toml").read_bytes() == (
        tmp_path / "c" / "best.toml"
    ).read_bytes()


@pytest.mark.slow
def test_through_a_proxy_a_dead_worker_is_noticed(tmp_path, monkeypatch):
    shorten_times(monkeypatch)
    port = free_port()
    url = f"grpc://localhost:{port}"
    with proxy(f"sqlite:///{tmp_path / 'behind.db'}", port) as process:
        wait_until(lambda: listens(port), process)
        with (
            start_worker(tmp_path / "a", url, "--trials=5") as other,
            study_in(url, other) as study,
        ):
            wait_until(lambda: running_in(study, other), other)
            other.kill()
            other.communicate()
            search(tmp_path / "b", url, trials=5)
            trials = study.get_trials()
    assert len(in_state(trials, "COMPLETE", "PRUNED")) == 5
    [killed] = [t for t in in_state(trials, "FAIL") if "again" in t.user_attrs]
    [again] = [t for t in trials if t.user_attrs.get("again_of") == killed.number]
    assert again.params == killed.params
    assert again.state.name in ("COMPLETE", "PRUNED")
