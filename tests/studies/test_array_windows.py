"""Windows of any signal, as runs take them."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from pacl.studies import RunFolder, open_windows, train_run
from pacl.studies.errors import RunError
from pacl.studies.external_evaluation import check_length, check_not_learned
from pacl.studies.provenance import WindowsOrigin, check_scaling, seen_beats
from pacl.studies.run import LearningWindows, check_parts, parts_to_learn
from pacl.windows import WindowSet, WindowSetError
from support.array_sets import made_arrays, made_set
from support.refusals import refused
from support.small_runs import plan

LONG = {"subjects": 9, "each": 12, "channels": 1, "length": 32}


@pytest.fixture
def folder(tmp_path):
    made_set().write(tmp_path / "w")
    return tmp_path / "w"


def test_a_run_knows_where_its_windows_are_from(folder):
    windows, origin = open_windows(folder)
    assert isinstance(windows, WindowSet)
    assert (origin.window_beats, origin.channels) == (10, 2)
    assert origin.class_names == ("rest", "run", "walk")
    assert origin.records[0] == {
        "record": "0-0",
        "patient": "subject 0",
        "part": "train",
        "digest": "",
    }
    assert np.array_equal(origin.open().take(), windows.take())
    with refused(WindowSetError, folder, "not the window set of the run"):
        replace(origin, digest="other").open()


def test_windows_that_were_learned_from_are_recognised(folder):
    windows, origin = open_windows(folder)
    seen = seen_beats(windows.part("train"), windows.part("validation"))
    renamed = made_set(subjects=["x"] * 36, records=["x"] * 36, split=["test"] * 36)
    with refused(RunError, "other", "x"):
        check_not_learned(seen, None, renamed, origin, folder.with_name("other"))
    check_not_learned(seen, None, windows.part("test"), origin, folder)


def test_windows_of_other_classes_or_channels_are_refused(folder):
    _, origin = open_windows(folder)
    check_length(origin, origin, folder)
    with refused(RunError, folder, "class_names", "jump"):
        check_length(origin, replace(origin, class_names=("rest", "run", "jump")), folder)
    with refused(RunError, folder, "channels", 3):
        check_length(origin, replace(origin, channels=3), folder)


def test_the_view_of_beats_is_refused(folder):
    windows, _ = open_windows(folder)
    check_scaling("given", windows, folder)
    with refused(RunError, folder, "relative"):
        check_scaling("relative", windows, folder)


def test_a_part_without_a_class_is_refused(folder):
    windows = made_set(labels=["rest", "walk"] * 18, class_names=("rest", "walk", "run"))
    with refused(RunError, folder, "train", "no run"):
        check_parts(windows, folder, {"train"})


def test_the_test_part_is_not_learned_from(folder):
    windows, _ = open_windows(folder)
    learning = LearningWindows.of(*parts_to_learn(windows, folder), torch.device("cpu"))
    assert len(learning.on_device) == 12
    assert learning.train.table.split.present() == ("train",)


def test_a_run_is_trained_on_arrays(tmp_path):
    given = made_arrays(**LONG)
    given["labels"] = np.where(given["labels"] == "rest", "rest", "walk")
    given["x"] += (given["labels"] == "walk")[:, None, None] * np.sin(np.arange(32))
    WindowSet.from_arrays(**given).write(tmp_path / "w")
    run = train_run(tmp_path / "w", tmp_path / "run", plan(epochs=1), device="cpu")
    assert isinstance(run, RunFolder)
    assert run.finished
    assert isinstance(run.origin, WindowsOrigin)
    assert run.origin.class_names == ("rest", "walk")
    assert run.seen().size == 72
