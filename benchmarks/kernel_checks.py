"""GPU kernels against the same arithmetic on a CPU in double precision, results and gradients."""

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import torch
from torch import Tensor

from pacl.models import Encoder, embed_stacked, pool_stacked, stack_weights
from pacl.models.stacked_layers import convolve, multiply, normalise_relu, take_stretches

Check = tuple[str, float, float]
"""Its name, the difference found, and the largest allowed."""

NORMED = [(100, 16, 8), (25, 64, 8), (25, 192, 8), (23, 24, 2), (7, 8, 8), (1, 6, 1), (13, 12, 3)]
"""Time, channels, groups."""

SHAPES = {
    "as released": {},
    "mix": {"pooled_by": "mix", "pooled_features": 96},
    "no norm": {"norm": "none"},
    "small channels": {"channels": (8, 8), "groups": 4},
    "other groups": {"channels": (12, 24), "groups": 3},
    "kernels": {"kernels": (1, 9), "channels": (16, 64), "groups": 4},
}


def checks() -> Iterator[Check]:
    """Every kernel in several shapes, then whole encoders."""
    for (time, channels), kernel in product([(200, 1), (45, 16), (1, 3), (32, 12)], (1, 3, 7)):
        found = compare(lambda h, k=kernel: take_stretches(h, k), draw(2, 5, time, channels))
        yield f"stretches of {kernel}, {time} x {channels}", found, 1e-5
    for windows, kernel in product((1, 5, 8, 16, 24), (3, 7)):
        found = compare(convolve, draw(3, windows, 45, 4), draw(3, 6, 4, kernel, seed=1))
        yield f"convolution of {kernel}, {windows} windows", found, 1e-4
    for windows in (1, 5, 8, 16, 24):
        found = compare(
            lambda values, matrix, w=windows: multiply(values, matrix, w),
            draw(2, windows * 7, 6),
            draw(2, 6, 5, seed=2),
        )
        yield f"product in pieces, {windows} windows", found, 1e-4
    for shape, masked in product(NORMED, (False, True)):
        yield f"normalisation {shape}{', masked' * masked}", normalisation(*shape, masked), 2e-4
    for (name, shape), beats in product(SHAPES.items(), (200, 45)):
        yield f"pooling, {name}, {beats} beats", pooling(shape, beats), 1e-4
        yield f"embedding, {name}, {beats} beats", embedding(shape, beats), 1e-4


def compare(function: Callable[..., Tensor], *inputs: Tensor) -> float:
    """The largest difference of results and of gradients, here and there."""
    here = [value.clone().requires_grad_() for value in inputs]
    there = [on_gpu(value) for value in here]
    expected, found = function(*here), function(*there)
    pull = draw(*expected.shape, seed=99)
    (expected * pull).sum().backward()
    (found * pull.float().cuda()).sum().backward()
    pairs = zip(there, here, strict=True)
    return max(apart(found, expected), *(apart(mine.grad, value.grad) for mine, value in pairs))


def normalisation(time: int, channels: int, groups: int, masked: bool) -> float:
    """Bias, group normalisation, ReLU and mask in one."""
    runs, windows = 3, 4
    mask = (draw(runs, windows, channels, time, seed=7) > -0.5).double() * 1.25

    def normalised(h: Tensor, bias: Tensor, weight: Tensor, shift: Tensor) -> Tensor:
        return normalise_relu(h, bias, weight, shift, groups, mask.to(h) if masked else None)

    h = draw(runs, windows, time, channels) * 3 + 1
    return compare(normalised, h, *(draw(runs, channels, seed=seed) for seed in (1, 2, 3)))


def pooling(shape: dict, beats: int) -> float:
    """Validation's kernels, without gradients."""
    alone, x = encoders(shape), draw(9, beats)
    config, weights = alone[0].config, stack_weights(alone)
    there = {name: on_gpu(value) for name, value in weights.items()}
    return apart(pool_stacked(config, there, on_gpu(x)), pool_stacked(config, weights, x))


def embedding(shape: dict, beats: int) -> float:
    """Training's kernels with dropout, and the gradient of every weight."""
    runs, windows = 3, 16
    alone, x = encoders(shape), draw(runs, windows, beats)
    drawn = [
        encoder.draw_masks(windows, beats, torch.Generator().manual_seed(seed))
        for seed, encoder in enumerate(alone)
    ]
    masks = {place: torch.stack([one[place] for one in drawn]) for place in drawn[0]}
    here = {name: value.requires_grad_() for name, value in stack_weights(alone).items()}
    there = {name: on_gpu(value) for name, value in here.items()}
    expected = embed_stacked(alone[0].config, here, x, masks)
    masks = {place: on_gpu(mask) for place, mask in masks.items()}
    found = embed_stacked(alone[0].config, there, on_gpu(x), masks)
    pull = draw(*expected.projected.shape, seed=5)
    (expected.projected * pull).sum().backward()
    (found.projected * pull.float().cuda()).sum().backward()
    differ = [apart(mine, value) for mine, value in zip(found, expected, strict=True)]
    for name, value in here.items():
        off = (there[name].grad.cpu().double() - value.grad).norm()
        # normalisation cancels what a bias before it adds: next to nothing is left to compare
        differ.append(float(off) / max(float(value.grad.norm()), 0.1))
    return float(np.max(differ))  # which lets no NaN pass


def encoders(shape: dict) -> list[Encoder]:
    """Three, none of whose biases and scales are those of the beginning."""
    made = []
    for seed in range(3):
        encoder = Encoder(**shape, generator=torch.Generator().manual_seed(seed)).double()
        with torch.no_grad():
            for parameter in encoder.parameters():
                if parameter.ndim == 1:
                    parameter += 0.1 * draw(*parameter.shape, seed=seed)
        made.append(encoder)
    return made


def draw(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers in double precision."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def on_gpu(value: Tensor) -> Tensor:
    """The same in single precision, there."""
    return value.detach().float().cuda().requires_grad_(value.requires_grad)


def apart(found: Tensor, expected: Tensor) -> float:
    """The largest difference, relative to the largest value; infinite if it is not there at all."""
    if found.dtype != torch.float32 or not found.is_cuda or found.shape != expected.shape:
        return float("inf")
    differ = (found.detach().cpu().double() - expected.detach()).abs().max()
    return float(differ.nan_to_num(torch.inf) / expected.detach().abs().max().clamp(min=1))
