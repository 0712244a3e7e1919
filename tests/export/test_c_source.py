"""The C file: what torch and ONNX Runtime say of a window, in a known number of bytes."""

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import onnxruntime
import pytest
import torch

import pacl
from pacl.export import ExportError, Weights, export_onnx, fold, write_c
from pacl.export.c_layout import slots_of
from pacl.export.c_writer import c_comment, c_floats, int8_of
from pacl.models import Encoder
from support.c_files import SMALL, STRICT, build, compiled, logits_of, made, windows_ms
from support.refusals import refused
from support.traced_once import traced_once as traced_once

CLOSE = 1e-4
OTHERS = {
    "mix": (64, {**SMALL, "pooled_by": "mix"}),
    "no norm": (64, {**SMALL, "norm": "none"}),
    "odd lengths": (61, {**SMALL, "channels": (4, 5, 6, 7)}),
    "one layer": (32, {**SMALL, "channels": (3,)}),
    "one branch": (100, {**SMALL, "kernels": (1,)}),
    "wide kernels": (33, {**SMALL, "kernels": (9, 15), "channels": (3, 2, 4)}),
    "more features than channels": (40, {**SMALL, "pooled_features": 30}),
}


# ---------------------------------------------------------------------------------------- parity


def test_it_says_what_torch_and_onnx_runtime_say(tmp_path):
    weights, rr_ms = made(), windows_ms(420, seed=77)
    export_onnx(weights.scorer(), tmp_path / "af.onnx", about={}, examples=windows_ms(8))
    session = onnxruntime.InferenceSession(tmp_path / "af.onnx")
    found = compiled(weights).logits(rr_ms)
    for expected in (logits_of(weights, rr_ms), session.run(["logit"], {"rr": rr_ms})[0]):
        np.testing.assert_allclose(found, expected, rtol=0, atol=CLOSE)
    assert np.unique(found).size > 250
    assert found.std() > 1


@pytest.mark.parametrize(("beats", "config"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("int8", [False, True])
def test_other_encoders(beats, config, int8):
    weights, rr_ms = made(beats, **config), windows_ms(70, beats, seed=5)
    found = compiled(weights, int8).logits(rr_ms)
    expected = logits_of(rounded(weights) if int8 else weights, rr_ms)
    np.testing.assert_allclose(found, expected, rtol=0, atol=CLOSE)
    assert found.std() > 0.1


def test_steady_windows_are_held_down():
    weights, rr_ms = made(), windows_ms(420, seed=8)
    free = replace(weights, steady=type(weights.steady)())
    bound, found = compiled(weights).logits(rr_ms), compiled(free).logits(rr_ms)
    np.testing.assert_allclose(found, logits_of(free, rr_ms), rtol=0, atol=CLOSE)
    held = bound != found
    assert held.any()
    assert (bound[held] == np.float32(weights.steady.ceiling)).all()
    assert (found[held] > weights.steady.ceiling).all()


def test_intervals_shorter_than_any():
    rr_ms = windows_ms(20, seed=2)
    rr_ms[:, ::7] = 0.25
    rr_ms[-1] = 0.5
    np.testing.assert_allclose(
        compiled(made()).logits(rr_ms), logits_of(made(), rr_ms), rtol=0, atol=CLOSE
    )


# ------------------------------------------------------------------------------------------ int8


def rounded(weights: Weights) -> Weights:
    """The same with the weights that int8 leaves of them, in a network without norms."""
    given = weights.encoder
    encoder = Encoder(**{**given.config, "norm": "none"}, generator=torch.Generator())
    encoder.load_state_dict(given.state_dict(), strict=False)  # the attention
    layers = [one for one in encoder.modules() if isinstance(one, torch.nn.Conv1d)][:-1]
    layers += [encoder.to_pooled] if isinstance(encoder.to_pooled, torch.nn.Linear) else []
    with torch.no_grad():
        for layer, plain in zip(layers, fold(given).layers, strict=True):
            whole, scale = int8_of(plain.weight)
            layer.weight.copy_(
                torch.from_numpy(whole * scale[:, None, None]).reshape(layer.weight.shape)
            )
            layer.bias.copy_(torch.from_numpy(plain.bias))
    return replace(weights, encoder=encoder.eval())


def test_int8_is_torch_with_rounded_weights():
    rr_ms = windows_ms(210, seed=9)
    found = compiled(made(), True).logits(rr_ms)
    np.testing.assert_allclose(found, logits_of(rounded(made()), rr_ms), rtol=0, atol=CLOSE)


def test_int8_costs_little():
    """At most a tenth of the logits' spread, and hardly a pair of windows changes its order."""
    weights, rr_ms = made(), windows_ms(420, seed=9)
    exact, found = logits_of(weights, rr_ms), compiled(weights, True).logits(rr_ms)
    assert np.abs(found - exact).max() < 0.1 * exact.std()
    one, other = np.triu_indices(exact.size, 1)
    same = np.sign(exact[one] - exact[other]) == np.sign(found[one] - found[other])
    assert same.mean() > 0.99
    whole, byte = compiled(weights).told, compiled(weights, True).told
    assert 3.7 < whole.flash_bytes / byte.flash_bytes < 4
    assert replace(whole, flash_bytes=byte.flash_bytes) == byte


def test_int8_by_hand():
    weight = np.array([[[1.0, -0.5]], [[0.0, 0.0]], [[-254.0, 3.0]]], dtype=np.float32)
    whole, scale = int8_of(weight)
    assert whole.ravel().tolist() == [127, -64, 0, 0, -127, 2]
    np.testing.assert_allclose(scale, [1 / 127, 1.0, 2.0], rtol=1e-6)


# ------------------------------------------------------------------------------------- the figures


@pytest.mark.parametrize(("beats", "config"), [(200, {}), *OTHERS.values()])
def test_memory_is_what_is_told(beats, config):
    file = compiled(made(beats, **config))
    assert file.told.ram_bytes == file.library.stream_size()


def test_the_default_encoder_by_hand(tmp_path):
    told = write_c(made(), tmp_path / "af.c")
    branches = sum(16 * k + 16 + 32 * 16 * k + 32 + 64 * 32 * k + 64 for k in (3, 5, 7))
    assert told.parameters == branches + 193 * 192 + 192 + 193 * 128 + 128 + 1
    assert told.flash_bytes == 4 * told.parameters
    macs = sum(k * (16 * 100 + 32 * 16 * 50 + 64 * 32 * 25) for k in (3, 5, 7))
    assert told.macs == macs + 192 * 192 * 25 + 2 * 192 * 25 + 192 * 128 + 2 * 128
    assert told.ram_bytes < 8192


def test_columns_that_are_kept():
    assert slots_of([3], [40, 20]) == []
    assert slots_of([1, 1], [40, 20, 10]) == [1]  # it is used at once
    assert slots_of([7, 7, 7], [200, 100, 50, 25]) == [10, 7]
    assert slots_of([99, 99], [40, 20, 10]) == [20]  # never more than there are


# ---------------------------------------------------------------------------------------- the file


def test_the_same_bytes_again(tmp_path):
    for int8 in (False, True):
        turned = replace(made(), about=dict(reversed(made().about.items())))
        write_c(made(), tmp_path / "one.c", int8=int8)
        write_c(turned, tmp_path / "new" / "other.c", int8=int8)
        assert (tmp_path / "one.c").read_bytes() == (tmp_path / "new/other.c").read_bytes()


def test_it_says_what_it_is(tmp_path):
    told = write_c(made(), tmp_path / "af.c")
    text = (tmp_path / "af.c").read_text()
    comment = " ".join(text[: text.index("*/")].replace("\n *", " ").split())
    for part in (
        f"made-up, written by pacl {pacl.__version__}",
        "Not a medical device",
        "data: nobody's heart",
        f"{told.parameters:,} parameters, {told.macs:,} multiply-adds",
        f"{told.flash_bytes:,} bytes of weights",
        f"{told.ram_bytes:,} bytes of RAM",
    ):
        assert part in comment
    assert "plan" not in comment
    assert not re.search(r"/\* @|nan|inff", text)


def test_it_needs_nothing_else(tmp_path):
    write_c(made(64, **SMALL), tmp_path / "af.c")
    text = (tmp_path / "af.c").read_text().split("#ifdef PACL_MAIN")[0]
    assert set(re.findall("#include (.*)", text)) <= {"<math.h>", "<stddef.h>", "<stdint.h>"}
    if shutil.which("nm") is None:
        pytest.skip("no nm to list symbols with")
    build(tmp_path, "-fno-pic", "-c", "af.c")
    listed = subprocess.run(["nm", "af.o"], cwd=tmp_path, capture_output=True, text=True).stdout
    kinds = [(line.split()[-2], line.split()[-1].lstrip("_")) for line in listed.splitlines()]
    assert not [name for kind, name in kinds if kind in "bBdDC"]  # nothing that is written to
    needed = {name for kind, name in kinds if kind == "U"}
    functions = {"asinhf", "expf", "fmaxf", "fminf", "logf", "sqrtf", "tanhf"}
    assert needed <= functions | {"memset", "memcpy"}


def test_it_is_cpp_too(tmp_path):
    if (cpp := shutil.which("c++")) is None:
        pytest.skip("no C++ compiler: looked for c++")
    for int8 in (False, True):
        write_c(made(64, **SMALL), tmp_path / "af.c", int8=int8)
        command = [cpp, "-x", "c++", *STRICT[1:], "-c", "af.c"]
        assert subprocess.run(command, cwd=tmp_path, timeout=120).returncode == 0


def test_another_prefix_and_declarations_alone(tmp_path):
    write_c(made(64, **SMALL), tmp_path / "af.c", prefix="heart")
    assert "pacl_af" not in (tmp_path / "af.c").read_text().lower()
    (tmp_path / "uses.c").write_text(
        '#define HEART_DECLARE\n#include "af.c"\n'
        "int main(void) { heart_stream s; float p; heart_init(&s);"
        " return heart_push(&s, 800.0f, &p) + (HEART_BEATS != 64); }\n"
    )
    build(tmp_path, "uses.c", "af.c", "-o", "uses", "-lm")
    assert subprocess.run([tmp_path / "uses"]).returncode == 0


def test_words_that_would_end_a_comment(tmp_path):
    about = {"data": "*/ int x; /* ??/ \\", "note": "Ähnlich\nno. 2 /" + "*" * 200 + "/"}
    write_c(replace(made(64, **SMALL), about=about), tmp_path / "af.c")
    build(tmp_path, "-c", "af.c")
    assert c_comment(["a", "b */ c"]) == "/*\n * a\n *\n * b * / c\n */"


def test_floats_come_back_exactly():
    bits = np.random.default_rng(0).integers(0, 0x7F800000, 20_000).astype(np.uint32)
    values = bits.view(np.float32)
    words = c_floats(values)
    assert np.array_equal(np.array([one.removesuffix("f") for one in words], np.float32), values)
    assert all(
        re.fullmatch(r"\d+(\.\d+)?(e[-+]\d+)?f", one) and set(one) & set(".e") for one in words
    )


# ----------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("weights", "arguments", "facts"),
    [
        (made(40, **SMALL), {"prefix": "1st"}, ["prefix '1st'"]),
        (replace(made(40, **SMALL), window_beats=20), {}, ["20 beats", 32]),
    ],
)
def test_what_cannot_be(weights, arguments, facts, tmp_path):
    with refused(ExportError, *facts):
        write_c(weights, tmp_path / "af.c", **arguments)
    assert not list(tmp_path.iterdir())


def test_group_norm_is_refused(tmp_path):
    weights = made(40, channels=(8,), norm="group")
    with refused(ExportError, "--encoder.norm batch"):
        write_c(weights, tmp_path / "af.c")
    assert not list(tmp_path.iterdir())
