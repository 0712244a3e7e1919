"""Signals at random moments: whether a command ends each time, and what it leaves behind.

As a script: `python tests/support/signal_storm.py 400 simulate,prepare SIGTERM,SIGINT,twice`.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

SERVER = """
import os, signal, sys
import pyarrow.compute, pyarrow.parquet
import rich._emoji_codes, pacl.cli.prepare, pacl.cli.simulate, pacl.records.simulate, pacl.rr
from pacl.cli import main

print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if not child:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1):
            os.dup2(nowhere, stream)
        sys.argv = ["pacl", *line.split()]
        main()
        sys.exit(0)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""
"""Runs `pacl` once for every line, each time in a process of its own that has its imports done."""

ENDED_BY = {signal.SIGINT: {130, -2}, signal.SIGTERM: {143, -15}}
"""How a command may end; by the signal itself before and after it heeds signals."""


@dataclass(frozen=True)
class Storm:
    """What came of many signals."""

    stopped: int
    done: int
    hung: int
    statuses: Counter[int]
    left: list[str]
    """Names of what lay half-written beside the target."""

    def __str__(self) -> str:
        total = self.stopped + self.done + self.hung + len(self.left)
        return (
            f"{total} signals: {self.stopped} stopped, {self.done} were done, {self.hung} hung, "
            f"{len(self.left)} left something; statuses {dict(self.statuses)} {self.left[:3]}"
        )


class Commands:
    """Runs commands, one at a time."""

    def __init__(self, errors: Path) -> None:
        self.errors = errors
        with errors.open("wb") as told:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=told,
                env={**os.environ, "PACL_CHECK_AXES": "", "OMP_NUM_THREADS": "1"},
                start_new_session=True,
            )
        assert self._line(120) == "ready"

    def close(self) -> None:
        """Let it end."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=60)

    def run(
        self, argv: Sequence[object], sent: Sequence[tuple[float, int]], patience_s: float
    ) -> int | None:
        """The status of a command that is sent signals at those times, or None if it hung."""
        self.process.stdin.write((" ".join(map(str, argv)) + "\n").encode())
        self.process.stdin.flush()
        child = int(self._line(60))
        began = time.perf_counter()
        for at_s, number in sent:
            time.sleep(max(0.0, began + at_s - time.perf_counter()))
            with suppress(ProcessLookupError):
                os.kill(child, number)
        try:
            return os.waitstatus_to_exitcode(int(self._line(patience_s)))
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            self._line(60)
            return None

    def _line(self, patience_s: float) -> str:
        if not select.select([self.process.stdout], [], [], patience_s)[0]:
            raise TimeoutError
        return self.process.stdout.raw.readline().decode().strip()


def storm(
    argv: Sequence[object],
    target: Path,
    count: int,
    *,
    errors: Path,
    numbers: Sequence[int] = (signal.SIGTERM,),
    again_s: float | None = None,
    seed: int = 0,
    patience_s: float = 30.0,
) -> Storm:
    """Run a command that writes `target` again and again, and stop it at random moments.

    Parameters
    ----------
    argv, target
        The command, and what it writes, alone in its folder.
    errors
        File for standard error of all of them.
    numbers
        Signals, by turns.
    again_s
        Send each a second time, up to so many seconds later.
    patience_s
        A command that has not ended after so long hangs.
    """
    generator = np.random.default_rng(seed)
    stopped = done = hung = 0
    statuses: Counter[int] = Counter()
    left: list[str] = []
    commands = Commands(errors)
    try:
        whole_s = []
        for _ in range(2):
            began = time.perf_counter()
            assert commands.run(argv, (), 300) == 0
            whole_s.append(time.perf_counter() - began)
            shutil.rmtree(target)
        for turn in range(count):
            number = numbers[turn % len(numbers)]
            at_s = float(generator.uniform(0, 1.05)) * min(whole_s)
            sent = [(at_s, number)]
            if again_s is not None:
                sent.append((at_s + float(generator.uniform(0, again_s)), number))
            status = commands.run(argv, sent, patience_s)
            if status is not None:
                statuses[status] += 1
            others = [path.name for path in target.parent.iterdir() if path != target]
            if status is None:
                hung += 1
            elif others or (status == 0) > target.exists():
                left += others or [f"nothing at {target}"]
            elif status == 0:
                done += 1
            else:
                assert status in ENDED_BY[number], status
                stopped += 1
            for path in target.parent.iterdir():
                shutil.rmtree(path)
    finally:
        commands.close()
    return Storm(stopped, done, hung, statuses, left)


def commands_to_stop(folder: Path) -> dict[str, tuple[list[object], Path]]:
    """Commands with two threads that take about a second, and what each writes."""
    from pacl.records.simulate import write_cohort

    cohort = folder / "cohort"
    write_cohort(cohort, 24, seed=0, threads=2)
    targets = {name: folder / name / "target" for name in ("simulate", "prepare")}
    for target in targets.values():
        target.parent.mkdir()
    simulate = ["simulate", targets["simulate"], "--patients", 12, "--threads", 2]
    prepare = ["prepare", cohort, "-o", targets["prepare"], "--threads", 2]
    return {
        "simulate": ([*simulate, "--quiet"], targets["simulate"]),
        "prepare": ([*prepare, "--quiet"], targets["prepare"]),
    }


WAYS = {
    "SIGTERM": {"numbers": (signal.SIGTERM,)},
    "SIGINT": {"numbers": (signal.SIGINT,)},
    "twice": {"numbers": (signal.SIGTERM, signal.SIGINT), "again_s": 0.1},
}

if __name__ == "__main__":
    count, names, ways = int(sys.argv[1]), *(words.split(",") for words in sys.argv[2:4])
    with TemporaryDirectory() as place:
        found = commands_to_stop(Path(place))
        for name, way in ((name, way) for name in names for way in ways):
            told = Path(place) / "errors"
            came = storm(*found[name], count, errors=told, **WAYS[way])
            lines = Counter(told.read_text("utf-8").splitlines()).most_common(12)
            print(name, way, came, lines, sep="; ", flush=True)  # noqa: T201
