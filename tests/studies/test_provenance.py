import json
import shutil
from dataclasses import asdict, replace

import pytest
import torch

from pacl.stored import fitted
from pacl.studies.external_evaluation import open_other
from pacl.studies.provenance import WindowsOrigin, environment, open_windows
from pacl.training import TrainingError, usable_device
from pacl.windows import WindowSetError
from support.refusals import refused
from support.small_runs import rewritten, small_windows, write_h5


def test_an_origin_comes_back_from_json():
    _, origin = open_windows(small_windows())
    assert fitted(WindowsOrigin, json.loads(json.dumps(asdict(origin)))) == origin


def test_the_same_window_set_is_opened_again_and_no_other(tmp_path):
    copy = rewritten(small_windows(), tmp_path / "windows", lambda windows: windows)
    windows, origin = open_windows(copy)
    assert len(origin.open()) == len(windows)
    manifest = copy / "manifest.json"
    manifest.write_text(manifest.read_text() + " ")
    assert len(origin.open()) == len(windows)  # what it holds is the same
    rewritten(small_windows(), tmp_path / "other", lambda w: w.select(w.table.start >= 300))
    shutil.rmtree(copy)
    (tmp_path / "other").rename(copy)
    with refused(WindowSetError, "--windows"):
        origin.open()


def test_what_was_learned_or_chosen_by_is_seen_again_and_test_recordings_are_not():
    _, origin = open_windows(small_windows())
    _, later = open_windows(small_windows(stride=2600, split=2))
    assert later.digest != origin.digest
    learned = {e["record"] for e in origin.records if e["part"] != "test"}
    assert 0 < len(learned) < len(origin.records)
    assert origin.recognised(later, "digest") == learned
    only_test = replace(origin, records=tuple(e for e in origin.records if e["part"] == "test"))
    assert origin.recognised(only_test, "digest") == set()
    _, others = open_windows(small_windows(4))
    assert origin.recognised(others, "digest") == set()
    assert origin.recognised(others, "patient")  # names are the same, people are not


def test_processed_windows_are_known_by_their_content(tmp_path):
    one = write_h5(tmp_path / "one.h5", seed=1)
    with open_other(one) as (_, origin), open_other(write_h5(tmp_path / "b.h5", seed=1)) as (_, b):
        assert origin.path == str(one)
        assert origin.digest == b.digest
    with open_other(write_h5(tmp_path / "c.h5", seed=2)) as (_, c):
        assert origin.digest != c.digest


def test_processed_windows_are_the_same_however_their_path_is_spelled(tmp_path, monkeypatch):
    path = write_h5(tmp_path / "one.h5")
    monkeypatch.chdir(tmp_path)
    with open_other(path) as (_, whole), open_other(path.relative_to(tmp_path)) as (_, short):
        assert short == whole


@pytest.mark.parametrize("name", ["banana", "cuda", "meta", "cuda:99", ""])
def test_a_device_that_is_not_there_is_told(name, monkeypatch):
    if torch.cuda.is_available() and name == "cuda":
        pytest.skip("there is one here")
    with refused(TrainingError, f"device {name}: ", "cpu", "auto"):
        usable_device(name)


def test_auto_is_a_device_that_is_there():
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert usable_device("auto").type == expected
    assert usable_device("cpu") == torch.device("cpu")


def test_the_environment_is_plain_json():
    found = environment(torch.device("cpu"))
    assert json.loads(json.dumps(found)) == found
    assert found["device"] == "cpu"
    assert found["scikit-learn"]
