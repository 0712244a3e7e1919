"""Layers of stacked runs: convolution as a matrix product, group normalisation (App. B)."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from pacl.axes import Float
from pacl.models.network import NORM_EPS

WINDOWS_TOGETHER = 8
"""Windows per product in the gradient of a weight.

The gradient is a long sum with a small result: as one product it would leave a GPU idle.
"""


def convolve(
    h: Float[Tensor, "run window time channel"], weight: Float[Tensor, "run out channel kernel"]
) -> Float[Tensor, "run window half out"]:
    """Convolve with stride 2 and padding, without bias."""
    runs, windows, time, channels = h.shape
    kernel = weight.shape[3]
    stretches = take_stretches(h, kernel).view(runs, -1, kernel * channels)
    matrix = weight.permute(0, 3, 2, 1).reshape(runs, kernel * channels, -1)
    return multiply(stretches, matrix, windows).view(runs, windows, (time + 1) // 2, -1)


def take_stretches(
    h: Float[Tensor, "run window time channel"], kernel: int
) -> Float[Tensor, "run window half kernel channel"]:
    """Every other stretch of `kernel` samples, zeros beyond the ends."""
    if h.is_cuda and h.dtype == torch.float32:
        # deferred: Triton is optional
        from pacl.models.kernels.stretches import fused_stretches

        return fused_stretches(h, kernel)
    half = (h.shape[2] + 1) // 2
    padded = pad(h, (0, 0, kernel // 2, kernel // 2))
    taps = [padded[:, :, tap : tap + 2 * half - 1 : 2] for tap in range(kernel)]
    return torch.stack(taps, dim=3)


def multiply(
    values: Float[Tensor, "run row feature"],
    matrix: Float[Tensor, "run feature out"],
    windows: int,
) -> Float[Tensor, "run row out"]:
    """The product of each run's values, rows of `windows` windows, with its matrix."""
    out: Tensor = _Multiply.apply(values, matrix, windows)  # type: ignore[no-untyped-call]
    return out


class _Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, matrix: Tensor, windows: int) -> Tensor:
        ctx.save_for_backward(values, matrix)
        ctx.windows = windows
        return torch.bmm(values, matrix)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        values, matrix = ctx.saved_tensors
        for_values = torch.bmm(grad, matrix.transpose(1, 2)) if ctx.needs_input_grad[0] else None
        pieces = ctx.windows // WINDOWS_TOGETHER
        if pieces < 2 or ctx.windows % WINDOWS_TOGETHER or not values.is_cuda:
            return for_values, torch.bmm(values.transpose(1, 2), grad), None
        shares = torch.bmm(
            values.view(len(values) * pieces, -1, values.shape[2]).transpose(1, 2),
            grad.contiguous().view(len(values) * pieces, -1, grad.shape[2]),
        )
        return for_values, shares.view(len(values), pieces, *matrix.shape[1:]).sum(1), None


def normalise_relu(
    h: Float[Tensor, "run window time channel"],
    bias: Float[Tensor, "run channel"],
    weight: Float[Tensor, "run channel"],
    shift: Float[Tensor, "run channel"],
    groups: int,
    mask: Float[Tensor, "run window channel time"] | None = None,
) -> Float[Tensor, "run window time channel"]:
    """Add the bias, normalise each window over time and the channels of a group, cut below 0."""
    if h.is_cuda and h.dtype == torch.float32 and groups & (groups - 1) == 0:
        # deferred: Triton is optional
        from pacl.models.kernels.normalise import fused_normalise_relu

        return fused_normalise_relu(h, bias, weight, shift, groups, mask)
    runs, windows, time, channels = h.shape
    h = h + bias[:, None, None]
    grouped = h.view(runs, windows, time, groups, channels // groups)
    variance, mean = torch.var_mean(grouped, dim=(2, 4), correction=0, keepdim=True)
    normalised = ((grouped - mean) * (variance + NORM_EPS).rsqrt()).view(h.shape)
    out = (normalised * weight[:, None, None] + shift[:, None, None]).relu()
    return out if mask is None else out * mask.transpose(2, 3)
