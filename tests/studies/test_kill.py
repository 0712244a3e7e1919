"""A training killed again and again ends as if nothing had happened."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from pacl.studies import RunFolder
from support.small_runs import flags, same_but_for_time, small_windows

SERVER = """
import os, sys
import pyarrow.dataset, pyarrow.parquet, safetensors.torch, scipy.linalg, sklearn.linear_model
import rich._emoji_codes, torch._dynamo
import pacl.cli.scores_table, pacl.cli.train, pacl.studies
from pacl.cli import main

print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if not child:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        sys.argv = ["pacl", *line.split()]
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
        except KeyboardInterrupt:  # before main could look after it
            status = 130
        os._exit(status)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""
"""Runs `pacl` once for every line it is sent, each time in a process of its own, imports done."""

ENDED = {signal.SIGKILL: {9}, signal.SIGINT: {2 << 8, 130 << 8, 2}, signal.SIGTERM: {143 << 8, 15}}
"""How a process may have ended by each signal, as `waitpid` tells it."""


class Pacl:
    """Trains into a folder, and may be stopped on the way."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout.readline() == "ready\n"

    def train(
        self,
        target: Path,
        number: signal.Signals | None = None,
        when: Callable[[float], bool] | None = None,
    ) -> bool:
        """Train or go on; stop by a signal once `when` says so. Whether it was stopped."""
        argv = ["train", small_windows(), "-o", target, *flags(epochs=6)]
        self.process.stdin.write(" ".join([*map(str, argv), "--resume"]) + "\n")
        self.process.stdin.flush()
        child = int(self.process.stdout.readline())
        if when is not None:
            began = time.perf_counter()
            while not when(time.perf_counter() - began) and Path(f"/proc/{child}").exists():
                time.sleep(0.0003)
            with suppress(ProcessLookupError):
                os.kill(child, number)
        status = int(self.process.stdout.readline())
        assert status in {0} | ENDED.get(number, set()), status
        return status != 0


@contextmanager
def server() -> Iterator[Pacl]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PACL_CHECK_AXES": "", "OMP_NUM_THREADS": "1"},
    ) as process:
        try:
            yield Pacl(process)
        finally:
            process.stdin.close()
            process.wait(timeout=30)


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.name.startswith(".")]


MOMENTS = (
    "config.json",
    "checkpoint.pt",
    "model.safetensors",
    "probe.json",
    ".validation.new",
    "validation",
    ".test.new",
    "test",
)
"""What appears in a run's folder in the course of a training."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
@pytest.mark.slow
def test_killed_at_any_moment(tmp_path):
    generator = np.random.default_rng(0)
    signals = [signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM]
    whole = tmp_path / "whole"
    with server() as pacl:
        pacl.train(whole)
        began = time.perf_counter()
        pacl.train(tmp_path / "again")
        whole_s = time.perf_counter() - began
        assert same_but_for_time(tmp_path / "again", whole)

        # As each thing appears in the folder: the run is stopped there, and goes on from there.
        stopped = 0
        target = tmp_path / "files"
        for turn, name in enumerate(MOMENTS):
            stopped += pacl.train(
                target, signals[turn % 4], lambda _, name=name: (target / name).exists()
            )
        pacl.train(target)
        assert same_but_for_time(target, whole)
        assert stopped >= 4

        # At random moments, until it is done in spite of all.
        kills = 0
        for series in range(3):
            target = tmp_path / f"random-{series}"
            for turn in range(12):
                delay_s = float(generator.uniform(0.02, 0.4)) * whole_s
                number = signals[(turn + series) % 4]
                if not pacl.train(target, number, lambda passed, d=delay_s: passed > d):
                    break
                kills += 1
                if (target / "config.json").exists():  # it can be looked at whenever it is killed
                    epochs = [epoch["epoch"] for epoch in RunFolder.open(target).history()]
                    assert epochs == list(range(1, len(epochs) + 1))
            else:
                pacl.train(target)
            assert same_but_for_time(target, whole)
        assert kills >= 3
    assert leftovers(tmp_path) == []
    assert RunFolder.open(whole).finished


def test_a_real_process_is_interrupted_and_goes_on(tmp_path):
    """Once as a person does it: Ctrl-C, then the same command again."""
    argv = [sys.executable, "-m", "pacl", "train", str(small_windows()), "-o", tmp_path / "run"]
    argv += flags(epochs=40, patience=40)
    env = {**os.environ, "PACL_CHECK_AXES": ""}
    with subprocess.Popen(
        argv,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        head = process.stderr.readline()
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert head.split()[:3] == ["epoch", "loss", "tau"]
    assert first.split()[0] == "1/40"
    assert rest.splitlines()[-2:] == [
        f"{tmp_path / 'run'}: finished epochs are kept; give the same command with --resume",
        "pacl: interrupted",
    ]
    assert process.returncode == 130
    assert len(RunFolder.open(tmp_path / "run").history()) >= 1
    assert not RunFolder.open(tmp_path / "run").finished
