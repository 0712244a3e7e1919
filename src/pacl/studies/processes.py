"""Fits of a study, in this process, in several, or on a cluster; one core each."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import torch

from pacl.studies.errors import RunError
from pacl.work import Say, open_workers

NAMED = 3
"""Failures that an error names."""

Fit = TypeVar("Fit")
Work = Callable[[Fit, Say], None]

_ready: set[str] = set()
_getting_ready = threading.Lock()
"""What this process has set up already, and who does it now."""


def run_fits(
    work: Work[Fit],
    fits: Mapping[str, Fit],
    *,
    processes: int,
    where: Path,
    scheduler: str | None = None,
    setup: Callable[[], object] = object,
    on_message: Callable[[str, Any], None] = lambda name, message: None,
    on_finished: Callable[[str], None] = lambda name: None,
) -> None:
    """Run all fits; those that fail are named in one error at the end.

    Each fit has one core, so that its result does not depend on who computes it. A fit whose
    process was killed is started again, and has failed after a few times.

    Parameters
    ----------
    work
        Called with a fit, and with a function that sends messages to `on_message`. In other
        processes it must be a function of a module, as `setup`.
    fits
        What to do, by name, in this order.
    processes
        How many at the same time; 1 for this process.
    where
        Folder that all work in, for error messages.
    scheduler
        Address of a Dask scheduler, whose workers are used instead.
    setup
        Called in each process before its first fit; by default nothing.
    on_message, on_finished
        Called with the name of a fit and a message, and with the name of a fit that has ended
        without an error.
    """
    if not fits:
        return
    failed: dict[str, str] = {}
    one_fit = partial(_run, work, setup, uuid4().hex)
    with open_workers(min(processes, len(fits)), scheduler) as workers:
        for ended in workers.run(one_fit, fits.items(), on_message=on_message):
            if ended.failure is None:
                on_finished(ended.name)
            else:
                failed[ended.name] = ended.failure
    if failed:
        named = "; ".join(f"{name}: {reason}" for name, reason in list(failed.items())[:NAMED])
        more = f"; and {len(failed) - NAMED} more" if len(failed) > NAMED else ""
        raise RunError(
            where,
            f"{len(failed)} of {len(fits)} fits failed: {named}{more}",
            "finished fits are kept; the same command tries the others again",
        )


def _run(work: Work[Fit], setup: Callable[[], object], study: str, fit: Fit, say: Say) -> None:
    """Run a fit on one core."""
    with _one_core():
        with _getting_ready:
            if study not in _ready:
                setup()
                _ready.add(study)
        work(fit, say)


@contextmanager
def _one_core() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
