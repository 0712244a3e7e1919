"""Stretches of samples, and the way back for gradients, each in one pass over GPU memory."""

from typing import Any, no_type_check

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 1024


@triton.jit
@no_type_check
def _take(h, out, total, time, half, channels, kernel: tl.constexpr, block: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    inside = at < total
    channel = at % channels
    rest = at // channels
    tap = rest % kernel
    rest = rest // kernel
    sample = 2 * (rest % half) + tap - kernel // 2
    window = rest // half
    real = inside & (sample >= 0) & (sample < time)
    value = tl.load(h + (window * time + sample) * channels + channel, mask=real, other=0.0)
    tl.store(out + at, value, mask=inside)


@triton.jit
@no_type_check
def _give_back(grad, out, total, time, half, channels, kernel: tl.constexpr, block: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    inside = at < total
    channel = at % channels
    rest = at // channels
    sample = rest % time
    window = rest // time
    gathered = tl.zeros((block,), dtype=tl.float32)
    for tap in tl.static_range(kernel):
        twice = sample + kernel // 2 - tap
        place = twice // 2
        real = inside & (twice >= 0) & (twice % 2 == 0) & (place < half)
        source = ((window * half + place) * kernel + tap) * channels + channel
        gathered += tl.load(grad + source, mask=real, other=0.0)
    tl.store(out + at, gathered, mask=inside)


class _Stretches(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, kernel: int) -> Tensor:
        h = h.contiguous()
        runs, windows, time, channels = h.shape
        ctx.shape, ctx.kernel = h.shape, kernel
        out = h.new_empty(runs, windows, (time + 1) // 2, kernel, channels)
        _take[(triton.cdiv(out.numel(), BLOCK),)](
            h, out, out.numel(), time, out.shape[2], channels, kernel=kernel, block=BLOCK
        )
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        if not ctx.needs_input_grad[0]:
            return None, None
        time, channels = ctx.shape[2:]
        out = grad.new_empty(ctx.shape)
        sizes = (out.numel(), time, (time + 1) // 2, channels)
        _give_back[(triton.cdiv(out.numel(), BLOCK),)](
            grad.contiguous(), out, *sizes, kernel=ctx.kernel, block=BLOCK
        )
        return out, None


def fused_stretches(h: Tensor, kernel: int) -> Tensor:
    """See `take_stretches`."""
    out: Tensor = _Stretches.apply(h, kernel)  # type: ignore[no-untyped-call]
    return out
