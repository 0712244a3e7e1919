"""Group normalisation, ReLU and dropout of stacked runs, in one pass where there is a GPU."""

import torch
from torch import Tensor

from pacl.axes import Float

EPS = 1e-5
"""As in `torch.nn.GroupNorm`."""


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
        from pacl.models.kernels.normalise import fused_normalise_relu

        return fused_normalise_relu(h, bias, weight, shift, groups, mask)
    runs, windows, time, channels = h.shape
    h = h + bias[:, None, None]
    grouped = h.view(runs, windows, time, groups, channels // groups)
    variance, mean = torch.var_mean(grouped, dim=(2, 4), correction=0, keepdim=True)
    normalised = ((grouped - mean) * (variance + EPS).rsqrt()).view(h.shape)
    out = (normalised * weight[:, None, None] + shift[:, None, None]).relu()
    return out if mask is None else out * mask.transpose(2, 3)
