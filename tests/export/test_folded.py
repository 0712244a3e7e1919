"""An encoder taken apart: plain layers that say what it says, and what cannot be taken apart."""

import copy
import math

import numpy as np
import pytest
import torch

from pacl.export import ExportError, Folded, Plain, fold
from pacl.models import Encoder
from pacl.models.network import seen
from support.c_files import SMALL, made, windows_ms
from support.refusals import refused

CONFIGS = {
    "batch": SMALL,
    "none": {**SMALL, "norm": "none"},
    "mix": {**SMALL, "pooled_by": "mix"},
    "one layer": {**SMALL, "channels": (3,), "kernels": (1, 5)},
}


def by_loops(folded: Folded, x: np.ndarray) -> np.ndarray:
    """z of one window in double precision, number by number."""

    def convolved(layer: Plain, columns: list[np.ndarray], stride: int) -> list[np.ndarray]:
        outputs, _, taps = layer.weight.shape
        found = []
        for t in range((len(columns) - 1) // stride + 1):
            column = layer.bias.astype(np.float64)
            for tap in range(taps):
                at = stride * t + tap - taps // 2
                for o in range(outputs if 0 <= at < len(columns) else 0):
                    column[o] += layer.weight[o, :, tap].astype(np.float64) @ columns[at]
            found.append(np.maximum(column, 0.0))
        return found

    branches = []
    for branch in folded.branches:
        columns = [np.array([value]) for value in x.tolist()]
        for layer in branch:
            columns = convolved(layer, columns, 2)
        branches.append(columns)
    mixed = convolved(folded.mix, [np.concatenate(one) for one in zip(*branches, strict=True)], 1)
    weight = np.exp([folded.score.astype(np.float64) @ column for column in mixed])
    pooled = sum(w * column for w, column in zip(weight / weight.sum(), mixed, strict=True))
    if folded.to_pooled is None:
        return pooled
    return folded.to_pooled.weight[:, :, 0] @ pooled + folded.to_pooled.bias


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_loops_over_plain_layers_are_the_oracle(config):
    encoder = made(40, **config).encoder
    rr_ms = torch.from_numpy(windows_ms(14, 40, seed=50))
    with torch.no_grad():
        expected = encoder(rr_ms).pooled_raw.numpy()
    folded = fold(encoder)
    found = [by_loops(folded, one) for one in seen("relative", rr_ms.double()).numpy()]
    np.testing.assert_allclose(np.stack(found), expected, rtol=1e-5, atol=1e-5)
    assert expected.std(axis=0).min() > 1e-3


def test_by_hand():
    encoder = Encoder(**SMALL, norm="batch", view="relative").eval()
    layer, norm = encoder.mix[0], encoder.mix[1]
    with torch.no_grad():
        layer.weight.fill_(2.0)
        layer.bias.fill_(1.0)
        norm.running_mean.fill_(3.0)
        norm.running_var.fill_(4.0)
        norm.weight.fill_(0.5)
        norm.bias.fill_(-1.0)
    mix = fold(encoder).mix
    np.testing.assert_allclose(mix.weight, 0.5, rtol=1e-5)  # 2 * 0.5 / sqrt(4)
    np.testing.assert_allclose(mix.bias, -1.5, rtol=1e-5)  # (1 - 3) * 0.5 / sqrt(4) - 1


def test_shapes_and_precision():
    folded = fold(made(40, **SMALL).encoder)
    assert [[one.weight.shape for one in branch] for branch in folded.branches] == [
        [(4, 1, taps), (6, 4, taps)] for taps in (3, 5, 7)
    ]
    assert (folded.mix.weight.shape, folded.score.shape) == ((18, 18, 1), (18,))
    assert folded.to_pooled.weight.shape == (5, 18, 1)
    assert len(folded.layers) == 8
    assert {one.weight.dtype for one in folded.layers} == {np.dtype(np.float32)}


def test_it_is_left_as_it_is():
    encoder = Encoder(**SMALL, norm="batch", view="relative")
    before = copy.deepcopy(encoder.state_dict())
    fold(encoder)
    assert encoder.training
    assert all(torch.equal(value, before[name]) for name, value in encoder.state_dict().items())


@pytest.mark.parametrize(
    ("config", "facts"),
    [
        ({"norm": "group", "groups": 2}, ("group norm", "--encoder.norm batch")),
        ({"view": "given"}, ("view is given", "--encoder.view relative")),
        ({"view": "bent"}, ("view is bent", "--encoder.view relative")),
        ({"in_channels": 2}, ("2 channels", "in_channels = 1")),
    ],
)
def test_what_cannot_be(config, facts):
    encoder = Encoder(**{**SMALL, "norm": "batch", "view": "relative", **config})
    with refused(ExportError, *facts):
        fold(encoder)


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e30])
def test_numbers_that_are_none(value):
    encoder = Encoder(**SMALL, norm="batch", view="relative")
    with torch.no_grad():
        encoder.mix[0].weight[2, 1] = value
        encoder.mix[1].weight.fill_(1e20)
    with refused(ExportError, "encoder", "single precision"):
        fold(encoder)
