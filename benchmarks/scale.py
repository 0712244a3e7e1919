"""What a cohort costs: seconds and memory against recordings, beats, workers, and a cluster.

    python benchmarks/scale.py RECORDINGS [-o scale.json] [--recordings 84] [--cluster]

`pacl detect` of a folder in a fresh process: one worker, two, and with `--cluster` a Dask cluster
of one and two workers on this machine. Then many small recordings, for what a recording costs
besides its beats, and how the memory of the command and of the scheduler grows with their number.
From these the seconds of 100,000 recordings of 24 h are reckoned:

    seconds = start + recordings * (fixed + beats * per beat) / workers
"""

import argparse
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

DAY_BEATS = 107_000
"""Of 24 h at 74 beats a minute, about the mean of LTAFDB."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="JSON to write")
    parser.add_argument("--small", type=int, nargs="+", default=(500, 2000, 8000))
    parser.add_argument("--cluster", action="store_true", help="measure a Dask cluster, too")
    given = parser.parse_args()
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for workers in (1, 2):
            name = f"{given.data.name}, {workers} workers"
            found[name] = one = detect(given.data, place / name, f"--workers={workers}")
            tell(name, one)
        if given.cluster:
            for workers in (1, 2):
                name = f"{given.data.name}, cluster of {workers}"
                with cluster(place, workers) as (address, scheduler):
                    one = detect(given.data, place / name, f"--scheduler={address}")
                    one["scheduler_mib"] = memory_of(scheduler)
                found[name] = one
                tell(name, one)
        for count in given.small:
            cohort = small_cohort(place / f"small-{count}", count)
            for how in ("--workers=1", "--workers=2"):
                name = f"{count} of 120 beats, {how[2:]}"
                found[name] = one = detect(cohort, place / name, how)
                tell(name, one)
            if given.cluster:
                name = f"{count} of 120 beats, cluster of 2"
                with cluster(place, 2) as (address, scheduler):
                    one = detect(cohort, place / name, f"--scheduler={address}")
                    one["scheduler_mib"] = memory_of(scheduler)
                found[name] = one
                tell(name, one)
    if given.output:
        given.output.write_text(json.dumps(found, indent=1))


def tell(name: str, one: dict[str, float]) -> None:
    """Print a line."""
    print(f"{name}: " + ", ".join(f"{key} {value:.1f}" for key, value in one.items()), flush=True)


def detect(data: Path, target: Path, *how: str) -> dict[str, float]:
    """Seconds of the command, and the most memory of it or of one of its processes."""
    began = time.perf_counter()
    code = (
        "import resource, subprocess, sys\n"
        "status = subprocess.run(sys.argv[1:]).returncode\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print('MEASURED', used.ru_maxrss, used.ru_utime + used.ru_stime, status)"
    )
    words = [sys.executable, "-m", "pacl", "detect", data, "-o", target, "-q", *how]
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - began
    line = next(one for one in done.stdout.splitlines() if one.startswith("MEASURED"))
    _, most_kib, processor, status = line.split()
    if status != "0":
        raise SystemExit(done.stderr)
    return {"seconds": seconds, "processor_s": float(processor), "most_mib": int(most_kib) / 1024}


def small_cohort(folder: Path, count: int) -> Path:
    """Text files of 120 beats."""
    folder.mkdir()
    generator = np.random.default_rng(0)
    for number in range(count):
        rr_ms = generator.normal(800, 30, 120)
        (folder / f"r{number:06}.csv").write_text("\n".join(f"{one:.0f}" for one in rr_ms))
    return folder


class cluster:  # noqa: N801 - used as a function
    """A scheduler and workers on this machine, for the length of a block."""

    def __init__(self, place: Path, workers: int) -> None:
        self.place, self.workers = place, workers

    def __enter__(self) -> tuple[str, int]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        address = f"tcp://127.0.0.1:{port}"
        self.processes = [
            self._start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        ]
        for _ in range(self.workers):
            self.processes.append(
                self._start(
                    *("worker", address, "--nthreads", "1", "--no-dashboard"),
                    *("--local-directory", str(self.place / "scratch")),
                )
            )
        from distributed import Client

        with Client(address, timeout=60) as client:
            client.wait_for_workers(self.workers)
        return address, self.processes[0].pid

    def __exit__(self, *error: object) -> None:
        for process in reversed(self.processes):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(self.place / "scratch", ignore_errors=True)

    def _start(self, *words: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def memory_of(process: int) -> float:
    """Resident memory in MiB."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    main()
