"""`pacl export` as a person meets it."""

import json
import shutil

import numpy as np
import onnxruntime
import pytest

from pacl.evaluation import embed
from pacl.studies.provenance import WindowsOrigin
from pacl.windows import WindowSet
from support.small_runs import copied, pacl, small_run, small_windows


@pytest.fixture
def run(tmp_path):
    return copied(small_run(), tmp_path / "run")


def test_the_file_says_what_the_run_says(capsys, run, tmp_path):
    path = tmp_path / "new" / "model.onnx"
    said = pacl(capsys, "export", run.path, "-o", path)
    assert said.status == 0, said.err
    assert said.out.startswith(f"{path}: ")
    assert "64 of its own windows" in said.out
    windows = WindowSet.open(small_windows()).select(np.arange(20))
    session = onnxruntime.InferenceSession(path)
    told = session.run(["probability"], {"rr": windows.windows()})[0]
    expected = run.probe().probability(embed(run.encoder(), windows).pooled)
    np.testing.assert_allclose(told, expected, atol=1e-5)
    about = session.get_modelmeta().custom_metadata_map
    assert about["name"] == "patient-aware"
    assert json.loads(about["encoder"])["pooled_features"] == 8


def test_windows_that_are_gone_are_made_up(capsys, run, tmp_path, monkeypatch):
    monkeypatch.setattr(WindowsOrigin, "open", lambda self: WindowSet.open(tmp_path / "gone"))
    said = pacl(capsys, "export", run.path, "-o", tmp_path / "model.onnx")
    assert said.status == 0, said.err
    assert "64 made-up windows" in said.out


@pytest.mark.parametrize("words", [[], ["-o", "model.pt"]])
def test_the_file_has_to_be_named(capsys, run, words):
    said = pacl(capsys, "export", run.path, *words)
    assert said.status == 2
    assert "ending in .onnx" in said.err


def test_what_differs_is_not_written(capsys, run, tmp_path):
    path = tmp_path / "model.onnx"
    said = pacl(capsys, "export", run.path, "-o", path, "--tolerance", "0")
    assert said.status == 2
    assert not path.exists()


def test_no_run(capsys, tmp_path):
    said = pacl(capsys, "export", tmp_path, "-o", tmp_path / "model.onnx")
    assert said.status == 2
    assert "not a run" in said.err


def test_a_run_without_a_probe(capsys, run, tmp_path):
    (run.path / "probe.json").unlink()
    shutil.rmtree(run.path / "test")
    said = pacl(capsys, "export", run.path, "-o", tmp_path / "model.onnx")
    assert said.status == 2
    assert "no probe was fitted" in said.err
