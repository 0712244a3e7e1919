"""A beat network taken apart: plain layers that say what it says."""

import copy

import numpy as np
import pytest
import torch

from pacl.af.networks.beat_network import BeatNetwork, beat_inputs
from pacl.export import ExportError
from pacl.export.beats import PlainNetwork, fold_norm
from pacl.export.plain import Plain
from support.beat_networks import SMALL, SMALL_STREAM, beats, made_network
from support.refusals import refused


def by_loops(folded: PlainNetwork, inputs: np.ndarray) -> np.ndarray:
    """Logits in double precision, column by column."""

    def convolved(layer: Plain, columns: np.ndarray, dilation: int = 1) -> np.ndarray:
        weight, taps = layer.weight.astype(np.float64), layer.weight.shape[2]
        return np.stack(
            [
                layer.bias + sum(weight[:, :, k] @ columns[:, t + k * dilation]
                                 for k in range(taps))
                for t in range(columns.shape[1] - (taps - 1) * dilation)
            ],
            axis=1,
        )  # fmt: skip

    found = convolved(folded.first, inputs)
    for block in folded.blocks:
        wide = np.maximum(convolved(block.wide, found, block.dilation), 0.0)
        around = found[:, block.before : found.shape[1] - block.after]
        found = around + convolved(block.point, wide)
    return convolved(folded.head, np.maximum(found, 0.0))[0]


@pytest.mark.parametrize("config", [SMALL, SMALL_STREAM], ids=["both ways", "stream"])
def test_loops_over_plain_layers_are_the_oracle(config):
    network = made_network(**config)
    rr_ms = torch.from_numpy(beats(80))[None]
    present = torch.ones_like(rr_ms, dtype=torch.bool)
    with torch.no_grad():
        expected = network(rr_ms, present)[0].numpy()
    inputs = beat_inputs(rr_ms, present, network.mean_beats, network.mean_ahead)[0].numpy()
    behind = network.mean_beats - 1 - network.mean_ahead
    inputs = inputs[:, behind : 80 - network.mean_ahead]
    found = by_loops(fold_norm(network), inputs)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert expected.std() > 0.1


def test_it_is_left_as_it_is():
    network = BeatNetwork(**SMALL)
    before = copy.deepcopy(network.state_dict())
    fold_norm(network)
    assert network.training
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())


def test_a_network_that_has_diverged_is_refused():
    network = BeatNetwork(**SMALL)
    with torch.no_grad():
        network.blocks[1].norm.running_mean.fill_(torch.nan)
    with refused(ExportError, "network", "single precision"):
        fold_norm(network)


def test_a_mean_of_one_beat_is_refused():
    with refused(ExportError, "mean_beats"):
        fold_norm(BeatNetwork(**{**SMALL, "mean_beats": 1}))
