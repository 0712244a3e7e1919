"""Progress of long work: a bar on a terminal, else a line now and then, nothing if quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from pacl.interrupts import uninterrupted

if TYPE_CHECKING:
    from rich.progress import Progress

from pacl.printable import printable

LINE_EVERY_S = 5.0
LATE_S = 1.0

Advance = Callable[[int, int], None]
"""Called with how much is done and how much there is."""

AdvanceFile = Callable[[str, int, int], None]
"""Called with a file's name, how many bytes of it are there and how many there are, or 0."""


@contextmanager
def shown(display: "Progress") -> "Iterator[Progress]":
    """Show bars for as long as the block lasts; afterwards the terminal has its cursor again."""
    try:
        with uninterrupted():  # the cursor is hidden meanwhile
            display.start()
        yield display
    finally:
        with uninterrupted():
            display.stop()


@contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[Advance]:
    """Show how far `what` has come on standard error, for as long as the block lasts."""
    what = printable(what)
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        from rich import progress as bars
        from rich.console import Console

        columns = (
            bars.TextColumn("{task.description}", markup=False),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            bars.TimeRemainingColumn(),
        )
        with shown(bars.Progress(*columns, console=Console(stderr=True))) as display:
            task = display.add_task(what, total=None)
            yield lambda done, total: display.update(task, completed=done, total=total)
    else:
        due = Due()

        def advance(done: int, total: int) -> None:
            if done >= total or due():
                print(f"{what}: {done}/{total}", file=sys.stderr, flush=True)

        yield advance


@contextmanager
def file_progress(*, quiet: bool) -> Iterator[AdvanceFile]:
    """Show files as they arrive, each with its bytes."""
    if quiet:
        yield lambda name, done, total: None
    elif sys.stderr.isatty():
        from rich import progress as bars
        from rich.console import Console

        columns = (
            bars.TextColumn("{task.description}", markup=False),
            bars.BarColumn(),
            bars.DownloadColumn(),
        )
        tasks: dict[str, bars.TaskID] = {}
        with shown(bars.Progress(*columns, console=Console(stderr=True))) as display:

            def show(name: str, done: int, total: int) -> None:
                if name not in tasks:
                    for earlier in tasks.values():
                        display.update(earlier, visible=False)
                    tasks[name] = display.add_task(name, total=None)
                display.update(tasks[name], completed=done, total=total or None)

            yield show
    else:
        due = Due()

        def line(name: str, done: int, total: int) -> None:
            if done == total or due():
                of = f" of {total:,}" if total > done else ""
                print(f"{name}: {done:,}{of} bytes", file=sys.stderr, flush=True)

        yield line


@contextmanager
def late_progress(name: str, *, quiet: bool = False) -> Iterator[Advance]:
    """Show how much of a file is read, if that takes longer than a moment."""
    began = time.monotonic()
    bars: list[AdvanceFile] = []
    with ExitStack() as opened:

        def advance(done: int, total: int) -> None:
            if not bars and not quiet and time.monotonic() - began > LATE_S:
                bars.append(opened.enter_context(file_progress(quiet=False)))
            for bar in bars:
                bar(printable(name), done, total)

        yield advance


class Due:
    """True once every `LINE_EVERY_S` seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self) -> bool:
        """Whether a line is due now."""
        now = time.monotonic()
        if now - self._last < LINE_EVERY_S:
            return False
        self._last = now
        return True
