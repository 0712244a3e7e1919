"""Which comparisons may be resumed in a folder: those of the same windows and protocol."""

import pytest

from pacl.studies import RunError
from pacl.studies.rivals import RivalsProtocol
from pacl.studies.rivals.job import JobResult, RivalJob, is_done, rename_former_systems
from pacl.studies.rivals.make import start_rivals
from pacl.studies.study_folder import read_study
from support.refusals import refused
from support.window_sets import make_set


@pytest.fixture(scope="module")
def cohorts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cohorts")
    for seed, name in enumerate(("here", "there")):
        (folder / name).mkdir()
        make_set(seed=seed, patients=12, window_beats=20, stride=5).write(folder / name)
    return {name: folder / name for name in ("here", "there")}


def protocol(**changes):
    return RivalsProtocol(**{"methods": ("statistics",), "folds": 3, "few": (1, 4), **changes})


def test_cohorts_may_be_added_and_what_fits_depend_on_may_not_change(cohorts, tmp_path):
    here = {"here": cohorts["here"]}
    start_rivals(here, tmp_path, protocol(folds=4))
    start_rivals(here, tmp_path, protocol())
    (tmp_path / "jobs" / "one").mkdir(parents=True)
    start_rivals(cohorts, tmp_path, protocol())
    start_rivals(here, tmp_path, protocol())
    assert read_study(tmp_path, "rivals")["windows"].keys() == cohorts.keys()
    with refused(RunError, tmp_path, "folds 3 / 4", "few [1, 4] / [2]"):
        start_rivals(here, tmp_path, protocol(folds=4, few=(2,)))
    with refused(RunError, tmp_path, "windows.there "):
        start_rivals({**here, "there": cohorts["here"]}, tmp_path, protocol())


def test_results_of_a_system_by_its_former_name_are_found(tmp_path):
    import numpy as np

    job = RivalJob("main", "here", "here", "", "patient-aware", 0, 1, 0)
    result = JobResult(np.arange(3), np.zeros(3, np.float32), {}, 0.5, 1.0, {}, "cpu")
    result.write(tmp_path / job.path, job)
    content = (tmp_path / job.path).read_bytes()
    (tmp_path / job.path).parent.rename((tmp_path / job.path).parent.with_name("proposed"))
    assert not is_done(tmp_path, job)
    rename_former_systems(tmp_path)
    assert is_done(tmp_path, job)
    assert (tmp_path / job.path).read_bytes() == content
