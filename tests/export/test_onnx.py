"""The ONNX file: it says what torch says, for any number of windows, and nothing else."""

import copy
import json
import logging
import math
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

import pacl
from pacl.evaluation import Probe
from pacl.export import ExportError, Parity, Scorer, export_onnx, measure_parity
from pacl.export import onnx as module
from pacl.models import Encoder
from support.refusals import refused

CONFIGS = {"default": {}, "batch, mix": {"norm": "batch", "pooled_by": "mix"}}
ABOUT = {"title": "a scorer", "licence": "MIT", "note": "Vorhofflimmern: \u00e4hnlich"}
OUTPUTS = ("probability", "logit", "pooled")


def scorer_of(**config) -> Scorer:
    encoder = Encoder(**config, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        for _ in range(10 if config.get("norm") == "batch" else 0):  # it learns its statistics
            encoder.train()(torch.from_numpy(windows(32)), {})
    probe = Probe(2 * np.random.default_rng(1).normal(size=128), 0.3)
    return Scorer(encoder, probe, slope=1.2, intercept=-0.4)


def windows(count: int, beats: int = 200, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, beats)).astype(np.float32)


def session(path: Path) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


@pytest.fixture(scope="module", params=list(CONFIGS))
def exported(request, tmp_path_factory) -> tuple[Scorer, Path, Parity]:
    scorer = scorer_of(**CONFIGS[request.param])
    path = tmp_path_factory.mktemp("exported") / "new" / "scorer.onnx"
    return scorer, path, export_onnx(scorer, path, about=ABOUT, examples=windows(40))


@pytest.fixture
def ready(exported, monkeypatch) -> tuple[Scorer, onnx.ModelProto]:
    """A scorer and the graph that it is turned into, without waiting for torch again."""
    scorer, path, _ = exported
    model = onnx.load(path)
    model.ClearField("metadata_props")
    monkeypatch.setattr(module, "to_onnx", lambda *_: model)
    return scorer, model


# ---------------------------------------------------------------------------------------- parity


@pytest.mark.parametrize("count", [1, 2, 3, 33])
def test_it_says_what_torch_says(exported, count):
    scorer, path, _ = exported
    x = windows(count, seed=5)
    found = session(path).run(list(OUTPUTS), {"rr": x})
    for ours, theirs in zip(found, scorer(torch.from_numpy(x)), strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-5)


def test_what_it_says_depends_on_the_window(exported):
    logit = session(exported[1]).run(["logit"], {"rr": windows(33)})[0]
    assert np.unique(logit).size == 33
    assert logit.std() > 1e-2


def test_parity_is_the_largest_difference(exported):
    scorer, path, parity = exported
    assert parity.windows == 40
    for name in OUTPUTS:
        assert 0 <= getattr(parity, name) <= 1e-5
    assert parity == measure_parity(scorer, path.read_bytes(), windows(40))
    changed = copy.deepcopy(scorer)
    changed.bias += 0.5
    off = measure_parity(changed, path.read_bytes(), windows(40))
    logit = changed(torch.from_numpy(windows(40))).logit.abs()
    assert off.logit == pytest.approx(0.5 / max(1.0, float(logit.min())), abs=1e-5)
    assert off.pooled == parity.pooled


@pytest.mark.parametrize("beyond", [0.0, 9.0, -24.0])
def test_of_what_is_beyond_one_a_difference_is_a_share(exported, ready, beyond):
    """Logits around 9 that are 0.5 off are so by a share of about 0.05."""
    scorer, model = copy.deepcopy(ready[0]), copy.deepcopy(ready[1])
    scorer.bias += beyond
    _set_bias(model, float(scorer.bias) + 0.5)
    off = measure_parity(scorer, model.SerializeToString(), windows(40)).logit
    shares = [0.5 / max(1.0, abs(one)) for one in scorer(torch.from_numpy(windows(40))).logit]
    assert off == pytest.approx(float(max(shares)), rel=1e-4)
    assert off < 0.5 or not beyond


def _set_bias(model: onnx.ModelProto, value: float) -> None:
    (bias,) = (each for each in model.graph.initializer if each.name == "bias")
    like = onnx.numpy_helper.to_array(bias)
    bias.CopyFrom(onnx.numpy_helper.from_array(np.full_like(like, value), "bias"))


def test_what_is_not_a_number_is_never_within():
    assert Parity(1, 0.0, 0.25, 0.0).within(0.25)
    assert not Parity(1, 0.0, 0.26, 0.0).within(0.25)
    assert not Parity(1, math.nan, 0.0, 0.0).within(math.inf)


def test_a_difference_is_caught_and_nothing_is_written(ready, tmp_path):
    scorer, model = ready
    _set_bias(model, float(scorer.bias) + 1e-3)
    with refused(
        ExportError, *("scorer.onnx", "in probability", "in logit", "in pooled", 20, "1e-05")
    ):
        export_onnx(scorer, tmp_path / "scorer.onnx", about={}, examples=windows(20))
    assert not list(tmp_path.iterdir())


def test_no_tolerance_leaves_an_older_file_alone(ready, tmp_path):
    path = tmp_path / "scorer.onnx"
    path.write_bytes(b"older")
    with refused(ExportError, path, "tolerance is 0"):
        export_onnx(ready[0], path, about={}, examples=windows(300), tolerance=0.0)
    assert path.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [path]


def test_a_network_that_counts_its_windows_is_refused(tmp_path):
    class Counting(Scorer):
        def forward(self, rr):
            return super().forward(rr + len(rr))

    scorer = Counting(scorer_of().encoder, Probe(np.zeros(128), 0.0))
    with refused(ExportError, "ONNX", "window"):
        export_onnx(scorer, tmp_path / "scorer.onnx", about={}, examples=windows(8))
    assert not list(tmp_path.iterdir())


# -------------------------------------------------------------------------------------- the file


def test_input_and_outputs_are_named(exported):
    run = session(exported[1])
    assert [(each.name, each.shape, each.type) for each in run.get_inputs()] == [
        ("rr", ["window", 200], "tensor(float)")
    ]
    assert [(each.name, each.shape) for each in run.get_outputs()] == [
        ("probability", ["window"]),
        ("logit", ["window"]),
        ("pooled", ["window", 128]),
    ]


def test_metadata(exported):
    scorer, path, _ = exported
    stated = dict(session(path).get_modelmeta().custom_metadata_map)
    assert json.loads(stated.pop("encoder")) == scorer.encoder.config
    assert stated.pop("window_beats") == "200"
    assert stated == ABOUT
    model = onnx.load(path)
    assert (model.producer_name, model.producer_version) == ("pacl", pacl.__version__)


def test_the_same_bytes_again(exported, tmp_path):
    scorer, path, _ = exported
    shuffled = dict(reversed(ABOUT.items()))
    export_onnx(scorer, tmp_path / "again.onnx", about=shuffled, examples=windows(7, seed=3))
    assert (tmp_path / "again.onnx").read_bytes() == path.read_bytes()


def test_one_file_with_little_but_the_weights(exported):
    scorer, path, _ = exported
    assert list(path.parent.iterdir()) == [path]
    head = sum(each.numel() for each in scorer.encoder.project.parameters())
    head += sum(each.numel() for each in scorer.encoder.project_out.parameters())
    used = sum(each.numel() for each in scorer.parameters()) - head
    assert path.stat().st_size < 4 * used + 20_000  # what only training needs is not there


def test_no_place_on_this_machine_is_told(exported):
    content = exported[1].read_bytes()
    source = Path(pacl.__file__).parents[1]
    places = {source, Path(torch.__file__).parents[1], Path.home(), tempfile.gettempdir()}
    for place in (*map(str, places), "site-packages", "stack_trace", "pkg.torch"):
        assert len(place) < 4 or place.encode() not in content, place


def test_it_opens_without_torch(exported):
    code = (
        "import sys, numpy, onnxruntime\n"
        "options = onnxruntime.SessionOptions()\n"
        "options.intra_op_num_threads = 1\n"
        "run = onnxruntime.InferenceSession(sys.argv[1], options)\n"
        "print(run.run(['probability'], {'rr': numpy.zeros((2, 200), 'float32')})[0].shape)\n"
        "print([name for name in ('torch', 'onnx', 'pacl') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(exported[1])], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "(2,)\n[]\n", done.stderr


def test_other_windows_without_a_word(tmp_path, capfd):
    level = logging.getLogger("torch.onnx").level
    scorer, path = scorer_of(norm="none"), tmp_path / "scorer.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parity = export_onnx(scorer, path, window_beats=61, about={}, examples=windows(9, 61))
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("torch.onnx").level == level
    assert parity.windows == 9
    assert session(path).get_inputs()[0].shape == ["window", 61]
    assert session(path).get_modelmeta().custom_metadata_map["window_beats"] == "61"


# --------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"examples": windows(6)}, ("(6, 200)", 7)),
        ({"examples": windows(9, 100)}, ("(9, 100)", "(window, 200)")),
        ({"window_beats": 100}, ("(9, 200)", "(window, 100)")),
        ({"examples": windows(9).astype(float)}, ("float64", "float32")),
        ({"about": {"encoder": "{}", "a": "b"}}, ("encoder",)),
        ({"about": {"window_beats": "1"}}, ("window_beats",)),
    ],
)
def test_arguments_that_cannot_be(change, facts, tmp_path):
    unchecked = getattr(export_onnx, "__wrapped__", export_onnx)
    arguments = {"about": {}, "examples": windows(9), **change}
    with refused(ExportError, *facts):
        unchecked(scorer_of(), tmp_path / "scorer.onnx", **arguments)
    assert not list(tmp_path.iterdir())


def test_names_the_example_that_is_not_finite(tmp_path):
    examples = windows(9)
    examples[3:5, 7] = math.nan
    with refused(ExportError, "2 of 9 examples", "window 3"):
        export_onnx(scorer_of(), tmp_path / "scorer.onnx", about={}, examples=examples)
