"""The network with a logit for every beat: its reach, its inputs by hand, what it must not see."""

import math

import pytest
import torch

from pacl.af.networks.beat_network import COARSE, FINE, BeatNetwork, beat_inputs
from pacl.models import ModelError
from support.refusals import refused


def small(**changed):
    made = BeatNetwork(
        **{"channels": 6, "kernel": 3, "dilations": (1, 2, 4), "mean_beats": 5, **changed},
        generator=torch.Generator().manual_seed(0),
    )
    with torch.no_grad():
        for block in made.blocks:  # as if it had learned
            block.norm.running_mean.uniform_(-0.1, 0.1, generator=torch.Generator().manual_seed(1))
    return made.eval()


def beats(crops, count, seed=0):
    drawn = torch.randn(crops, count, generator=torch.Generator().manual_seed(seed))
    return 800 * torch.exp(0.2 * drawn), torch.ones(crops, count, dtype=torch.bool)


def test_as_large_as_documented():
    assert sum(one.numel() for one in BeatNetwork().parameters()) < 100_000
    assert BeatNetwork().reach == 2 * (1 + 2 * 127) + 50


def test_one_logit_for_every_beat_but_its_reach():
    network = small()
    assert network.reach == 1 + 1 + 2 + 4 + 2
    assert network(*beats(2, 60)).shape == (2, 60 - 2 * network.reach)


def test_a_logit_depends_on_its_reach_and_on_nothing_beyond():
    network = small()
    rr_ms, present = beats(1, 80)
    middle = network.reach + 20
    for away in (network.reach, network.reach + 1):
        for side in (-1, 1):
            changed = rr_ms.clone()
            changed[0, middle + side * away] *= 2
            same = bool(network(changed, present)[0, 20] == network(rr_ms, present)[0, 20])
            assert same == (away > network.reach)


def test_a_network_for_streams_looks_ahead_by_what_it_says():
    network = small(widest_ahead=1)
    assert network.ahead == 1 + 1
    assert network.behind == 1 + 1 + 4 + 8 + 4
    rr_ms, present = beats(1, 80)
    at = network.behind + 20
    for away in (-network.behind - 1, -network.behind, network.ahead, network.ahead + 1):
        changed = rr_ms.clone()
        changed[0, at + away] *= 2
        same = bool(network(changed, present)[0, 20] == network(rr_ms, present)[0, 20])
        assert same == (not -network.behind <= away <= network.ahead)


def test_wherever_a_recording_is_cut_its_logits_are_the_same():
    network = small()
    rr_ms, present = beats(1, 200)
    whole = network(rr_ms, present)[0]
    reach = network.reach
    part = network(rr_ms[:, 50 : 120 + 2 * reach], present[:, 50 : 120 + 2 * reach])[0]
    torch.testing.assert_close(part, whole[50:120], rtol=0, atol=1e-6)


def test_what_is_absent_does_not_matter():
    network = small()
    rr_ms, present = beats(1, 80)
    present[:, :30] = False
    other = rr_ms.clone()
    other[:, :30] = 333.0
    assert torch.equal(network(rr_ms, present), network(other, present))


def test_inputs_by_hand():
    rr_ms = torch.tensor([[800.0, 800.0, 1600.0, 800.0]])
    present = torch.tensor([[True, True, True, False]])
    deviation, coarse, fine, mean, there = beat_inputs(rr_ms, present, 3, 1)[0].tolist()
    two = math.log(2)
    assert mean == pytest.approx([0, 2 * two / 3, 2 * two / 2, 0])
    assert deviation[2] == pytest.approx(math.asinh(COARSE * two / 2))
    assert coarse == pytest.approx([0, 0, math.asinh(COARSE * two), 0])
    assert fine == pytest.approx([0, 0, math.asinh(FINE * two) / 2, 0])
    assert there == [1, 1, 1, 0]


def test_pauses_and_bursts_are_clipped():
    rr_ms, present = beats(1, 5)
    rr_ms[0, 2] = 9000.0
    long = beat_inputs(rr_ms, present, 3, 1)
    rr_ms[0, 2] = 3000.0
    assert torch.equal(long, beat_inputs(rr_ms, present, 3, 1))


def test_the_size_of_irregularity_survives():
    """Half of the variation gives other inputs, wherever the mean lies."""
    steady, present = beats(1, 300)
    weaker = 800 * (steady / 800) ** 0.5
    full, half = (beat_inputs(one, present, 101, 50)[0, 1].abs().mean() for one in (steady, weaker))
    assert half < 0.75 * full


def test_first_weights_come_from_the_generator():
    one, other = (small().state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_gradients_reach_every_weight():
    network = small().train()
    network(*beats(4, 60)).square().sum().backward()
    assert all(one.grad is not None and one.grad.abs().sum() > 0 for one in network.parameters())


@pytest.mark.parametrize(
    "wrong",
    [{"kernel": 4}, {"mean_beats": 10}, {"channels": 0}, {"dilations": ()}, {"dilations": (0,)}],
)
def test_impossible_shapes_are_refused(wrong):
    with refused(ModelError, next(iter(wrong))):
        small(**wrong)


def test_too_few_beats_are_refused():
    network = small()
    with refused(ModelError, 2 * network.reach + 1):
        network(*beats(1, 2 * network.reach))
