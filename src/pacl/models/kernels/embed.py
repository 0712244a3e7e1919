"""Embedding with stacked encoders on a GPU without gradients: a layer a kernel, nothing between.

A program takes one window of one run through one layer: convolution on tensor cores, in three
products that together keep single precision, then bias, normalisation and ReLU in registers. The
last one pools by attention, so that what leaves it is a vector a window.
"""

from collections.abc import Mapping
from typing import Any, no_type_check

import torch
import triton
import triton.language as tl
from torch import Tensor

from pacl.models.network import NORM_EPS

WARPS = 2
"""A window is little work: fewer threads with more each are up to twice as fast as more threads."""


@triton.jit
@no_type_check
def _normalised(
    total,
    inside,
    weight,
    shift,
    half,
    eps,
    padded: tl.constexpr,
    groups: tl.constexpr,
    size: tl.constexpr,
    padded_size: tl.constexpr,
):
    """Normalise a window over time and the channels of a group; ReLU."""
    wide: tl.constexpr = groups * padded_size
    count = half * size
    sums = tl.reshape(tl.sum(tl.where(inside, total, 0.0), 0), (groups, padded_size))
    mean = tl.broadcast_to((tl.sum(sums, 1) / count)[:, None], (groups, padded_size))
    centred = tl.where(inside, total - tl.reshape(mean, (wide,))[None, :], 0.0)
    squares = tl.reshape(tl.sum(centred * centred, 0), (groups, padded_size))
    rstd = 1.0 / tl.sqrt(tl.sum(squares, 1) / count + eps)
    rstd = tl.reshape(tl.broadcast_to(rstd[:, None], (groups, padded_size)), (wide,))
    return tl.maximum(centred * (rstd * weight)[None, :] + shift[None, :], 0.0)


@triton.jit
@no_type_check
def _layer(
    h,
    matrix,
    bias,
    weight,
    shift,
    out,
    windows,
    run_stride,
    time,
    half,
    out_width,
    eps,
    channels: tl.constexpr,
    wide: tl.constexpr,
    kernel: tl.constexpr,
    groups: tl.constexpr,
    padded: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    run = row // windows
    t = tl.arange(0, padded)
    n = tl.arange(0, wide)
    source = h + run * run_stride + (row % windows) * time * channels
    matrix += run * kernel * channels * wide
    total = tl.zeros((padded, wide), dtype=tl.float32)
    for tap in tl.static_range(kernel):
        sample = 2 * t + tap - kernel // 2
        real = (sample >= 0) & (sample < time) & (t < half)
        if channels == 1:
            x = tl.load(source + sample, mask=real, other=0.0)
            total += x[:, None] * tl.load(matrix + tap * wide + n)[None, :]
        else:
            c = tl.arange(0, channels)
            places = (source + sample * channels)[:, None] + c[None, :]
            x = tl.load(places, mask=real[:, None], other=0.0)
            w = tl.load(matrix + (tap * channels + c)[:, None] * wide + n[None, :])
            total = tl.dot(x, w, total, input_precision="tf32x3")
    total += tl.load(bias + run * wide + n)[None, :]
    inside = (t < half)[:, None]
    result = _normalised(
        total,
        inside,
        tl.load(weight + run * wide + n),
        tl.load(shift + run * wide + n),
        half,
        eps,
        padded,
        groups,
        wide // groups,
        wide // groups,
    )
    place = out + (row * half + t)[:, None] * out_width + n[None, :]
    tl.store(place, result, mask=inside)


@triton.jit
@no_type_check
def _attend(
    h,
    bias,
    weight,
    shift,
    attention,
    attention_bias,
    out,
    windows,
    time,
    eps,
    wide: tl.constexpr,
    groups: tl.constexpr,
    padded: tl.constexpr,
    padded_size: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    run = row // windows
    t = tl.arange(0, padded)
    # Columns by group, each padded to a power of two, so that groups can be summed by shape.
    n = tl.arange(0, groups * padded_size)
    size: tl.constexpr = wide // groups
    known = n % padded_size < size
    column = (n // padded_size) * size + n % padded_size
    inside = (t < time)[:, None] & known[None, :]
    total = tl.load(h + (row * time + t)[:, None] * wide + column[None, :], mask=inside, other=0.0)
    of_run = run * wide + column
    total += tl.load(bias + of_run, mask=known, other=0.0)[None, :]
    mixed = _normalised(
        total,
        inside,
        tl.load(weight + of_run, mask=known, other=0.0),
        tl.load(shift + of_run, mask=known, other=0.0),
        time,
        eps,
        padded,
        groups,
        size,
        padded_size,
    )
    heed = tl.load(attention + of_run, mask=known, other=0.0)
    score = tl.sum(mixed * heed[None, :], 1) + tl.load(attention_bias + run)
    score = tl.where(t < time, score, float("-inf"))
    alpha = tl.exp(score - tl.max(score, 0))
    alpha = alpha / tl.sum(alpha, 0)
    tl.store(out + row * wide + column, tl.sum(mixed * alpha[:, None], 0), mask=known)


def can_fuse(config: Mapping[str, Any]) -> bool:
    """Whether encoders of this shape fit the kernels: channels are powers of two, from 16 up."""
    return (
        config["norm"] == "group"
        and config["in_channels"] == 1
        and all(width >= 16 and width & (width - 1) == 0 for width in config["channels"])
        and config["groups"] & (config["groups"] - 1) == 0
    )


@torch.no_grad()
def fused_pool(config: Mapping[str, Any], weights: Mapping[str, Tensor], x: Tensor) -> Tensor:
    """What attention pools of each window, (run, window, channel), for (run or 1, window, time)."""
    runs = len(weights["mix.0.bias"])
    shared = len(x) == 1
    windows, samples = x.shape[1:]
    depth = len(config["channels"])
    lengths = [samples]
    for _ in range(depth):
        lengths.append((lengths[-1] + 1) // 2)
    fused = len(config["kernels"]) * config["channels"][-1]
    joined = x.new_empty(runs, windows, lengths[-1], fused)
    for branch, kernel in enumerate(config["kernels"]):
        h, stride, channels = x.contiguous(), 0 if shared else windows * samples, 1
        for layer, wide in enumerate(config["channels"]):
            ends = layer == depth - 1
            out = x.new_empty(runs, windows, lengths[layer + 1], wide) if not ends else joined
            at, norm = (f"branches.{branch}.{3 * layer + place}" for place in (0, 1))
            matrix = weights[f"{at}.weight"].permute(0, 3, 2, 1).contiguous()
            names = (f"{at}.bias", f"{norm}.weight", f"{norm}.bias")
            _layer[(runs * windows,)](
                *(h, matrix, *(weights[name].contiguous() for name in names)),
                out[..., branch * wide :] if ends else out,
                *(windows, stride, lengths[layer], lengths[layer + 1], out.shape[3], NORM_EPS),
                channels=channels,
                wide=wide,
                kernel=kernel,
                groups=config["groups"],
                padded=triton.next_power_of_2(max(lengths[layer + 1], 16)),
                num_warps=WARPS,
            )
            h, stride, channels = out, windows * lengths[layer + 1] * wide, wide
    wide = weights["mix.0.bias"].shape[1]
    matrix = weights["mix.0.weight"].squeeze(3).transpose(1, 2)
    mixed = torch.bmm(joined.view(runs, -1, fused), matrix)
    pooled = x.new_empty(runs, windows, wide)
    last = ["mix.0.bias", "mix.1.weight", "mix.1.bias"]
    last += ["attention.score.weight", "attention.score.bias"]
    _attend[(runs * windows,)](
        *(mixed, *(weights[name].contiguous() for name in last)),
        *(pooled, windows, lengths[-1], NORM_EPS),
        wide=wide,
        groups=config["groups"],
        padded=triton.next_power_of_2(max(lengths[-1], 16)),
        padded_size=triton.next_power_of_2(wide // config["groups"]),
        num_warps=WARPS,
    )
    return pooled
