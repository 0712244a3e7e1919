"""The encoder: its size, its shapes, its masks, its first weights, and its variants."""

import json
import math

import pytest
import torch
from torch import nn

from pacl.models import Encoder, ModelError
from pacl.objectives import SubjectContrastiveLoss
from support.refusals import refused


def seeded(seed: int = 0, **kwargs) -> Encoder:
    return Encoder(**kwargs, generator=torch.Generator().manual_seed(seed))


def windows(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def size(encoder: Encoder) -> int:
    return sum(parameter.numel() for parameter in encoder.parameters())


# ------------------------------------------------------------------------------- size and shape


def test_135_009_parameters():
    encoder = Encoder()
    # by hand: a convolution has in * out * k + out, a norm 2 * out
    branches = sum(
        (1 * 16 + 16 * 32 + 32 * 64) * k + (16 + 32 + 64) + 2 * (16 + 32 + 64) for k in (3, 5, 7)
    )
    mix = 192 * 192 + 192 + 2 * 192
    attention = 192 + 1
    linear = 192 * 128 + 128
    projection = 2 * (128 * 128 + 128)
    assert branches + mix + attention + linear + projection == 135_009
    assert size(encoder) == 135_009
    assert len(encoder.state_dict()) == 48


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("beats", [32, 33, 47, 200, 1000])
def test_outputs(beats, training):
    out = seeded().train(training)(windows(3, beats))
    for one in out:
        assert one.shape == (3, 128)
    for one in (out.pooled, out.projected):
        torch.testing.assert_close(one.norm(dim=1), torch.ones(3))
    for raw, unit in ((out.pooled_raw, out.pooled), (out.projected_raw, out.projected)):
        torch.testing.assert_close(raw / raw.norm(dim=1, keepdim=True), unit)


def test_e_is_made_of_z_before_it_is_normalised():
    encoder = seeded().eval()
    out = encoder(windows(3, 60))
    first, last = encoder.project[0], encoder.project_out
    hidden = (out.pooled_raw @ first.weight.T + first.bias).clamp(min=0)
    torch.testing.assert_close(hidden @ last.weight.T + last.bias, out.projected_raw)


def test_a_channel_axis_or_none():
    encoder, x = seeded().eval(), windows(3, 200)
    for one, other in zip(encoder(x), encoder(x[:, None]), strict=True):
        assert torch.equal(one, other)


def test_several_channels():
    encoder, x = seeded(in_channels=3).eval(), windows(4, 3, 50)
    out = encoder(x).pooled
    assert out.shape == (4, 128)
    for channel in range(3):
        changed = x.clone()
        changed[:, channel] += windows(4, 50, seed=1)
        assert (encoder(changed).pooled - out).abs().max() > 1e-4


def test_every_beat_is_seen():
    encoder, x = seeded().eval(), windows(1, 32)
    out = encoder(x).pooled_raw
    for beat in range(32):
        changed = x.clone()
        changed[0, beat] += 1
        assert (encoder(changed).pooled_raw - out).abs().max() > 1e-6


@pytest.mark.parametrize(
    ("shape", "named"),
    [
        ((2, 31), (2, 1, 31)),
        ((2, 1, 31), (2, 1, 31)),
        ((2, 2, 40), (2, 2, 40)),
        ((40,), (40,)),
        ((1, 2, 1, 40), (1, 2, 1, 40)),
        ((2, 0), (2, 1, 0)),
    ],
)
def test_other_shapes_are_refused(shape, named):
    forward = getattr(Encoder.forward, "__wrapped__", Encoder.forward)
    with refused(ModelError, str(named), "(window, 1, time)", 32):
        forward(Encoder(), torch.zeros(shape))


# ------------------------------------------------------------------------------------ behaviour


def test_a_window_does_not_depend_on_its_neighbours():
    encoder, x = seeded().eval(), windows(6, 200)
    together = encoder(x)
    others = encoder(torch.cat([x[:1], 100 * windows(5, 200, seed=9)]))
    alone = encoder(x[:1])
    for all_, with_others, one in zip(together, others, alone, strict=True):
        torch.testing.assert_close(all_[:1], one, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(all_[:1], with_others[:1], rtol=1e-4, atol=1e-5)


def test_batch_norm_does_depend_on_neighbours_while_training():
    encoder, x = seeded(norm="batch", dropout=0.0).train(), windows(6, 200)
    assert (encoder(x).pooled[0] - encoder(x[:2]).pooled[0]).abs().max() > 1e-3
    encoder.eval()
    torch.testing.assert_close(encoder(x).pooled[:1], encoder(x[:1]).pooled, rtol=1e-4, atol=1e-5)


def test_evaluation_is_deterministic_and_training_is_not():
    encoder, x = seeded(), windows(4, 200)
    encoder.eval()
    assert torch.equal(encoder(x).projected, encoder(x).projected)
    encoder.train()
    assert (encoder(x).projected - encoder(x).projected).abs().max() > 1e-3


def test_no_dropout_trains_as_it_evaluates():
    encoder, x = seeded(dropout=0.0), windows(4, 200)
    assert encoder.draw_masks(4, 200) == {}
    assert torch.equal(encoder.train()(x).projected, encoder.eval()(x).projected)
    nowhere = seeded(dropout_places=())
    assert torch.equal(nowhere.train()(x).projected, nowhere.eval()(x).projected)


@pytest.mark.parametrize("beats", [32, 33, 39, 40, 41, 200])
def test_masks_fit_and_decide(beats):
    places = ["mix", "scores", "weights", "pooled", "projection"]
    encoder, x = seeded(dropout_places=places).train(), windows(4, beats)
    one, same, other = (
        encoder.draw_masks(4, beats, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert list(one) == places
    out = encoder(x, one).projected
    assert torch.equal(out, encoder(x, same).projected)
    assert not torch.equal(out, encoder(x, other).projected)
    # masks of one: nothing dropped
    ones = {place: torch.ones_like(mask) for place, mask in one.items()}
    torch.testing.assert_close(encoder(x, ones).projected, encoder.eval()(x).projected)


@pytest.mark.parametrize("place", ["mix", "scores", "weights", "pooled", "projection"])
def test_each_place_by_itself(place):
    encoder, x = seeded(dropout=0.5, dropout_places=[place]).train(), windows(4, 64)
    masks = encoder.draw_masks(4, 64, torch.Generator().manual_seed(0))
    assert list(masks) == [place]
    dropped, whole = encoder(x, masks), encoder.eval()(x)
    assert (dropped.projected - whole.projected).abs().max() > 1e-4
    if place == "projection":  # which comes after z
        assert torch.equal(dropped.pooled, whole.pooled)
    if place == "pooled":
        torch.testing.assert_close(dropped.pooled_raw, whole.pooled_raw * masks["pooled"])


def test_masks_drop_their_share_in_each_place():
    encoder = seeded(dropout=0.3)
    masks = encoder.draw_masks(200, 200, torch.Generator().manual_seed(0))
    assert {place: mask.shape[1:] for place, mask in masks.items()} == {
        "mix": (192, 25),
        "scores": (1, 25),
        "weights": (1, 25),
        "pooled": (128,),
    }
    for mask in masks.values():
        assert (mask == 0).double().mean().item() == pytest.approx(0.3, abs=0.04)
        assert mask.mean().item() == pytest.approx(1, abs=0.06)


def test_every_parameter_learns():
    encoder = seeded().train()
    encoder(windows(8, 200)).projected_raw.pow(2).sum().backward()
    for name, parameter in encoder.named_parameters():
        assert parameter.grad.isfinite().all(), name
        # Eq. 5's softmax does not see the bias of the scores
        if name != "attention.score.bias":
            assert parameter.grad.abs().sum() > 0, name


def test_a_constant_window_has_a_finite_embedding():
    for x in (torch.zeros(2, 200), torch.full((2, 200), 1e4)):
        out = seeded().eval()(x)
        assert all(one.isfinite().all() for one in out)


def test_half_precision_reaches_the_loss():
    encoder, loss = seeded().train(), SubjectContrastiveLoss()
    x, labels = windows(8, 64), torch.tensor([0, 0, 1, 1] * 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss(encoder(x).projected, labels, torch.arange(2).repeat_interleave(4))
    value.backward()
    assert value.dtype == torch.float32
    assert all(parameter.grad.isfinite().all() for parameter in encoder.parameters())
    half = seeded().eval().to(torch.bfloat16)(x.to(torch.bfloat16))
    assert half.projected.dtype == torch.bfloat16
    loss(half.projected, labels, torch.arange(2).repeat_interleave(4))


# --------------------------------------------------------------------------------- first weights


def test_the_generator_decides_the_first_weights():
    one, same, other = seeded(1).state_dict(), seeded(1).state_dict(), seeded(2).state_dict()
    assert all(torch.equal(one[name], same[name]) for name in one)
    # norms begin at one and zero, all else is drawn
    drawn = [name for name in one if one[name].unique().numel() > 1 or "score" in name]
    assert len(drawn) == 48 - 2 * 10
    assert not any(torch.equal(one[name], other[name]) for name in drawn)


def test_a_generator_leaves_torchs_own_alone():
    before = torch.get_rng_state()
    encoder = seeded()
    encoder(windows(2, 40), encoder.draw_masks(2, 40, torch.Generator()))
    assert torch.equal(torch.get_rng_state(), before)


def test_torchs_own_generator_where_none_is_given():
    with torch.random.fork_rng():
        torch.manual_seed(3)
        one = Encoder().state_dict()
        torch.manual_seed(3)
        same = Encoder().state_dict()
    assert all(torch.equal(one[name], same[name]) for name in one)


def test_first_weights_are_distributed_as_torchs_default():
    for name, layer in seeded().named_modules():
        if not isinstance(layer, nn.Conv1d | nn.Linear):
            continue
        fan_in = layer.weight[0].numel()
        bound = 1 / math.sqrt(fan_in)
        default = type(layer)(
            *([layer.in_channels, layer.out_channels, layer.kernel_size[0]])
            if isinstance(layer, nn.Conv1d)
            else [layer.in_features, layer.out_features]
        )
        for kind in ("weight", "bias"):
            values = getattr(layer, kind).detach().flatten()
            theirs = getattr(default, kind).detach().flatten()
            assert values.abs().max() <= bound, name
            assert theirs.abs().max() <= bound, name
            if values.numel() >= 512:
                assert values.abs().max() > 0.98 * bound, name
                assert values.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.1)
                assert theirs.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.1)


# -------------------------------------------------------------------------------------- variants

VARIANTS = {
    "default": {},
    "mix": {"pooled_by": "mix"},
    "batch": {"norm": "batch"},
    "none": {"norm": "none", "groups": 5},
    "as the paper says": {"dropout_places": ["projection"]},
    "one branch": {"kernels": [9]},
    "point kernels": {"kernels": [1, 3]},
    "two stages": {"channels": [8, 24]},
    "five stages": {"channels": [8, 8, 16, 16, 32], "groups": 4},
    "other features": {"pooled_features": 48, "projected_features": 20},
    "mix, other features": {"pooled_by": "mix", "pooled_features": 40, "projected_features": 64},
    "more channels": {"in_channels": 2},
    "bent": {"view": "bent"},
    "relative": {"view": "relative"},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_variants(name):
    encoder = seeded(**VARIANTS[name])
    x = windows(4, encoder.config["in_channels"], 70)
    for training in (True, False):
        out = encoder.train(training)(x)
        assert out.pooled.shape == (4, encoder.config["pooled_features"])
        assert out.projected.shape == (4, encoder.config["projected_features"])
        torch.testing.assert_close(out.projected.norm(dim=1), torch.ones(4))
    # config is plain values, and enough to build another
    config = json.loads(json.dumps(encoder.config))
    assert config.items() >= VARIANTS[name].items()
    again = Encoder(**config)
    assert again.config == encoder.config
    again.load_state_dict(encoder.state_dict())
    assert torch.equal(again.eval()(x).projected, encoder(x).projected)


def test_mix_pools_straight_to_z():
    encoder = seeded(pooled_by="mix").eval()
    # no linear layer to z, and a 1x1 convolution from 192 to 128
    smaller = (192 * 128 + 128) + (192 * 64 + 64 + 2 * 64) + 64
    assert size(encoder) == 135_009 - smaller
    x = windows(3, 64)
    h = encoder.mix(torch.cat([branch(x[:, None]) for branch in encoder.branches], dim=1))
    torch.testing.assert_close(encoder(x).pooled_raw, encoder.attention(h))


def test_norms():
    kinds = {"group": nn.GroupNorm, "batch": nn.BatchNorm1d}
    for norm in ("group", "batch", "none"):
        layers = [type(layer) for layer in Encoder(norm=norm).modules()]
        found = {kind: layers.count(cls) for kind, cls in kinds.items()}
        assert found == {kind: 10 * (kind == norm) for kind in kinds}


# --------------------------------------------------------------------------------------- refused


def build(**arguments: object) -> None:
    """Without the type checks of the tests, as in production."""
    init = getattr(Encoder.__init__, "__wrapped__", Encoder.__init__)
    init(Encoder.__new__(Encoder), **arguments)


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        ({"kernels": (3, 4)}, ("kernels.1", "4", "odd")),
        ({"kernels": ()}, ("kernels", "0 values")),
        ({"kernels": (-1,)}, ("kernels.0", "-1")),
        ({"channels": ()}, "channels: 0 values"),
        ({"channels": (16, 0)}, "channels.1: 0"),
        ({"channels": (), "pooled_by": "mix"}, "channels: 0 values"),
        ({"in_channels": 0}, "in_channels 0"),
        ({"pooled_features": 0}, "pooled_features: 0"),
        ({"projected_features": -1}, "projected_features: -1"),
        ({"norm": "layer"}, ("norm: 'layer'", "'group', 'batch', 'none'")),
        ({"pooled_by": "mean"}, ("pooled_by: 'mean'", "'linear', 'mix'")),
        ({"view": "mean"}, ("view: 'mean'", "'given', 'bent', 'relative'")),
        ({"groups": 3}, ("groups 3", "[16, 32, 64, 192]")),
        ({"groups": 0}, "groups: 0"),
        ({"groups": -8}, "groups: -8"),
        ({"pooled_by": "mix", "pooled_features": 20}, ("groups 8", "[16, 32, 64, 20]")),
        ({"dropout": 1.0}, "dropout: 1.0"),
        ({"dropout": -0.1}, "dropout: -0.1"),
        ({"dropout": math.nan}, "dropout: nan"),
        ({"dropout_places": ("mix", "conv")}, ("dropout_places.1", "conv", "'mix', 'scores'")),
    ],
)
def test_refused(arguments, facts):
    facts = (facts,) if isinstance(facts, str) else facts
    with refused(ModelError, "encoder: ", *facts):
        build(**arguments)


def test_groups_need_not_divide_where_there_are_none():
    Encoder(norm="none", groups=3, channels=(5, 7))
    Encoder(norm="batch", groups=5)
    Encoder(pooled_features=20)  # of z itself there is no norm
    with refused(ModelError, "groups"):
        Encoder(channels=(16, 32, 60))


def test_everything_wrong_is_told_at_once():
    with pytest.raises(ModelError) as caught:
        build(
            kernels=(2,),
            channels=(16, -8),
            norm="layer",
            pooled_by="mean",
            view="slow",
            dropout=2.0,
            dropout_places=("conv",),
        )
    for part in ("kernels", "channels.1: -8", "'layer'", "'mean'", "dropout: 2.0", "'conv'"):
        assert part in str(caught.value)
    assert "view: 'slow', expected 'given', 'bent', 'relative'" in str(caught.value)
