"""Losses of anchors against a batch and a memory, by GPU kernels (Eq. 3, L_out).

The arithmetic is that of `tiled_losses`; a tile of pairs is held in registers only.
"""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor

from pacl.axes import Bool, Float, Int
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.kernels.arrangement import Arrangement, Rule
from pacl.objectives.pairs import PairPolicy

LENGTH, STEEPEST = 256.0, 4096.0
"""To what embeddings and slopes are stretched, so that half precision holds small parts too."""

WIDEST = 256
"""Features, so that rows of a tile fit into a multiprocessor."""

Memory = tuple[Float[Tensor, "past feature"], Int[Tensor, "past"], Int[Tensor, "past"]]
"""Embeddings, labels and patients of further candidates, which get no gradient."""


class Blocks(NamedTuple):
    """Of a tile: anchors, columns; threads in warps; tiles loaded ahead."""

    height: int
    width: int
    warps: int
    stages: int


FORWARD = {64: Blocks(64, 64, 4, 2), 128: Blocks(64, 64, 4, 2), 256: Blocks(64, 32, 4, 2)}
BACKWARD = {64: Blocks(64, 64, 4, 2), 128: Blocks(64, 32, 4, 2), 256: Blocks(128, 32, 8, 2)}
"""By features up to. Larger ones do not fit into a multiprocessor's registers."""


def available(device: torch.device, features: int = 1) -> bool:
    """Whether kernels can run: on a GPU with Triton, or anywhere in Triton's interpreter."""
    if find_spec("triton") is None or features > WIDEST:
        return False
    return device.type == "cuda" or os.environ.get("TRITON_INTERPRET") == "1"


@dataclass(frozen=True, eq=False, slots=True)
class _Settings:
    arrangement: Arrangement
    rule: Rule
    mean_log: bool
    exact: bool

    def launch(self, kernel: Any, blocks: Blocks, halves: Tensor, *more: Tensor) -> None:
        """Run one of the two kernels, a program for each few anchors."""
        at, windows, features = self.arrangement, len(self.arrangement.rows), halves.shape[2]
        with torch.cuda.device_of(halves):  # type: ignore[no-untyped-call]
            kernel[(-(-windows // blocks.height),)](
                halves[0],
                halves[-1],
                at.classes,
                at.patients,
                at.order,
                at.rows,
                at.spans(self.rule, blocks.height, blocks.width),
                *more,
                windows,
                len(at.order),
                *(value / math.log(2) for value in self.rule.log_weights),
                *self.rule.near,
                features=features,
                padded=max(16, 1 << (features - 1).bit_length()),
                height=blocks.height,
                width=blocks.width,
                mean_log=self.mean_log,
                exact=self.exact,
                num_warps=blocks.warps,
                num_stages=blocks.stages,
            )


class _TritonLosses(torch.autograd.Function):
    """Losses of anchors, those without positives as 0."""

    @staticmethod
    def forward(
        ctx: Any, embedded: Tensor, tau: Tensor, memory: Tensor | None, settings: _Settings
    ) -> tuple[Tensor, Tensor]:
        from pacl.objectives.kernels.sums import sums_of_pairs

        halves = _halves(embedded, memory, settings)
        sums = embedded.new_empty(6 if settings.mean_log else 4, len(embedded))
        scale = 1 / (LENGTH**2 * math.log(2) * tau)
        settings.launch(sums_of_pairs, _blocks(FORWARD, halves), halves, scale, sums)
        near_top, near_sum, far_top, far_sum = sums[:4]
        near, far = near_top + near_sum.log2(), far_top + far_sum.log2()
        valid, repelled = near_sum > 0, far_sum > 0
        if settings.mean_log:
            everything, weight = torch.logaddexp2(near, far), torch.where(valid, sums[5], 1)
            losses = everything * math.log(2) - sums[4] / (LENGTH**2 * tau * weight)
            held = [everything, weight]
        else:
            odds = (far_top - near_top + far_sum.log2() - near_sum.log2()) * math.log(2)
            odds = torch.where(valid & repelled, odds, -torch.inf)
            losses = torch.logaddexp(odds, torch.zeros_like(odds))
            held = [near, far, odds]
        ctx.save_for_backward(halves, tau, scale, valid, *held)
        ctx.settings = settings
        ctx.mark_non_differentiable(valid)
        return torch.where(valid, losses, 0), valid

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, given: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None, None]:
        from pacl.objectives.kernels.gradients import gradients_of_pairs

        halves, tau, scale, valid, *held = ctx.saved_tensors
        settings: _Settings = ctx.settings
        at, windows = settings.arrangement, len(valid)
        given = torch.where(valid, given, 0)
        # What is subtracted from positive and negative terms, what they are multiplied with after,
        # and what goes with a positive's weight. Infinity: none of it.
        if settings.mean_log:
            everything, weight = held
            everything = torch.where(valid, everything, torch.inf)
            parts = (everything, everything, given, given / weight)
        else:
            near, far, odds = held
            repelled = odds > -torch.inf
            near, far = (torch.where(repelled, one, torch.inf) for one in (near, far))
            parts = (near, far, given * torch.sigmoid(odds), torch.zeros_like(given))
        slopes = torch.stack(parts)
        unit = slopes[2].abs().amax().clamp(min=1e-30) / STEEPEST
        slopes[2:] /= unit
        if len(at.order) > windows:
            beyond = slopes.new_zeros(4, len(at.order) - windows)
            beyond[:2] = torch.inf
            slopes = torch.cat([slopes, beyond], dim=1)
        slopes = slopes[:, at.order].contiguous()
        moved = slopes.new_empty(windows, halves.shape[2])
        of_tau = torch.empty_like(given)
        factor = unit / (LENGTH * tau)
        more = (scale, factor, slopes, moved, of_tau)
        settings.launch(gradients_of_pairs, _blocks(BACKWARD, halves), halves, *more)
        return moved, -of_tau.sum() * unit / (LENGTH * tau) ** 2, None, None


Losses = Callable[[Tensor, Tensor, Tensor | None, _Settings], tuple[Tensor, Tensor]]
"""What `apply` takes and gives."""


def _blocks(table: dict[int, Blocks], halves: Tensor) -> Blocks:
    return next(blocks for most, blocks in table.items() if halves.shape[2] <= most)


def _halves(embedded: Tensor, memory: Tensor | None, settings: _Settings) -> Tensor:
    """Sorted candidates in half precision, and what that leaves of them."""
    candidates = embedded if memory is None else torch.cat([embedded, memory])
    candidates = LENGTH * candidates[settings.arrangement.order]
    large = candidates.half()
    if not settings.exact:
        return large[None]
    return torch.stack([large, (candidates - large).half()])


# Nothing around the kernels is worth fusing, and a compiled graph would be made again for each
# number of windows.
@torch.compiler.disable  # type: ignore[untyped-decorator]
def triton_losses(
    embedded: Float[Tensor, "window feature"],
    labels: Int[Tensor, "window"],
    patients: Int[Tensor, "window"],
    policy: PairPolicy,
    tau: Float[Tensor, ""],
    *,
    mean_log: bool = False,
    memory: Memory | None = None,
    fast: bool = False,
) -> tuple[Float[Tensor, "window"], Bool[Tensor, "window"]]:
    """The loss of each anchor, 0 without positives, and which have some; in any order.

    Parameters
    ----------
    embedded
        Of unit length, in single precision, of at most 256 features.
    labels, patients
        Of each window; any number of classes, groups of any size.
    policy
        What pairs count as.
    tau
        The temperature; it gets a gradient.
    mean_log
        L_out instead of Eq. 3.
    memory
        Embeddings, labels and patients that anchors meet besides the batch; without gradient.
    fast
        One product in half precision instead of three: within 1e-3 where tau is 0.05 or more.
    """
    _check(embedded, memory)
    kept = None
    windows = len(labels)
    if memory is not None:
        kept = memory[0].detach().to(embedded)
        labels, patients = torch.cat([labels, memory[1]]), torch.cat([patients, memory[2]])
    rule = Rule.of(policy)
    arrangement = Arrangement.of(labels, patients, windows, rule)
    settings = _Settings(arrangement, rule, mean_log, not fast)
    apply = cast(Losses, _TritonLosses.apply)
    return apply(embedded, tau.to(embedded), kept, settings)


def _check(embedded: Tensor, memory: Memory | None) -> None:
    if not available(embedded.device):
        raise ObjectiveError(
            f"embeddings on {embedded.device}; the kernels need a GPU and the package triton, "
            "use tiled_losses"
        )
    if embedded.dtype != torch.float32:
        raise ObjectiveError(
            f"embeddings in {embedded.dtype}; the kernels take torch.float32, tiled_losses others"
        )
    if embedded.shape[1] > WIDEST:
        raise ObjectiveError(
            f"embeddings of {embedded.shape[1]} features; the kernels take {WIDEST} at most, "
            "use tiled_losses"
        )
    if memory is not None and memory[0].shape[1] != embedded.shape[1]:
        raise ObjectiveError(
            f"a memory of {memory[0].shape[1]} features, embeddings of {embedded.shape[1]}; "
            "both come from one encoder"
        )
