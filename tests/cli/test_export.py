"""`pacl export` as a person meets it."""

import json
import shutil

import numpy as np
import onnxruntime
import pytest

from pacl.detect import bundled_file
from pacl.evaluation import embed
from pacl.export import write_c
from pacl.rr import RRWindowSet
from pacl.studies import RunFolder
from pacl.studies.provenance import WindowsOrigin
from support.c_files import SMALL, logits_of, made, windows_ms
from support.small_runs import BEATS, copied, pacl, small_run, small_windows


@pytest.fixture
def run(tmp_path):
    return copied(small_run(), tmp_path / "run")


def test_the_file_says_what_the_run_says(capsys, run, tmp_path):
    path = tmp_path / "new" / "model.onnx"
    said = pacl(capsys, "export", run.path, "-o", path)
    assert said.status == 0, said.err
    assert said.out.startswith(f"{path}: ")
    assert "64 windows (of the run)" in said.out
    windows = RRWindowSet.open(small_windows()).select(np.arange(20))
    session = onnxruntime.InferenceSession(path)
    told = session.run(["probability"], {"rr": windows.windows()})[0]
    expected = run.probe().probability(embed(run.encoder(), windows).pooled)
    np.testing.assert_allclose(told, expected, atol=1e-5)
    about = session.get_modelmeta().custom_metadata_map
    assert about["name"] == "subject-aware"
    assert json.loads(about["encoder"])["pooled_features"] == 8


def test_windows_that_no_longer_exist_are_simulated(capsys, run, tmp_path, monkeypatch):
    monkeypatch.setattr(WindowsOrigin, "open", lambda self: RRWindowSet.open(tmp_path / "gone"))
    said = pacl(capsys, "export", run.path, "-o", tmp_path / "model.onnx")
    assert said.status == 0, said.err
    assert "64 windows (simulated)" in said.out


@pytest.mark.parametrize(
    ("words", "told"), [([], "--output or -o"), (["-o", "model.pt"], ".onnx or .c")]
)
def test_the_file_has_to_be_named(capsys, run, words, told):
    said = pacl(capsys, "export", run.path, *words)
    assert said.status == 2
    assert told in said.err


def test_nothing_that_is_read_is_overwritten(capsys, run, tmp_path):
    model = run.path / "model.safetensors"
    before = model.read_bytes()
    (tmp_path / "link.onnx").symlink_to(model)
    said = pacl(capsys, "export", run.path, "-o", tmp_path / "link.onnx")
    assert said.status == 2
    assert str(tmp_path / "link.onnx") in said.err
    assert str(model) in said.err
    weights = tmp_path / "weights.c"
    weights.write_bytes(before)
    said = pacl(capsys, "export", weights, "-o", weights)
    assert said.status == 2
    assert str(weights) in said.err
    assert model.read_bytes() == weights.read_bytes() == before


def test_a_file_in_the_run_can_be_written_again(capsys, weights, run):
    (run.path / "af.c").write_text("older")
    assert pacl(capsys, "export", weights, "-o", run.path / "af.c").status == 0
    assert "PACL_AF_BEATS" in (run.path / "af.c").read_text()


def test_what_differs_is_not_written(capsys, run, tmp_path):
    path = tmp_path / "model.onnx"
    said = pacl(capsys, "export", run.path, "-o", path, "--tolerance", "0")
    assert said.status == 2
    assert not path.exists()


def test_no_run(capsys, tmp_path):
    said = pacl(capsys, "export", tmp_path, "-o", tmp_path / "model.onnx")
    assert said.status == 2
    assert str(tmp_path) in said.err


def test_a_run_without_a_probe(capsys, run, tmp_path):
    (run.path / "probe.json").unlink()
    shutil.rmtree(run.path / "test")
    said = pacl(capsys, "export", run.path, "-o", tmp_path / "model.onnx")
    assert said.status == 2
    assert "probe" in said.err


# ---------------------------------------------------------------------------------- weights, and C


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "made.safetensors"
    made(BEATS, **SMALL).write(path)
    return path


def test_weights_as_onnx(capsys, weights, tmp_path):
    path = tmp_path / "model.onnx"
    said = pacl(capsys, "export", weights, "-o", path)
    assert said.status == 0, said.err
    assert "64 windows (simulated)" in said.out
    rr_ms = windows_ms(20, BEATS)
    session = onnxruntime.InferenceSession(path)
    told = session.run(["logit"], {"rr": rr_ms})[0]
    np.testing.assert_allclose(told, logits_of(made(BEATS, **SMALL), rr_ms), atol=1e-5)
    about = session.get_modelmeta().custom_metadata_map
    assert (about["name"], about["data"]) == ("made-up", "nobody's heart")


@pytest.mark.parametrize("flags", [[], ["--int8"]])
def test_weights_as_c(capsys, weights, tmp_path, flags):
    path = tmp_path / "new" / "af.c"
    said = pacl(capsys, "export", weights, "-o", path, *flags)
    assert said.status == 0, said.err
    told = write_c(made(BEATS, **SMALL), tmp_path / "own.c", int8=bool(flags))
    assert path.read_bytes() == (tmp_path / "own.c").read_bytes()
    assert said.out == (
        f"{path}: {told.parameters:,} parameters, {told.macs:,} multiply-adds per window, "
        f"{told.flash_bytes:,} bytes of weights, {told.ram_bytes:,} bytes of RAM\n"
    )


def test_a_run_as_c_is_not_calibrated(capsys, run, tmp_path, monkeypatch):
    features = {"channels": (8, 8, 8), "pooled_features": 8, "projected_features": 8}
    encoder = made(BEATS, **features).encoder
    monkeypatch.setattr(RunFolder, "encoder", lambda self: encoder)
    said = pacl(capsys, "export", run.path, "-o", tmp_path / "af.c")
    assert said.status == 0, said.err
    text = (tmp_path / "af.c").read_text()
    assert f"#define PACL_AF_BEATS {BEATS}\n" in text
    assert f"#define PROBE_BIAS ({np.float32(run.probe().bias):.9g}f)" in text
    assert "#define STEADY_VARIATION (0.0f)" in text


def test_what_cannot_be_c_is_named(capsys, run, tmp_path):
    said = pacl(capsys, "export", run.path, "-o", tmp_path / "af.c")
    assert said.status == 2
    assert str(run.path) in said.err
    assert "--encoder.norm batch" in said.err
    assert not (tmp_path / "af.c").exists()


def test_bundled_weights_are_known_by_name(capsys, tmp_path):
    said = pacl(capsys, "export", "af-rr200", "-o", tmp_path / "model.onnx")
    assert said.status == 0, said.err
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    rr_ms = windows_ms(20)
    told, expected = (
        one.run(["logit"], {"rr": rr_ms})[0]
        for one in (session, onnxruntime.InferenceSession(bundled_file("af-rr200")))
    )
    np.testing.assert_allclose(told, expected, atol=1e-4)


def test_nothing_of_that_name(capsys, tmp_path):
    said = pacl(capsys, "export", "af-rr2000", "-o", tmp_path / "af.c")
    assert said.status == 2
    assert all(fact in said.err for fact in ("af-rr2000", "pacl train", "af-rr200-edge"))


def test_a_file_that_holds_no_weights(capsys, tmp_path):
    (tmp_path / "a.safetensors").write_bytes(b"nothing")
    said = pacl(capsys, "export", tmp_path / "a.safetensors", "-o", tmp_path / "af.c")
    assert said.status == 2
    assert str(tmp_path / "a.safetensors") in said.err


def test_int8_in_onnx_needs_windows(capsys, weights, tmp_path):
    said = pacl(capsys, "export", weights, "-o", tmp_path / "model.onnx", "--int8")
    assert said.status == 2
    assert "--windows" in said.err
    assert not (tmp_path / "model.onnx").exists()


def test_windows_are_for_int8_in_onnx_alone(capsys, weights, tmp_path):
    for given in (["-o", tmp_path / "model.onnx"], ["-o", tmp_path / "model.c", "--int8"]):
        said = pacl(capsys, "export", weights, *given, "--windows", tmp_path)
        assert said.status == 2
        assert all(fact in said.err for fact in ("--windows", "--int8", ".onnx"))


def test_the_tolerance_is_for_onnx_without_int8_alone(capsys, weights, tmp_path):
    for given in (["-o", tmp_path / "model.onnx", "--int8"], ["-o", tmp_path / "model.c"]):
        said = pacl(capsys, "export", weights, *given, "--tolerance", "1e-5")
        assert said.status == 2
        assert all(fact in said.err for fact in ("--tolerance", "--int8", ".onnx"))


def test_a_run_as_int8(capsys, run, tmp_path, monkeypatch):
    """It has too few weights to become smaller, and is told so."""
    path = tmp_path / "small.onnx"
    said = pacl(capsys, "export", run.path, "-o", path, "--int8")
    assert said.status == 2
    assert "bytes" in said.err
    assert not path.exists()
    monkeypatch.setattr("pacl.export.int8.Int8Figures.why_not", None)
    said = pacl(capsys, "export", run.path, "-o", path, "--int8")
    assert said.status == 0
    assert f"{path.stat().st_size:,} bytes instead of" in said.out
    assert "AUROC" in said.out
