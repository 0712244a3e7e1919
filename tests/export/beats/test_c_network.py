"""The network in C: logits as torch's, and bytes that change them by little."""

import numpy as np
import pytest
import torch

from pacl.af.networks.beat_network import beat_inputs
from pacl.export.beats import PlainNetwork, fold_norm
from pacl.export.beats.rings import LARGEST_SHARE, is_rounded, scales_of
from pacl.export.c_writer import int8_of
from pacl.export.plain import Plain
from pacl.records import GAP_MS, open_records
from support.beat_c import CALM, SOME, compiled_beats
from support.beat_networks import SMALL_STREAM, beats, made_network, torch_logits

BUNDLED = {"channels": 24, "widest_ahead": 4}
WIDE = {**SMALL_STREAM, "dilations": (1, 2, 8, 1, 16)}
CONFIGS = {
    "as bundled": BUNDLED,
    "small": WIDE,
    "no block is wide": SMALL_STREAM,
    "looks ahead by 8": {**WIDE, "widest_ahead": 8},
    "mean of 3": {**WIDE, "mean_beats": 3},
    "kernel of 1": {**WIDE, "kernel": 1},
    "kernel of 7": {**WIDE, "kernel": 7},
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_it_says_what_torch_says(config):
    network, rr_ms = made_network(**config), beats(700)
    rr_ms[50:600:13] = 90.0
    rr_ms[50:600:17] = GAP_MS
    found = compiled_beats(network).logits(rr_ms, network.ahead)
    np.testing.assert_allclose(found, torch_logits(network, rr_ms), rtol=0, atol=1e-4)
    assert found.std() > 0.05


def test_over_more_beats_than_any_ring_holds():
    network, rr_ms = made_network(**WIDE), beats(5000)
    found = compiled_beats(network).logits(rr_ms, network.ahead)
    np.testing.assert_allclose(found, torch_logits(network, rr_ms), rtol=0, atol=1e-4)


# ------------------------------------------------------------------------------------------- int8


def rounded_logits(folded: PlainNetwork, scales: list[float], inputs: np.ndarray) -> np.ndarray:
    """Logits in double precision, with weights and older columns rounded to bytes."""

    def convolved(layer: Plain, older: np.ndarray, newest: np.ndarray, dilation: int = 1):
        whole, scale = int8_of(layer.weight)
        taps, count = whole.shape[2], newest.shape[1] - (whole.shape[2] - 1) * dilation
        given = [older] * (taps - 1) + [newest]
        total = sum(whole[:, :, k].astype(np.float64) @ one[:, k * dilation : k * dilation + count]
                    for k, one in enumerate(given))  # fmt: skip
        return total * scale[:, None] + layer.bias[:, None]

    found = convolved(folded.first, inputs, inputs)
    for block, scale in zip(folded.blocks, np.float32(scales), strict=True):
        older = np.clip(np.rint(found / scale), -127, 127) * scale if scale else found
        wide = np.maximum(convolved(block.wide, older, found, block.dilation), 0.0)
        around = found[:, block.before : found.shape[1] - block.after]
        found = around + convolved(block.point, wide, wide)
    relued = np.maximum(found, 0.0)
    return convolved(folded.head, relued, relued)[0]


@pytest.mark.parametrize("calm", [False, True], ids=["fits", "too large for a byte"])
def test_bytes_are_what_rounding_leaves(calm):
    network, rr_ms = made_network(**WIDE), beats(900)
    folded = fold_norm(network)
    scales = scales_of(network, folded, [CALM if calm else SOME])
    assert [scale > 0 for scale in scales] == [False, False, True, False, True]
    given = torch.from_numpy(np.append(np.zeros(network.behind, np.float32), rr_ms))[None]
    there = torch.arange(given.numel())[None] >= network.behind
    inputs = beat_inputs(given, there, network.mean_beats, 0)[0].numpy()
    expected = rounded_logits(folded, scales, inputs[:, network.mean_beats - 1 :])
    away = np.abs(
        compiled_beats(network, int8=True, calm=calm).logits(rr_ms, network.ahead) - expected
    )
    assert np.median(away) < 1e-5
    assert np.quantile(away, 0.9) < 1e-4  # now and then a number lies between two bytes
    exact = np.abs(torch_logits(network, rr_ms) - expected)
    assert np.median(exact) > 1e-4  # what is rounded is not what is exact


def test_bytes_cost_little():
    """As a rule a twentieth of the logits' spread, and never a fifth."""
    network, rr_ms = made_network(**BUNDLED), beats(1000)
    exact = torch_logits(network, rr_ms)
    away = compiled_beats(network, int8=True).logits(rr_ms, network.ahead) - exact
    assert np.sqrt(np.mean(away**2)) < 0.05 * exact.std()
    assert np.abs(away).max() < 0.2 * exact.std()


def test_scales_hold_nearly_all_that_comes_in():
    network = made_network(**WIDE)
    folded, examples = fold_norm(network), [beats(1500), beats(500, seed=1)]
    scales = scales_of(network, folded, examples)
    seen: list[np.ndarray] = []
    hook = network.blocks[2].register_forward_hook(lambda block, x, y: seen.append(x[0].numpy()))
    for one in examples:
        torch_logits(network, one)
    hook.remove()
    values = np.abs(np.concatenate([one.ravel() for one in seen]))
    assert is_rounded(folded.blocks[2])
    assert scales[2] * 127 == pytest.approx(np.quantile(values, LARGEST_SHARE), rel=0.02)


# -------------------------------------------------------------------------------- real recordings


@pytest.mark.real
def test_bytes_cost_little_on_real_beats(data):
    reader = open_records(data / "afdb")
    record = reader.read(reader.record_ids[0])
    start, stop = next(iter(record.stretches()))
    rr_ms = record.rr_ms[start : min(stop, start + 2000)].astype(np.float32)
    network = made_network(**BUNDLED)
    exact = torch_logits(network, rr_ms)
    found = compiled_beats(network, int8=True).logits(rr_ms, network.ahead)
    assert np.sqrt(np.mean((found - exact) ** 2)) < 0.05 * exact.std()
