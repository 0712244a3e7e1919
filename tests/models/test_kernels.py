"""GPU kernels against the same arithmetic on a CPU in double precision."""

import pytest
import torch

from pacl.models import Encoder
from pacl.models.normalise import normalise_relu
from pacl.models.stacked import embed_stacked, pool_stacked, stack_weights
from pacl.models.stretches import convolve, multiply, take_stretches

pytest.importorskip("triton")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def draw(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def on_gpu(value):
    return value.detach().float().cuda().requires_grad_(value.requires_grad)


def near(found, expected, within=1e-5):
    assert found.dtype == torch.float32
    assert found.is_cuda
    assert found.shape == expected.shape
    scale = max(1.0, float(expected.detach().abs().max()))
    assert torch.allclose(found.detach().cpu().double(), expected.detach(), 0, within * scale)


def check(function, *inputs, within=1e-5):
    """The same results and gradients here and there."""
    here = [value.clone().requires_grad_() for value in inputs]
    there = [on_gpu(value) for value in here]
    expected, found = function(*here), function(*there)
    near(found, expected, within)
    pull = draw(*expected.shape, seed=99)
    (expected * pull).sum().backward()
    (found * pull.float().cuda()).sum().backward()
    for mine, value in zip(there, here, strict=True):
        near(mine.grad, value.grad, within)


@pytest.mark.parametrize(("time", "channels"), [(200, 1), (45, 16), (1, 3), (32, 12)])
@pytest.mark.parametrize("kernel", [1, 3, 7])
def test_stretches(time, channels, kernel):
    check(lambda h: take_stretches(h, kernel), draw(2, 5, time, channels))


@pytest.mark.parametrize("windows", [1, 5, 8, 16, 24])
@pytest.mark.parametrize("kernel", [3, 7])
def test_convolutions_whose_gradients_are_summed_in_pieces(windows, kernel):
    check(convolve, draw(3, windows, 45, 4), draw(3, 6, 4, kernel, seed=1), within=1e-4)
    check(
        lambda values, matrix: multiply(values, matrix, windows),
        draw(2, windows * 7, 6),
        draw(2, 6, 5, seed=2),
        within=1e-4,
    )


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(
    ("time", "channels", "groups"),
    [(100, 16, 8), (25, 64, 8), (25, 192, 8), (23, 24, 2), (7, 8, 8), (1, 6, 1), (13, 12, 3)],
)
def test_normalisation(time, channels, groups, masked):
    runs, windows = 3, 4
    mask = (draw(runs, windows, channels, time, seed=7) > -0.5).double() * 1.25

    def normalised(h, bias, weight, shift):
        own = mask.to(h) if masked else None
        return normalise_relu(h, bias, weight, shift, groups, own)

    h = draw(runs, windows, time, channels) * 3 + 1
    parts = [draw(runs, channels, seed=seed) for seed in (1, 2, 3)]
    check(normalised, h, *parts, within=2e-4)


SHAPES = {
    "as released": {},
    "mix": {"pooled_by": "mix", "pooled_features": 96},
    "no norm": {"norm": "none"},
    "small channels": {"channels": (8, 8), "groups": 4},
    "other groups": {"channels": (12, 24), "groups": 3},
    "kernels": {"kernels": (1, 9), "channels": (16, 64), "groups": 4},
}


def encoders(shape):
    made = []
    for seed in range(3):
        generator = torch.Generator().manual_seed(seed)
        encoder = Encoder(**shape, generator=generator).double()
        with torch.no_grad():
            for parameter in encoder.parameters():
                if parameter.ndim == 1:
                    parameter += 0.1 * draw(*parameter.shape, seed=seed)
        made.append(encoder)
    return made


@pytest.mark.parametrize("beats", [200, 45])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_pooling(shape, beats):
    alone, x = encoders(shape), draw(9, beats)
    config, weights = alone[0].config, stack_weights(alone)
    expected = pool_stacked(config, weights, x)
    there = {name: on_gpu(value) for name, value in weights.items()}
    near(pool_stacked(config, there, on_gpu(x)), expected, 1e-4)


@pytest.mark.parametrize("beats", [200, 45])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_embedding_with_gradients_and_masks(shape, beats):
    runs, windows = 3, 16
    alone, x = encoders(shape), draw(runs, windows, beats)
    drawn = [
        encoder.draw_masks(windows, beats, torch.Generator().manual_seed(seed))
        for seed, encoder in enumerate(alone)
    ]
    masks = {place: torch.stack([one[place] for one in drawn]) for place in drawn[0]}
    config = alone[0].config
    here = {name: value.requires_grad_() for name, value in stack_weights(alone).items()}
    there = {name: on_gpu(value) for name, value in here.items()}
    expected = embed_stacked(config, here, x, masks)
    found = embed_stacked(
        config, there, on_gpu(x), {place: on_gpu(mask) for place, mask in masks.items()}
    )
    for mine, value in zip(found, expected, strict=True):
        near(mine, value, 1e-4)
    pull = draw(*expected.projected.shape, seed=5)
    (expected.projected * pull).sum().backward()
    (found.projected * pull.float().cuda()).sum().backward()
    for name, value in here.items():
        off = (there[name].grad.cpu().double() - value.grad).norm()
        # normalisation cancels what a bias before it adds: next to nothing is left to compare
        assert float(off) <= 1e-4 * max(float(value.grad.norm()), 0.1), name
