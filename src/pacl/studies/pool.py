"""Fits of a study, one after another or in several processes, with one core each."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import torch

from pacl.errors import PaclError
from pacl.studies.errors import RunError
from pacl.studies.processes import Say, work_in_processes

Fit = TypeVar("Fit")
NAMED = 3
"""Failures that an error names."""


def run_fits(
    work: Callable[[Fit, Say], None],
    fits: Mapping[str, Fit],
    *,
    processes: int,
    where: Path,
    setup: Callable[[], object] = object,
    on_message: Callable[[str, Any], None] = lambda name, message: None,
    on_finished: Callable[[str], None] = lambda name: None,
) -> None:
    """Run all fits; those that fail are named in one error at the end.

    Each fit has one core, so that its result does not depend on the number of processes.

    Parameters
    ----------
    work
        Called with a fit, and with a function that sends messages to `on_message`. With several
        processes it must be a function of a module, as `setup`.
    fits
        What to do, by name, in this order.
    processes
        How many at the same time; 1 for this process.
    where
        Folder that all work in, for error messages.
    setup
        Called in each process before its first fit; by default nothing.
    on_message, on_finished
        Called with the name of a fit and a message, and with the name of a fit that has ended
        without an error.
    """
    failed: dict[str, str] = {}

    def done(name: str, reason: str | None) -> None:
        if reason is None:
            on_finished(name)
        else:
            failed[name] = reason

    if processes == 1:
        with _one_core():
            setup()
            for name, fit in fits.items():
                done(name, _reason(work, fit, partial(on_message, name)))
    elif fits:
        work_in_processes(
            partial(_reason_of_named, work),
            list(fits.items()),
            processes=processes,
            where=where,
            setup=partial(_one_core_and, setup),
            on_message=lambda task, message: on_message(task[0], message),
            on_result=lambda task, reason: done(task[0], reason),
        )
    if failed:
        named = "; ".join(f"{name}: {reason}" for name, reason in list(failed.items())[:NAMED])
        more = f"; and {len(failed) - NAMED} more" if len(failed) > NAMED else ""
        raise RunError(
            where,
            f"{len(failed)} of {len(fits)} fits failed: {named}{more}",
            "finished fits are kept; the same command tries the others again",
        )


def _reason(work: Callable[[Fit, Say], None], fit: Fit, say: Say) -> str | None:
    """Why a fit failed, if it did."""
    try:
        work(fit, say)
    except (PaclError, OSError) as error:
        return str(error)
    return None


def _reason_of_named(
    work: Callable[[Fit, Say], None], task: tuple[str, Fit], say: Say
) -> str | None:
    return _reason(work, task[1], say)


def _one_core_and(setup: Callable[[], object]) -> None:
    torch.set_num_threads(1)
    setup()


@contextmanager
def _one_core() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
