import hashlib
import json

import numpy as np
import pytest
import torch

from pacl.atomic_write import TargetError
from pacl.evaluation import embed
from pacl.models import Encoder, WeightsError
from pacl.rr import RRWindowSet
from pacl.studies import RunError, RunFolder
from pacl.studies.external_evaluation import evaluate_external
from pacl.studies.released import import_released
from support.refusals import refused
from support.small_runs import small_windows

pytestmark = pytest.mark.reference


@pytest.fixture
def checkpoint(reference):
    return reference / "released-checkpoint.pth"


def test_without_windows_it_is_an_encoder(checkpoint, tmp_path):
    run = import_released(checkpoint, tmp_path / "run", device="cpu")
    assert sorted(path.name for path in run.path.iterdir()) == [
        "config.json",
        "environment.json",
        "model.safetensors",
    ]
    released = Encoder.from_released(checkpoint).state_dict()
    found = RunFolder.open(run.path).encoder().state_dict()
    assert found.keys() == released.keys()
    assert all(torch.equal(found[key], released[key]) for key in found)
    assert run.title == "released"
    assert run.config["imported"] == {
        "file": "released-checkpoint.pth",
        "sha256": hashlib.sha256(checkpoint.read_bytes()).hexdigest(),
    }
    assert run.origin is None
    assert run.evaluations() == {}
    with refused(RunError, "--windows"):
        evaluate_external(run, small_windows(4), device=torch.device("cpu"))
    with refused(RunError, "'test'"):
        run.evaluated("test")


def test_with_windows_it_is_judged(checkpoint, tmp_path):
    state = torch.get_rng_state()
    run = import_released(checkpoint, tmp_path / "run", windows=small_windows(), device="cpu")
    assert torch.equal(torch.get_rng_state(), state)
    assert list(run.evaluations()) == ["validation", "test"]
    windows = RRWindowSet.open(small_windows()).part("test")
    made = embed(Encoder.from_released(checkpoint), windows)
    judged = run.evaluated("test")
    assert np.allclose(judged.embeddings.pooled, made.pooled, atol=1e-6)
    assert np.array_equal(run.probe().probability(judged.embeddings.pooled), judged.probability)
    stated = json.loads((run.path / "windows.json").read_text())
    assert stated["path"] == str(small_windows())
    assert (run.path / "split.json").exists()


def test_nothing_is_overwritten_and_no_half_run_is_left(checkpoint, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine.txt").write_text("mine")
    with refused(TargetError, tmp_path):
        import_released(checkpoint, tmp_path / "run", device="cpu")
    (tmp_path / "bad.pth").write_bytes(checkpoint.read_bytes()[:1000])
    with refused(WeightsError, "bad.pth"):
        import_released(tmp_path / "bad.pth", tmp_path / "new", device="cpu")
    assert not (tmp_path / "new").exists()
