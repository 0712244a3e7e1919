"""`pacl export` as a person meets it."""

import json
import shutil

import numpy as np
import onnxruntime
import pytest

from pacl.detect import bundled_file
from pacl.evaluation import embed
from pacl.export import write_c
from pacl.studies import RunFolder
from pacl.studies.provenance import WindowsOrigin
from pacl.windows import WindowSet
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


@pytest.mark.parametrize(
    ("words", "told"), [([], "--output or -o"), (["-o", "model.pt"], "ending in .onnx or .c")]
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
    assert f"{tmp_path / 'link.onnx'}: it is the input {model}" in said.err
    weights = tmp_path / "weights.c"
    weights.write_bytes(before)
    said = pacl(capsys, "export", weights, "-o", weights)
    assert said.status == 2
    assert "it is the input" in said.err
    assert model.read_bytes() == weights.read_bytes() == before


def test_a_file_in_the_run_can_be_written_again(capsys, run):
    for _ in range(2):
        assert pacl(capsys, "export", run.path, "-o", run.path / "model.onnx").status == 0


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
    assert "64 made-up windows" in said.out
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
        f"{path}: {told.parameters:,} parameters, {told.macs:,} multiply-adds a window, "
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
    assert f"{run.path} cannot be written as C: " in said.err
    assert "train with --encoder.norm batch" in said.err
    assert not (tmp_path / "af.c").exists()


def test_weights_that_come_along_are_known_by_name(capsys, tmp_path):
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
    assert "af-rr2000: not a run, nor a file; give a folder of pacl train" in said.err
    assert "af-rr200-edge" in said.err


def test_a_file_that_holds_no_weights(capsys, tmp_path):
    (tmp_path / "a.safetensors").write_bytes(b"nothing")
    said = pacl(capsys, "export", tmp_path / "a.safetensors", "-o", tmp_path / "af.c")
    assert said.status == 2
    assert f"{tmp_path / 'a.safetensors'}: no weights (" in said.err


def test_int8_in_onnx_needs_windows(capsys, weights, tmp_path):
    said = pacl(capsys, "export", weights, "-o", tmp_path / "model.onnx", "--int8")
    assert said.status == 2
    assert "int8 needs windows" in said.err
    assert not (tmp_path / "model.onnx").exists()


def test_windows_are_for_int8_in_onnx_alone(capsys, weights, tmp_path):
    for given in (["-o", tmp_path / "model.onnx"], ["-o", tmp_path / "model.c", "--int8"]):
        said = pacl(capsys, "export", weights, *given, "--windows", tmp_path)
        assert said.status == 2
        assert "--windows is for --int8 in .onnx alone" in said.err


def test_the_tolerance_is_for_onnx_without_int8_alone(capsys, weights, tmp_path):
    for given in (["-o", tmp_path / "model.onnx", "--int8"], ["-o", tmp_path / "model.c"]):
        said = pacl(capsys, "export", weights, *given, "--tolerance", "1e-5")
        assert said.status == 2
        assert "--tolerance is for .onnx without --int8 alone; leave it out" in said.err


def test_a_run_as_int8(capsys, run, tmp_path, monkeypatch):
    """It has too few weights to become smaller, and is told so."""
    path = tmp_path / "small.onnx"
    said = pacl(capsys, "export", run.path, "-o", path, "--int8")
    assert said.status == 2
    assert "are no less than" in said.err
    assert not path.exists()
    monkeypatch.setattr("pacl.export.int8.Int8Figures.why_not", None)
    said = pacl(capsys, "export", run.path, "-o", path, "--int8")
    assert said.status == 0
    assert f"{path.stat().st_size:,} bytes instead of" in said.out
    assert "AUROC" in said.out
