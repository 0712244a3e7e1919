"""Encoders that are stacked give what each gives alone, forward and backward."""

import pytest
import torch

from pacl.models import Encoder, ModelError
from pacl.models.stacked import embed_stacked, pool_stacked, stack_weights
from pacl.models.stacked_layers import convolve, multiply, take_stretches
from support.refusals import refused

SMALL = {"channels": (8, 8, 8), "pooled_features": 8, "projected_features": 8, "groups": 4}
SHAPES = {
    "as released": {},
    "mix": {"pooled_by": "mix"},
    "no norm": {"norm": "none"},
    "no norm, mix": {"norm": "none", "pooled_by": "mix"},
    "every place": {
        "dropout_places": ("mix", "scores", "weights", "pooled", "projection"),
        "dropout": 0.3,
    },
    "as the paper": {"dropout_places": ("projection",), "dropout": 0.5},
    "scores alone": {"dropout_places": ("scores",), "norm": "none"},
    "no dropout": {"dropout": 0.0},
    "one branch": {"kernels": (5,), "channels": (8,)},
    "kernels": {"kernels": (1, 9), "channels": (4, 12), "groups": 2},
    "one group": {"groups": 1, "channels": (3, 5), "kernels": (3,)},
    "a group a channel": {"groups": 8},
    "unequal": {"channels": (4, 8, 16, 12), "pooled_features": 20, "projected_features": 7},
    "wide kernel": {"kernels": (41, 3), "channels": (8, 4)},
    "bent": {"view": "bent"},
    "relative": {"view": "relative"},
    "three channels": {"in_channels": 3},
    "two channels, no norm": {"in_channels": 2, "norm": "none"},
    "relative, no norm, mix": {"view": "relative", "norm": "none", "pooled_by": "mix"},
}


def encoders(runs, **shape):
    made = [
        Encoder(**SMALL | shape, generator=torch.Generator().manual_seed(seed)).double()
        for seed in range(runs)
    ]
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():  # scales of 1 and shifts of 0 would hide what is mixed up
        for encoder in made:
            for name, parameter in encoder.named_parameters():
                if parameter.ndim == 1:
                    parameter += 0.3 * torch.randn(
                        parameter.shape, generator=generator, dtype=torch.float64
                    )
                assert parameter.unique().numel() > 1 or parameter.numel() == 1, name
    return made


def draw(*shape, seed=3):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def draw_windows(shape, *axes):
    """Scaled, or in ms where they are seen by their own mean."""
    channels = shape.get("in_channels", 1)
    x = draw(*axes) if channels == 1 else draw(*axes[:-1], channels, axes[-1])
    return 800 + 150 * x if shape.get("view") == "relative" else x


def learning(weights):
    return {name: value.clone().requires_grad_() for name, value in weights.items()}


def close(found, expected, atol=1e-12):
    assert found.shape == expected.shape
    assert torch.allclose(found, expected, rtol=1e-12, atol=atol)


@pytest.mark.parametrize("beats", [32, 45])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_outputs_and_gradients_are_those_of_each_run_with_its_masks(shape, beats):
    runs, windows = 3, 5
    alone = encoders(runs, **shape)
    x = draw_windows(shape, runs, windows, beats)
    drawn = [
        encoder.draw_masks(windows, beats, torch.Generator().manual_seed(seed))
        for seed, encoder in enumerate(alone)
    ]
    masks = {place: torch.stack([one[place] for one in drawn]) for place in drawn[0]}
    weights, inputs = learning(stack_weights(alone)), x.clone().requires_grad_()
    out = embed_stacked(alone[0].config, weights, inputs, masks)
    pulls = [draw(*value.shape, seed=at) for at, value in enumerate(out)]
    sum((value * pull).sum() for value, pull in zip(out, pulls, strict=True)).backward()
    for run, encoder in enumerate(alone):
        own = x[run].clone().requires_grad_()
        expected = encoder(own, drawn[run])
        for found, value in zip(out, expected, strict=True):
            close(found[run], value)
        sum(
            (value * pull[run]).sum() for value, pull in zip(expected, pulls, strict=True)
        ).backward()
        close(inputs.grad[run], own.grad)
        for name, parameter in encoder.named_parameters():
            scale = float(parameter.grad.abs().max())
            close(weights[name].grad[run], parameter.grad, atol=1e-12 * max(1.0, scale))


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_without_masks_nothing_is_dropped_and_pooling_is_the_encoders_own(shape):
    alone = encoders(2, **shape)
    x, weights = draw_windows(shape, 6, 33), stack_weights(alone)
    pooled = pool_stacked(alone[0].config, weights, x)
    assert not pooled.requires_grad
    out = embed_stacked(alone[0].config, weights, x.expand(2, *x.shape))
    for run, encoder in enumerate(alone):
        expected = encoder.eval()(x)
        close(pooled[run], expected.pooled)
        for found, value in zip(out, expected, strict=True):
            close(found[run], value)


def test_what_is_stacked_comes_back_and_is_a_copy():
    alone = encoders(3)
    weights = stack_weights(alone)
    for run, encoder in enumerate(alone):
        own = {name: value[run].clone() for name, value in weights.items()}
        assert own.keys() == encoder.state_dict().keys()
        for name, value in encoder.state_dict().items():
            assert torch.equal(own[name], value)
            own[name].zero_()
    assert all(not value.requires_grad for value in weights.values())
    assert float(weights["mix.0.weight"].abs().min()) > 0
    weights["mix.0.weight"].zero_()
    assert bool(alone[0].mix[0].weight.any())


def test_a_run_does_not_depend_on_those_beside_it():
    alone, x = encoders(3), draw(3, 4, 40)
    config, weights = alone[0].config, stack_weights(alone)
    together = embed_stacked(config, weights, x).projected
    order = [2, 0, 1]
    turned = {name: value[order] for name, value in weights.items()}
    close(embed_stacked(config, turned, x[order]).projected, together[order])
    wild = {name: value.clone() for name, value in weights.items()}
    for value in wild.values():
        value[1] = torch.nan
    beside = embed_stacked(config, wild, x).projected
    assert torch.equal(beside[[0, 2]], together[[0, 2]])
    assert bool(beside[1].isnan().all())


def test_unequal_encoders_and_batch_normalisation_are_refused():
    with refused(ModelError, "different shapes"):
        stack_weights([*encoders(1), *encoders(1, pooled_features=12)])
    with refused(ModelError, "different shapes"):  # same weights, other dropout
        stack_weights([*encoders(1), *encoders(1, dropout=0.5)])
    with refused(ModelError, "different shapes"):  # same weights, another view
        stack_weights([*encoders(1), *encoders(1, view="relative")])
    batch = [Encoder(**SMALL, norm="batch", generator=torch.Generator()) for _ in range(2)]
    with refused(ModelError, "batch normalisation", "group"):
        stack_weights(batch)


def test_windows_too_short_for_the_encoder_are_too_short_for_the_stack():
    alone = encoders(2)
    with refused(ModelError, 32):
        alone[0](draw(3, 31))
    with refused(ModelError, 32):
        embed_stacked(alone[0].config, stack_weights(alone), draw(2, 3, 31))


@pytest.mark.parametrize("time", [1, 2, 7, 8])
@pytest.mark.parametrize("kernel", [1, 3, 9])
def test_stretches_by_loops(time, kernel):
    h = draw(2, 3, time, 4)
    found = take_stretches(h, kernel)
    half = (time + 1) // 2
    assert found.shape == (2, 3, half, kernel, 4)
    for place in range(half):
        for tap in range(kernel):
            beat = 2 * place + tap - kernel // 2
            expected = h[:, :, beat] if 0 <= beat < time else torch.zeros(2, 3, 4)
            assert torch.equal(found[:, :, place, tap], expected.double())


def test_a_convolution_is_torchs():
    h, weight = draw(2, 3, 11, 4), draw(2, 5, 4, 3, seed=1)
    found = convolve(h, weight)
    for run in range(2):
        expected = torch.nn.functional.conv1d(h[run].mT, weight[run], stride=2, padding=1).mT
        close(found[run], expected)


@pytest.mark.parametrize("windows", [1, 8, 12, 16])
def test_the_product_has_the_gradients_of_a_product(windows):
    values, matrix = (draw(2, 3 * windows, 4), draw(2, 4, 5, seed=1))
    assert torch.autograd.gradcheck(
        lambda a, b: multiply(a, b, windows),
        (values[:, : 2 * windows].clone().requires_grad_(), matrix.requires_grad_()),
    )
    assert torch.equal(multiply(values, matrix, windows), torch.bmm(values, matrix))
