"""The LSTM with a logit for every beat: shape, size, what it must not see."""

import pytest
import torch

from pacl.af.networks.beat_lstm import BeatLSTM
from pacl.models import ModelError
from support.refusals import refused


def small(**changed):
    shape = {"units": 6, "layer_units": 5, "margin_beats": 20, "mean_beats": 5, **changed}
    return BeatLSTM(**shape, generator=torch.Generator().manual_seed(0)).eval()


def beats(crops, count, seed=0):
    drawn = torch.randn(crops, count, generator=torch.Generator().manual_seed(seed))
    return 800 * torch.exp(0.2 * drawn), torch.ones(crops, count, dtype=torch.bool)


def test_as_large_as_documented():
    assert 50_000 < sum(one.numel() for one in BeatLSTM().parameters()) < 100_000


def test_one_logit_for_every_beat_but_its_reach():
    network = small()
    assert network.reach == 20 + 2
    assert network(*beats(3, 60)).shape == (3, 60 - 2 * 22)


def test_it_reads_in_both_directions():
    network = small()
    rr_ms, present = beats(1, 80)
    for beat in (network.reach + 3, network.reach + 13):
        changed = rr_ms.clone()
        changed[0, beat] *= 2
        assert network(changed, present)[0, 8] != network(rr_ms, present)[0, 8]


def test_what_is_absent_does_not_matter():
    network = small()
    rr_ms, present = beats(1, 80)
    present[:, :30] = False
    other = rr_ms.clone()
    other[:, :30] = 333.0
    assert torch.equal(network(rr_ms, present), network(other, present))


def test_its_config_makes_it_anew():
    network = small()
    again = BeatLSTM(**network.config)
    again.load_state_dict(network.state_dict())
    given = beats(1, 60)
    assert torch.equal(again(*given), network(*given))


def test_first_weights_come_from_the_generator():
    one, other = (small().state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("wrong", [{"units": 0}, {"mean_beats": 10}, {"margin_beats": 0}])
def test_impossible_shapes_are_refused(wrong):
    with refused(ModelError, next(iter(wrong))):
        small(**wrong)


def test_too_few_beats_are_refused():
    with refused(ModelError, 44, 45):
        small()(*beats(1, 44))
