"""Fits side by side: what becomes of those that are killed."""

import os
from functools import partial

import pytest

from pacl.studies import RunError
from pacl.studies.rivals import pool
from pacl.studies.rivals.job import RivalJob
from pacl.studies.rivals.pool import Place, run_jobs

JOBS = [RivalJob("main", "here", "here", "", "patient-aware", 0, 1, fold) for fold in range(4)]


def test_fits_that_were_killed_say_what_to_do(tmp_path, monkeypatch):
    # Pickled by name, so that processes that know nothing of this test die of it.
    monkeypatch.setattr(pool, "_one_of_many", partial(os._exit, 1))
    place = Place(tmp_path, {"here": tmp_path}, {"here": 4}, 1, (), "cpu")
    with pytest.raises(
        RunError,
        match=r"killed, most likely for want of memory; .* the same command, .* fewer --threads",
    ):
        run_jobs(JOBS, place, processes=2)
