"""Progress of long work: a bar on a terminal, a line now and then elsewhere, nothing if quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LINE_EVERY_S = 5.0

Advance = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


@contextmanager
def progress(what: str, *, quiet: bool, in_bytes: bool = False) -> Iterator[Advance]:
    """Show how far `what` has come on standard error, for as long as the block lasts."""
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        yield from _bar(what, in_bytes)
    else:
        yield from _lines(what, in_bytes)


def _bar(what: str, in_bytes: bool) -> Iterator[Advance]:
    from rich import progress as bars
    from rich.console import Console

    amount = bars.DownloadColumn() if in_bytes else bars.MofNCompleteColumn()
    with bars.Progress(
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        amount,
        bars.TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as display:
        task = display.add_task(what, total=None)
        yield lambda done, total: display.update(task, completed=done, total=total)


def _lines(what: str, in_bytes: bool) -> Iterator[Advance]:
    last = time.monotonic()

    def advance(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done >= total or now - last >= LINE_EVERY_S:
            last = now
            amount = (
                f"{done / 2**20:.1f}/{total / 2**20:.1f} MiB" if in_bytes else f"{done}/{total}"
            )
            print(f"{what}: {amount}", file=sys.stderr, flush=True)

    yield advance
