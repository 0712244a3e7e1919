"""The weights that come along are whole, small, alike in both forms, and say what they should."""

from types import SimpleNamespace

import numpy as np
import onnxruntime
import pytest
import torch

from pacl.detect import ReferenceMap, bundled_file
from pacl.detect.bundled import KINDS
from pacl.export import Weights

MOST_BYTES = 2_000_000


def made_up(generator, windows=24):
    """Sinus rhythm that breathes, bigeminy of it, and intervals drawn as in AF."""
    beats = np.arange(200)
    mean_ms = generator.uniform(600, 1100, (windows, 1))
    breath = np.sin(2 * np.pi * (0.25 * beats + generator.random((windows, 1))))
    noise = generator.normal(0, 0.01, (windows, 200))
    sinus = mean_ms * (1 + 0.03 * breath + noise)
    early = np.where(beats % 2, 1.35, 0.65)
    af = mean_ms * 0.75 * generator.lognormal(0, 0.22, (windows, 200))
    return {
        "sinus": sinus.astype(np.float32),
        "bigeminy": (sinus * early).astype(np.float32),
        "af": np.clip(af, 250, 1900).astype(np.float32),
    }


@pytest.fixture(scope="module", params=KINDS)
def name(request):
    return request.param


class TorchSession:
    """Weights without an ONNX file; `pacl.export` has tests that an ONNX file gives the same."""

    def __init__(self, weights):
        self.about, self.scorer = {"name": weights.name, **weights.about}, weights.scorer()
        self.about["window_beats"] = str(weights.window_beats)

    def run(self, outputs, given):
        with torch.no_grad():
            found = self.scorer(torch.from_numpy(given["rr"]))
        named = dict(zip(("probability", "logit", "pooled"), found, strict=True))
        return [named[one].numpy() for one in outputs]

    def get_modelmeta(self):
        return SimpleNamespace(custom_metadata_map=self.about)


@pytest.fixture(scope="module")
def session(name):
    if "onnx" in KINDS[name]:
        return onnxruntime.InferenceSession(bundled_file(name))
    return TorchSession(Weights.read(bundled_file(name, "safetensors")))


@pytest.fixture(scope="module")
def windows():
    return made_up(np.random.default_rng(0))


def test_all_files_are_there_and_small():
    sizes = [bundled_file(name, kind).stat().st_size for name in KINDS for kind in KINDS[name]]
    assert min(sizes) > 1000
    assert sum(sizes) < MOST_BYTES


def test_the_encoder_is_small(name):
    encoder = Weights.read(bundled_file(name, "safetensors")).encoder
    assert sum(parameter.numel() for parameter in encoder.parameters()) < 200_000


def test_both_forms_say_the_same(windows):
    name, session = "af-rr200", onnxruntime.InferenceSession(bundled_file("af-rr200"))
    scorer = Weights.read(bundled_file(name, "safetensors")).scorer()
    rr_ms = np.concatenate(list(windows.values()))
    with torch.no_grad():
        torch_says = scorer(torch.from_numpy(rr_ms))
    onnx_says = session.run(["probability", "logit", "pooled"], {"rr": rr_ms})
    # Windows that hardly vary are divided by little, which magnifies single precision's rounding.
    for ours, theirs, most in zip(torch_says, onnx_says, (5e-5, 5e-4, 1e-5), strict=True):
        np.testing.assert_allclose(theirs, ours.numpy(), atol=most)


def test_the_map_is_that_of_the_weights(windows):
    """Along its first axis, it says what the probe says."""
    name = "af-rr200"
    session = onnxruntime.InferenceSession(bundled_file(name))
    reference = ReferenceMap.read(bundled_file(name, "map.json"))
    weights = Weights.read(bundled_file(name, "safetensors"))
    steep = weights.platt.slope * np.linalg.norm(weights.probe.weight)
    logit, pooled = session.run(["logit", "pooled"], {"rr": windows["af"]})
    np.testing.assert_allclose(steep * reference.place(pooled)[:, 0], logit, atol=1e-3)
    assert min(reference.af.sum(), (~reference.af).sum()) >= 20
    x = reference.place(reference.centres)[:, 0]
    assert np.mean((x > 0) == reference.af) > 0.95


def test_what_they_say(session, windows):
    said = {kind: session.run(["probability"], {"rr": rr_ms})[0] for kind, rr_ms in windows.items()}
    assert np.median(said["sinus"]) < 0.1
    assert np.median(said["bigeminy"]) < 0.1
    assert np.median(said["af"]) > 0.9


@pytest.mark.parametrize("sd_ms", [0.0, 1.0, 4.0, 8.0])
@pytest.mark.parametrize("mean_ms", [500.0, 800.0, 1200.0])
def test_a_heart_like_a_clock_is_not_in_af(session, mean_ms, sd_ms):
    generator = np.random.default_rng(1)
    rr_ms = (mean_ms + generator.normal(0, sd_ms, (20, 200))).astype(np.float32)
    assert session.run(["probability"], {"rr": rr_ms})[0].max() < 0.05


def test_what_is_no_heart_is_not_in_af(session, windows):
    seconds = windows["sinus"] / 1000
    for rr in (np.zeros_like(seconds), seconds):
        assert session.run(["probability"], {"rr": rr.astype(np.float32)})[0].max() < 0.05


def test_a_slower_heart_in_the_same_rhythm_is_judged_alike(session, windows):
    rr_ms = windows["af"][:, :]
    one, other = (
        session.run(["logit"], {"rr": rr_ms * by})[0] for by in (np.float32(1), np.float32(0.9))
    )
    np.testing.assert_allclose(one, other, atol=1e-2)


def test_the_file_says_what_it_is(name, session):
    about = session.get_modelmeta().custom_metadata_map
    assert about["name"] == name
    assert about["window_beats"] == "200"
    assert "ODC-By" in about["data"]


def test_the_card_warns_and_attributes(name):
    card = bundled_file(name, "md").read_text("utf-8")
    for needed in (
        "Not a medical device",
        "ODC-By 1.0",
        "Petrutiu",
        "AUROC",
        "out of fold",
        "afdb",
    ):
        assert needed in card


def test_nothing_of_whoever_made_them_is_inside(name):
    for kind in KINDS[name]:
        content = bundled_file(name, kind).read_bytes()
        assert b"/tmp" not in content
        assert b"/work" not in content
        assert b"/home" not in content


def test_in_bytes_they_say_nearly_the_same(windows):
    exact, rounded = (
        onnxruntime.InferenceSession(bundled_file("af-rr200", kind))
        for kind in ("onnx", "int8.onnx")
    )
    for rr_ms in windows.values():
        said = [each.run(["logit"], {"rr": rr_ms})[0] for each in (exact, rounded)]
        np.testing.assert_allclose(*said, atol=1.0)
        assert np.array_equal(said[0] > 0, said[1] > 0)
