"""Losses of anchors against a batch and a memory, by GPU kernels (Eq. 3, L_out).

The arithmetic is that of `tiled_losses`; a tile of pairs is held in registers only.
"""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor

from pacl.axes import Float
from pacl.objectives.errors import ObjectiveError
from pacl.objectives.kernels.arrangement import LENGTH, Arrangement, Rule
from pacl.objectives.objective import Codes, Embeddings
from pacl.objectives.pairs import PairPolicy
from pacl.objectives.tiled import AnchorLosses, Memory, differentiated_once, refuse_transforms
from pacl.objectives.uncompiled import uncompiled

WIDEST = 256
"""Features, so that rows of a tile fit into a multiprocessor."""

AT_ONCE = 512
"""Candidates that one program prepares for the backward pass: a multiple of all tile widths."""


class Blocks(NamedTuple):
    """Of a tile: anchors, columns; threads in warps; tiles loaded ahead."""

    height: int
    width: int
    warps: int
    stages: int


FORWARD = {64: Blocks(64, 64, 4, 3), 256: Blocks(64, 64, 4, 2)}
BACKWARD = {128: Blocks(64, 64, 4, 2), 256: Blocks(32, 64, 8, 2)}
"""By largest number of features: the fastest on an H200, for 4,096 to 65,536 windows."""


@lru_cache(maxsize=1)
def _has_triton() -> bool:
    """Cached: each step asks, and the search takes a tenth of a millisecond."""
    return find_spec("triton") is not None


def available(device: torch.device, features: int = 1) -> bool:
    """Whether kernels can run: on a GPU with Triton, or anywhere in Triton's interpreter."""
    if features > WIDEST or not _has_triton():
        return False
    return device.type == "cuda" or os.environ.get("TRITON_INTERPRET") == "1"


@dataclass(frozen=True, eq=False, slots=True)
class _Settings:
    labels: Tensor
    subjects: Tensor
    memory: Memory | None
    rule: Rule
    mean_log: bool
    exact: bool

    def launch(
        self, kernel: Any, blocks: Blocks, at: Arrangement, *more: Any, **fixed: int
    ) -> None:
        """Run one of the two kernels, one program per `blocks.height` anchors."""
        beside, across = self.rule.reach
        sizes = (at.windows, at.candidates, at.table.shape[1])
        weights = (value / math.log(2) for value in self.rule.log_weights)
        kernel[(-(-at.windows // blocks.height),)](
            *(at.parts, at.table, at.shifts, *more, *sizes, LENGTH, *weights),
            near=sum(is_near << kind for kind, is_near in enumerate(self.rule.near)),
            beside=beside,
            across=across,
            padded=at.parts.shape[2],
            height=blocks.height,
            width=blocks.width,
            mean_log=self.mean_log,
            exact=self.exact,
            num_warps=blocks.warps,
            num_stages=blocks.stages,
            **fixed,
        )


class _TritonLosses(torch.autograd.Function):
    """Losses of anchors, those without positives as 0."""

    @staticmethod
    def forward(
        ctx: Any, embedded: Tensor, tau: Tensor, settings: _Settings
    ) -> tuple[Tensor, Tensor]:
        # deferred: Triton is optional
        from pacl.objectives.kernels.sums import losses_of_pairs

        labels, subjects, memory = settings.labels, settings.subjects, settings.memory
        with torch.cuda.device_of(embedded):  # type: ignore[no-untyped-call]
            at = Arrangement.of(embedded, labels, subjects, memory, settings.rule, settings.exact)
            losses = embedded.new_empty(at.windows)
            valid = torch.empty_like(losses, dtype=torch.bool)
            blocks = _blocks(FORWARD, embedded.shape[1])
            settings.launch(losses_of_pairs, blocks, at, tau, losses, valid)
        ctx.save_for_backward(embedded, tau, at.parts, at.table, at.shifts)
        ctx.settings, ctx.candidates = settings, at.candidates
        ctx.mark_non_differentiable(valid)
        ctx.set_materialize_grads(False)
        return losses, valid

    @staticmethod
    def backward(
        ctx: Any, given: Tensor | None, _: None
    ) -> tuple[Tensor | None, Tensor | None, None]:
        if given is None:
            return None, None, None
        of = ctx.saved_tensors[:2]  # embeddings and temperature
        moved, of_tau = (differentiated_once(each, *of) for each in _gradients(ctx, given))
        return moved, of_tau, None


@torch.no_grad()
def _gradients(ctx: Any, given: Tensor) -> tuple[Tensor, Tensor]:
    """Of the embeddings and the temperature."""
    # deferred: Triton is optional
    from pacl.objectives.kernels.gradients import gradients_of_pairs, pushes_of_anchors

    embedded, tau, parts, table, shifts = ctx.saved_tensors
    settings: _Settings = ctx.settings
    windows, features = embedded.shape
    at = Arrangement(parts, table, shifts, windows, ctx.candidates)
    blocks = _blocks(BACKWARD, features)
    places = at.table.shape[1]
    pushes = torch.empty_like(at.shifts[1:])
    tops = pushes.new_empty(places // blocks.width)
    moved = pushes.new_empty(windows, features)
    of_tau = pushes.new_empty(-(-windows // blocks.height))
    with torch.cuda.device_of(moved):  # type: ignore[no-untyped-call]
        pushes_of_anchors[(-(-places // AT_ONCE),)](
            *(given, given.stride(0), at.table, at.shifts, pushes, tops, places),
            count=AT_ONCE // blocks.width,
            width=blocks.width,
            mean_log=settings.mean_log,
        )
        more = (tau, pushes, tops, moved, of_tau)
        settings.launch(gradients_of_pairs, blocks, at, *more, features=features)
    return moved, of_tau.sum()


Losses = Callable[[Tensor, Tensor, _Settings], tuple[Tensor, Tensor]]
"""The type of `apply`."""


def _blocks(table: dict[int, Blocks], features: int) -> Blocks:
    return next(blocks for most, blocks in table.items() if features <= most)


# Compiling around the kernels gains nothing, and would be repeated for each number of windows.
@uncompiled
def triton_losses(
    embedded: Embeddings,
    labels: Codes,
    subjects: Codes,
    policy: PairPolicy,
    tau: Float[Tensor, ""],
    *,
    mean_log: bool = False,
    memory: Memory | None = None,
    fast: bool = False,
) -> AnchorLosses:
    """The result of `tiled_losses`.

    Embeddings are in single precision, with at most 256 features; classes and subjects fit in 32
    bits, otherwise losses are NaN. With `fast`, a product in half precision instead of three:
    within 1e-3 where tau is 0.05 or more.
    """
    refuse_transforms()
    _check(embedded, memory)
    if memory is not None:
        kept = memory[0].detach().to(embedded).contiguous()
        memory = (kept, *memory[1:]) if len(kept) else None
    settings = _Settings(labels, subjects, memory, Rule.of(policy), mean_log, not fast)
    apply = cast(Losses, _TritonLosses.apply)
    return apply(embedded, tau.to(embedded), settings)


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
