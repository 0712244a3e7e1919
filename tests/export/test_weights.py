"""Weights in one file: given back to the bit, the same bytes each time, junk told by its name."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

from pacl.evaluation import Probe
from pacl.evaluation.platt import Platt
from pacl.export import ExportError
from pacl.export.weights import Weights
from pacl.models import Encoder
from support.refusals import refused

SMALL = {"channels": (8, 8, 8), "pooled_features": 8, "projected_features": 8}
BEATS = 40


def made(**config) -> Weights:
    encoder = Encoder(**{**SMALL, **config}, generator=torch.Generator().manual_seed(3))
    generator = np.random.default_rng(0)
    with torch.no_grad():
        for _ in range(3 if config.get("norm") == "batch" else 0):  # it learns its statistics
            encoder.train()(windows(8), {})
    return Weights(
        name="Ähnlich",
        encoder=encoder.eval(),
        probe=Probe(generator.normal(size=8) / 3, 0.1),
        platt=Platt(1 / 3, -math.pi),
        window_beats=BEATS,
        about={"pacl": "0.0", "data": 'nobody\'s "heart", \u2764'},
    )


def windows(count: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return 800 + 100 * torch.randn(count, BEATS, generator=generator)


@pytest.fixture
def path(tmp_path):
    made().write(tmp_path / "a.safetensors")
    return tmp_path / "a.safetensors"


@pytest.mark.parametrize(
    "config", [{}, {"view": "relative"}, {"norm": "batch"}, {"pooled_by": "mix", "kernels": (3,)}]
)
def test_what_is_written_is_read_to_the_bit(tmp_path, config):
    given = made(**config)
    given.write(tmp_path / "a.safetensors")
    found = Weights.read(tmp_path / "a.safetensors")
    assert (found.name, found.window_beats) == (given.name, BEATS)
    assert dict(found.about) == dict(given.about)
    assert found.platt == given.platt
    assert found.probe.to_dict() == given.probe.to_dict()
    assert found.encoder.config == given.encoder.config
    before, after = given.encoder.state_dict(), found.encoder.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    for ours, theirs in zip(found.scorer()(windows(5)), given.scorer()(windows(5)), strict=True):
        assert torch.equal(ours, theirs)


def test_it_comes_back_ready_to_judge(path):
    assert not any(module.training for module in Weights.read(path).encoder.modules())


def test_a_path_may_be_text(path):
    assert Weights.read(str(path)).name == "Ähnlich"


def test_the_same_weights_give_the_same_bytes(path, tmp_path):
    again = made()
    turned = replace(again, about=dict(reversed(again.about.items())))
    for weights in (again, turned, Weights.read(path)):
        weights.write(tmp_path / "b.safetensors")
        assert (tmp_path / "b.safetensors").read_bytes() == path.read_bytes()
    replace(again, platt=Platt(0.25, 0.0)).write(tmp_path / "b.safetensors")
    assert (tmp_path / "b.safetensors").read_bytes() != path.read_bytes()


def test_writing_leaves_the_encoder_as_it_is(tmp_path):
    given = made()
    given.encoder.train()
    given.write(tmp_path / "a.safetensors")
    assert given.encoder.training
    assert all(one.requires_grad for one in given.encoder.parameters())


def test_the_scorer_is_probe_and_calibration(path):
    weights = Weights.read(path)
    scores = weights.scorer()(windows(9))
    with torch.no_grad():
        pooled = weights.encoder(windows(9)).pooled.numpy()
    assert np.array_equal(scores.pooled.numpy(), pooled)
    logit = weights.probe.logit(pooled)
    assert scores.logit.numpy() == pytest.approx(weights.platt.logit(logit), abs=1e-6)
    assert scores.probability.numpy() == pytest.approx(
        weights.platt.probability(logit), rel=0, abs=1e-6
    )


def rewritten(path, change):
    """The file with what is stated in it changed."""
    tensors = load(path.read_bytes())
    header = path.read_bytes()[8 : 8 + int.from_bytes(path.read_bytes()[:8], "little")]
    stated = json.loads(json.loads(header)["__metadata__"]["pacl"])
    path.write_bytes(save(tensors, {"pacl": json.dumps(change(stated))}))


def without(key):
    return lambda stated: {name: value for name, value in stated.items() if name != key}


def stating(**changed):
    return lambda stated: stated | changed


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        (stating(format="pacl weights 2"), "'pacl weights 2'"),
        (lambda stated: [], "a list"),
        (stating(encoder={"layers": 3}), "layers"),
        (stating(encoder={}), "of shape"),
        (stating(encoder={**SMALL, "norm": "none"}), "tensor "),
        (stating(probe={"weight": []}), "bias"),
        (stating(probe={"weight": [1.0], "bias": "much"}), "'much'"),
        (stating(platt={"slope": 1.0, "twist": 2.0}), "twist"),
        (stating(window_beats="many"), "many"),
        (stating(window_beats=0), "window_beats: 0"),
        (stating(platt={"slope": float("nan"), "intercept": 0.0}), "slope: nan"),
        (stating(probe={"weight": [1.0] * 3, "bias": 0.0}), 3),
        (stating(steady={"variation": -1.0, "ceiling": 0.0}), "variation"),
        *((without(key), key) for key in ("format", "name", "encoder", "probe", "platt", "about")),
    ],
)
def test_what_is_stated_must_be_weights(path, change, fact):
    rewritten(path, change)
    with refused(ExportError, path, fact, "pacl weights"):
        Weights.read(path)


@pytest.mark.parametrize("size", [0, 4, 8, 100, 2000, -1])
def test_a_torn_file_is_told_by_its_name(path, size):
    content = path.read_bytes()
    path.write_bytes(content[:size])
    with refused(ExportError, path):
        Weights.read(path)


@pytest.mark.parametrize(
    "content",
    [
        b"not safetensors at all, but long enough to have a header",
        b"\xff" * 64,
        save({"x": torch.zeros(3)}),
        save({"x": torch.zeros(3)}, {"format": "pt"}),
        save({"x": torch.zeros(3)}, {"pacl": "{"}),
    ],
    ids=["text", "ones", "no metadata", "other metadata", "no JSON"],
)
def test_another_file_is_told_by_its_name(tmp_path, content):
    path = tmp_path / "b.safetensors"
    path.write_bytes(content)
    with refused(ExportError, path, "pacl weights"):
        Weights.read(path)


def test_no_file_and_a_folder(tmp_path):
    for path in (tmp_path / "none.safetensors", tmp_path):
        with pytest.raises(ExportError) as caught:
            Weights.read(path)
        assert str(path) in str(caught.value)
