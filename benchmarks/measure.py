"""Time and memory of a piece of work, taken in a process of its own."""

import multiprocessing
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NO_MEMORY = "this kernel keeps no peak"
"""Of a process that could be begun anew: some containers have no /proc/self/clear_refs."""


@dataclass(frozen=True)
class Cost:
    """Best time of several, and the most memory above what the process began with."""

    seconds: float
    extra_mib: float | None


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
    memory: str = ""
    """Whose memory it is, where it is not the process's own."""

    @property
    def ratio(self) -> float:
        """How many times longer the peer takes."""
        return self.peer.seconds / self.ours.seconds

    @property
    def peaks(self) -> str:
        """Peak memory of ours and of the peer, or why there is none."""
        if self.ours.extra_mib is None or self.peer.extra_mib is None:
            return NO_MEMORY
        return f"{self.ours.extra_mib:.0f} / {self.peer.extra_mib:.0f} {self.memory}".strip()


def cost(work: Callable[..., Any], *args: Any, repeat: int = 3) -> Cost:
    """Run `work` several times in a fresh process; the first time does not count if repeated."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_measure, (work, args, repeat))


def _measure(work: Callable[..., Any], args: tuple[Any, ...], repeat: int) -> Cost:
    before = peak_mib(reset=True)
    times = []
    for _ in range(repeat + (repeat > 1)):
        start = time.perf_counter()
        work(*args)
        times.append(time.perf_counter() - start)
    after = peak_mib()
    above = None if before is None or after is None else after - before
    return Cost(min(times[1:] or times), above)


def peak_mib(reset: bool = False) -> float | None:
    """Most memory this process has held; after a reset, what it holds now. None if not kept."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return None if found is None else int(found.group(1)) / 1024


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
        f"| {row.peaks} |"
        for row in rows
    ]
    return "\n".join(lines)
