"""What every network keeps to: shapes, unit length, masks, first weights, its config."""

import json
from collections.abc import Callable

import pytest
import torch

from pacl.af.networks import AndersenNetwork, FaustNetwork
from pacl.models import Encoder, ModelError, Network
from pacl.testing import EncoderContract
from support.refusals import refused

BEATS = 200
NETWORKS: dict[str, Callable[..., Network]] = {
    "encoder": lambda **more: Encoder(**{"view": "relative", **more}),
    "andersen": AndersenNetwork,
    "faust": FaustNetwork,
}


class Contract(EncoderContract):
    """With windows in ms."""

    name = "encoder"

    def make(self, seed=0):
        return NETWORKS[self.name](generator=torch.Generator().manual_seed(seed))

    def windows(self, count, seed=0):
        return beats_ms(count, seed=seed)[:, None]


class TestEncoder(Contract):
    unlearned = ("attention.score.bias",)  # Eq. 5's softmax does not see it


class TestAndersen(Contract):
    name = "andersen"


class TestFaust(Contract):
    name = "faust"


@pytest.fixture(params=NETWORKS)
def make(request) -> Callable[..., Network]:
    def seeded(seed: int = 0, **more) -> Network:
        return NETWORKS[request.param](generator=torch.Generator().manual_seed(seed), **more)

    return seeded


def beats_ms(windows: int, beats: int = BEATS, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return 800 + 100 * torch.randn(windows, beats, generator=generator)


@pytest.mark.parametrize("training", [False, True])
def test_shapes_and_unit_length(make, training):
    out = make(pooled_features=24, projected_features=16).train(training)(beats_ms(3))
    assert [tuple(one.shape) for one in out] == [(3, 24), (3, 16), (3, 24), (3, 16)]
    for raw, unit in ((out.pooled_raw, out.pooled), (out.projected_raw, out.projected)):
        torch.testing.assert_close(unit.norm(dim=1), torch.ones(3))
        torch.testing.assert_close(raw / raw.norm(dim=1, keepdim=True), unit)


def test_e_is_made_of_z_before_it_is_normalised(make):
    network = make().eval()
    out = network(beats_ms(2))
    torch.testing.assert_close(
        network.project_out(network.project(out.pooled_raw)), out.projected_raw
    )


def test_evaluation_is_deterministic_and_training_is_not(make):
    network, x = make().eval(), beats_ms(3)
    assert torch.equal(network(x).projected, network(x).projected)
    network.train()
    assert not torch.equal(network(x).projected, network(x).projected)


def test_masks_given_are_masks_drawn(make):
    network, x = make().train(), beats_ms(4)
    one, same, other = (
        network.draw_masks(4, BEATS, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    out = network(x, one).projected
    assert torch.equal(out, network(x, same).projected)
    assert not torch.equal(out, network(x, other).projected)
    with torch.random.fork_rng(devices=[]):  # as without masks, from torch's own generator
        torch.manual_seed(1)
        torch.testing.assert_close(network(x).projected, out)
    whole = {place: torch.ones_like(mask) for place, mask in one.items()}
    torch.testing.assert_close(network(x, whole).projected, network.eval()(x).projected)


def test_masks_drop_their_share(make):
    mask = make(dropout=0.3).draw_masks(200, BEATS, torch.Generator().manual_seed(0))["pooled"]
    assert mask.shape == (200, 128)
    assert (mask == 0).double().mean().item() == pytest.approx(0.3, abs=0.02)
    assert mask.mean().item() == pytest.approx(1, abs=0.03)


def test_no_dropout_trains_as_it_evaluates(make):
    network, x = make(dropout=0.0), beats_ms(2)
    assert network.draw_masks(2, BEATS) == {}
    torch.testing.assert_close(network.train()(x).projected, network.eval()(x).projected)


def test_its_config_makes_another(make):
    network, x = make(pooled_features=32, dropout=0.25), beats_ms(2)
    config = json.loads(json.dumps(network.config))
    assert {"view": "relative", "pooled_features": 32, "dropout": 0.25}.items() <= config.items()
    again = type(network)(**config)
    assert again.config == network.config
    again.load_state_dict(network.state_dict())
    assert torch.equal(again.eval()(x).projected, network.eval()(x).projected)


def test_a_slow_heart_looks_like_a_fast_one(make):
    network, x = make().eval(), beats_ms(3)
    torch.testing.assert_close(network(x).pooled, network(1.7 * x).pooled, rtol=1e-3, atol=1e-4)
    given = make(view="given", dropout=0.0).eval()
    assert (given(x / 100).pooled - given(1.7 * x / 100).pooled).abs().max() > 1e-3


def test_constant_and_wild_windows_have_finite_embeddings(make):
    for x in (torch.full((2, BEATS), 800.0), torch.zeros(2, BEATS), 1e6 * beats_ms(2)):
        assert all(one.isfinite().all() for one in make().eval()(x))


@pytest.mark.parametrize("shape", [(2, 31), (2, 1, 20), (2, 2, BEATS), (2, 0)])
def test_other_shapes_are_refused(make, shape):
    with refused(ModelError, f"{shape[-1]})"):
        make()(torch.ones(shape))


@pytest.mark.parametrize("wrong", [{"dropout": 1.0}, {"pooled_features": 0}])
def test_other_arguments_are_refused(make, wrong):
    with pytest.raises(ModelError):
        make(**wrong)


# --------------------------------------------------------------------------- of each by itself


def size(network: Network) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


def test_sizes_by_hand():
    projection = 2 * (128 * 128 + 128)
    lstm = 4 * (64 * 100 + 100 * 100 + 2 * 100)
    convolutions = (5 * 32 + 32) + (5 * 32 * 64 + 64)
    assert size(AndersenNetwork()) == convolutions + lstm + 100 * 128 + 128 + projection == 122_848
    both_ways = 2 * 4 * (100 + 100 * 100 + 2 * 100)
    assert size(FaustNetwork()) == both_ways + 200 * 128 + 128 + projection == 141_152


def test_fausts_z_is_the_mean_of_the_halves():
    network = FaustNetwork(view="given", generator=torch.Generator().manual_seed(0)).eval()
    x = beats_ms(3) / 800 - 1
    first, second = (network(half).pooled_raw for half in (x[:, :100], x[:, 100:]))
    torch.testing.assert_close(network(x).pooled_raw, (first + second) / 2)
    swapped = torch.cat([x[:, 100:], x[:, :100]], dim=1)
    torch.testing.assert_close(network(swapped).pooled_raw, network(x).pooled_raw)


def test_andersens_order_matters():
    network = AndersenNetwork(view="given", generator=torch.Generator().manual_seed(0)).eval()
    x = beats_ms(1) / 800 - 1
    assert (network(x.flip(1)).pooled_raw - network(x).pooled_raw).abs().max() > 1e-3


def test_everything_wrong_is_told_at_once():
    with refused(
        ModelError, *("AndersenNetwork", "channels [8, 0]", "units 0", "dropout -1.0", "kernel 4")
    ):
        AndersenNetwork(kernel=4, units=0, channels=(8, 0), dropout=-1.0)
    with refused(ModelError, "(2, 150)", "multiple of 100 beats"):
        FaustNetwork()(torch.ones(2, 150))
    with refused(ModelError, "(2, 20)", "at least 32 beats"):
        AndersenNetwork()(torch.ones(2, 20))
