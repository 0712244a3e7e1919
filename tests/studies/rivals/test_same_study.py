"""Which studies may go on in a folder: those of the same windows, folds and few patients."""

import json

import pytest

from pacl.studies import RunError
from pacl.studies.rivals import RivalsProtocol, run_rivals
from pacl.studies.rivals.make import _check_same
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


CHANGES = [
    ({"folds": 4}, r"folds 4 \(before: 3\)"),
    ({"fold_seed": 9}, r"fold_seed 9 \(before: 1\)"),
    ({"other_folds": 5}, r"other_folds 5 \(before: 3\)"),
    ({"few": (1,)}, r"few \[1\] \(before: \[1, 4\]\)"),
    ({"folds": 4, "few": (2,)}, r"folds 4 \(before: 3\), few \[2\] \(before: \[1, 4\]\)"),
]


@pytest.mark.parametrize(("change", "told"), CHANGES)
def test_what_the_fits_depend_on_may_change_before_the_first_alone(cohorts, tmp_path, change, told):
    target, here = tmp_path / "study", {"here": cohorts["here"]}
    _check_same(here, target, protocol(**change))
    _check_same(here, target, protocol())
    (target / "jobs").mkdir()
    _check_same(here, target, protocol())
    with pytest.raises(RunError, match=f"study: {told} are not those that were studied here; give"):
        _check_same(here, target, protocol(**change))


def test_a_cohort_may_come_later_and_is_then_known(cohorts, tmp_path):
    target = tmp_path / "study"
    here = {"here": cohorts["here"]}
    _check_same(here, target, protocol())
    (target / "jobs").mkdir()
    _check_same(cohorts, target, protocol())
    _check_same(here, target, protocol())
    assert json.loads((target / "study.json").read_text())["windows"].keys() == cohorts.keys()
    with pytest.raises(RunError, match="the windows of there are not those that were studied here"):
        _check_same({**here, "there": cohorts["here"]}, target, protocol())


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, ".*No such file.*; nothing else says what was fitted"),
        ("{", "cannot be read"),
        ("{}", "windows missing"),
        ('{"windows": 3}', "windows: 3, expected values"),
        ("[]", "a list, expected values"),
    ],
)
def test_fits_that_nobody_knows_of_what_are_refused(cohorts, tmp_path, content, told):
    (tmp_path / "study" / "jobs").mkdir(parents=True)
    if content is not None:
        (tmp_path / "study" / "study.json").write_text(content)
    with pytest.raises(RunError, match=rf"study\.json: {told}.*; put it back, remove jobs to"):
        run_rivals({"here": cohorts["here"]}, tmp_path / "study", protocol())
