"""Bias, group normalisation, ReLU and dropout as one GPU kernel forward and one backward.

A program holds a window's values, (time, group, channel in group), in registers: each is read once
and written once. Forward keeps means and deviations; backward computes the rest again.
"""

from typing import Any, no_type_check

import torch
import triton
import triton.language as tl
from torch import Tensor

from pacl.models.network import NORM_EPS


@triton.jit
@no_type_check
def _places(
    row, time, groups: tl.constexpr, size, padded_time: tl.constexpr, padded_size: tl.constexpr
):
    """Where a window's values, its mask and its channels are, and which of them exist."""
    t = tl.arange(0, padded_time)[:, None, None]
    g = tl.arange(0, groups)[None, :, None]
    c = tl.arange(0, padded_size)[None, None, :]
    channel = g * size + c
    base = row * time * groups * size
    return base + t * groups * size + channel, base + channel * time + t, (t < time) & (c < size)


@triton.jit
@no_type_check
def _channels(groups: tl.constexpr, size, padded_size: tl.constexpr):
    g = tl.arange(0, groups)[:, None]
    c = tl.arange(0, padded_size)[None, :]
    return g * size + c, (c < size) & (g < groups)


@triton.jit
@no_type_check
def _forward(
    h,
    bias,
    weight,
    shift,
    mask,
    out,
    mean_out,
    rstd_out,
    windows,
    time,
    size,
    eps,
    groups: tl.constexpr,
    padded_time: tl.constexpr,
    padded_size: tl.constexpr,
    masked: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    of_run = (row // windows) * groups * size
    at, at_mask, inside = _places(row, time, groups, size, padded_time, padded_size)
    channel, known = _channels(groups, size, padded_size)
    values = tl.load(h + at, mask=inside, other=0.0)
    values += tl.load(bias + of_run + channel, mask=known, other=0.0)[None, :, :]
    values = tl.where(inside, values, 0.0)
    count = time * size
    mean = tl.sum(tl.sum(values, 2), 0) / count
    centred = tl.where(inside, values - mean[None, :, None], 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(tl.sum(centred * centred, 2), 0) / count + eps)
    g = tl.arange(0, groups)
    tl.store(mean_out + row * groups + g, mean)
    tl.store(rstd_out + row * groups + g, rstd)
    scale = tl.load(weight + of_run + channel, mask=known, other=0.0)
    added = tl.load(shift + of_run + channel, mask=known, other=0.0)
    result = centred * rstd[None, :, None] * scale[None, :, :] + added[None, :, :]
    result = tl.maximum(result, 0.0)
    if masked:
        result = result * tl.load(mask + at_mask, mask=inside, other=0.0)
    tl.store(out + at, result, mask=inside)


@triton.jit
@no_type_check
def _backward(
    grad,
    h,
    bias,
    weight,
    shift,
    mask,
    mean_in,
    rstd_in,
    grad_h,
    sums,
    windows,
    time,
    size,
    groups: tl.constexpr,
    padded_time: tl.constexpr,
    padded_size: tl.constexpr,
    masked: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    of_run = (row // windows) * groups * size
    at, at_mask, inside = _places(row, time, groups, size, padded_time, padded_size)
    channel, known = _channels(groups, size, padded_size)
    upstream = tl.load(grad + at, mask=inside, other=0.0)
    if masked:
        upstream = upstream * tl.load(mask + at_mask, mask=inside, other=0.0)
    values = tl.load(h + at, mask=inside, other=0.0)
    values += tl.load(bias + of_run + channel, mask=known, other=0.0)[None, :, :]
    g = tl.arange(0, groups)
    mean = tl.load(mean_in + row * groups + g)
    rstd = tl.load(rstd_in + row * groups + g)
    scale = tl.load(weight + of_run + channel, mask=known, other=0.0)
    added = tl.load(shift + of_run + channel, mask=known, other=0.0)
    normalised = tl.where(inside, (values - mean[None, :, None]) * rstd[None, :, None], 0.0)
    lit = normalised * scale[None, :, :] + added[None, :, :] > 0.0
    upstream = tl.where(lit, upstream, 0.0)
    scaled = upstream * scale[None, :, :]
    count = time * size
    average = tl.sum(tl.sum(scaled, 2), 0) / count
    along = tl.sum(tl.sum(scaled * normalised, 2), 0) / count
    result = scaled - average[None, :, None] - normalised * along[None, :, None]
    result = tl.where(inside, result * rstd[None, :, None], 0.0)
    tl.store(grad_h + at, result, mask=inside)
    wide = groups * size
    tl.store(sums + row * 3 * wide + channel, tl.sum(upstream * normalised, 0), mask=known)
    tl.store(sums + (row * 3 + 1) * wide + channel, tl.sum(upstream, 0), mask=known)
    tl.store(sums + (row * 3 + 2) * wide + channel, tl.sum(result, 0), mask=known)


class _NormaliseRelu(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        bias: Tensor,
        weight: Tensor,
        shift: Tensor,
        groups: int,
        mask: Tensor | None,
    ) -> Tensor:
        given = [x.contiguous() for x in (h, bias, weight, shift)]
        runs, windows, time, channels = h.shape
        out = torch.empty_like(given[0])
        mean = torch.empty(runs * windows, groups, device=h.device)
        rstd = torch.empty_like(mean)
        _forward[(runs * windows,)](
            *(*given, given[0] if mask is None else mask, out, mean, rstd),
            *(windows, time, channels // groups, NORM_EPS),
            groups=groups,
            masked=mask is not None,
            **_sizes(time, channels, groups),
        )
        ctx.save_for_backward(*given, mean, rstd, mask)
        ctx.groups = groups
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        h, *given, mean, rstd, mask = ctx.saved_tensors
        runs, windows, time, channels = h.shape
        grad_h = torch.empty_like(h)
        sums = torch.empty(runs, windows, 3, channels, device=h.device)
        _backward[(runs * windows,)](
            *(grad.contiguous(), h, *given, h if mask is None else mask, mean, rstd, grad_h, sums),
            *(windows, time, channels // ctx.groups),
            groups=ctx.groups,
            masked=mask is not None,
            **_sizes(time, channels, ctx.groups),
        )
        for_weight, for_shift, for_bias = sums.sum(1).unbind(1)
        return grad_h, for_bias, for_weight, for_shift, None, None


def _sizes(time: int, channels: int, groups: int) -> dict[str, int]:
    """Padded sizes of a program's values, and how many warps share them."""
    sizes = {
        "padded_time": triton.next_power_of_2(time),
        "padded_size": triton.next_power_of_2(channels // groups),
    }
    values = sizes["padded_time"] * sizes["padded_size"] * groups
    return sizes | {"num_warps": 2 if values <= 4096 else 4}


def fused_normalise_relu(
    h: Tensor, bias: Tensor, weight: Tensor, shift: Tensor, groups: int, mask: Tensor | None = None
) -> Tensor:
    """See `normalise_relu`."""
    mask = None if mask is None else mask.contiguous()
    out: Tensor = _NormaliseRelu.apply(h, bias, weight, shift, groups, mask)  # type: ignore[no-untyped-call]
    return out
