"""Fits in processes: what they say, and which failures are named."""

import os
import time
from functools import partial

import pytest
import torch

from pacl.studies import RunError
from pacl.studies.processes import run_fits
from pacl.work.processes import ONE_THREAD
from support.refusals import refused


def test_what_breaks_in_a_process_is_named_with_its_place(tmp_path):
    with refused(RuntimeError, "TypeError"):
        run_fits(time.sleep, {"two": 0, "three": 0}, processes=2, where=tmp_path)


def fit(number, say):
    say(torch.get_num_threads())
    if number % 2:
        raise RunError(f"fit {number}", "odd", "give an even number")


@pytest.fixture
def two_threads():
    """Torch uses two threads here, so that one is a difference."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.started_anew
@pytest.mark.parametrize("processes", [1, 2])
def test_fits_have_one_core_and_failures_are_named_at_the_end(
    tmp_path, processes, monkeypatch, two_threads
):
    for name in ONE_THREAD:
        monkeypatch.setenv(name, "2")
    threads, finished = [], []
    with refused(RunError, tmp_path, "2 of 4", "fit 1", "fit 3"):
        run_fits(
            fit,
            {f"number {number}": number for number in range(4)},
            processes=processes,
            where=tmp_path,
            on_message=lambda name, message: threads.append(message),
            on_finished=finished.append,
        )
    assert sorted(finished) == ["number 0", "number 2"]
    assert threads == [1] * 4
    assert torch.get_num_threads() == 2


def test_killed_processes_are_named_with_a_remedy(tmp_path):
    with refused(RunError, tmp_path, "2 of 2", "status 7", "--workers"):
        run_fits(
            fit,
            {"a": 0, "b": 2},
            processes=2,
            where=tmp_path,
            setup=partial(os._exit, 7),
        )
