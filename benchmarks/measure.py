"""Time and memory of a piece of work, taken in a process of its own."""

import multiprocessing
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Cost:
    """Best time of several, and the most memory above what the process began with."""

    seconds: float
    extra_mib: float


@dataclass(frozen=True)
class Row:
    """One line of the table: ours beside a peer and the floor, measured in the same run."""

    what: str
    amount: str
    ours: Cost
    peer_name: str
    peer: Cost
    floor_name: str
    floor: Cost

    @property
    def ratio(self) -> float:
        """How many times longer the peer takes."""
        return self.peer.seconds / self.ours.seconds


def cost(work: Callable[..., Any], *args: Any, repeat: int = 3) -> Cost:
    """Run `work` several times in a fresh process; the first time does not count if repeated."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_measure, (work, args, repeat))


def _measure(work: Callable[..., Any], args: tuple[Any, ...], repeat: int) -> Cost:
    before = _peak_kib(reset=True)
    times = []
    for _ in range(repeat + (repeat > 1)):
        start = time.perf_counter()
        work(*args)
        times.append(time.perf_counter() - start)
    return Cost(min(times[1:] or times), (_peak_kib() - before) / 1024)


def _peak_kib(reset: bool = False) -> int:
    """Most memory this process has held; after a reset, what it holds now."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1))


def markdown(rows: list[Row]) -> str:
    """The table as it stands in benchmarks/README.md."""
    lines = [
        "| what | ours | peer | ratio | floor | ours above floor | peak MiB, ours / peer |",
        "|---|--:|---|--:|---|--:|--:|",
    ]
    lines += [
        f"| {row.what}, {row.amount} | {row.ours.seconds:.3g} s "
        f"| {row.peer_name}: {row.peer.seconds:.3g} s | **{row.ratio:.3g}x** "
        f"| {row.floor_name}: {row.floor.seconds:.3g} s "
        f"| {row.ours.seconds / row.floor.seconds:.3g}x "
        f"| {row.ours.extra_mib:.0f} / {row.peer.extra_mib:.0f} |"
        for row in rows
    ]
    return "\n".join(lines)
