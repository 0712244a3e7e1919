"""Limits of tiles: one derivative only, and no transform of `torch.func`.

Without these checks PyTorch would fail silently or with an unclear message: it treats a gradient
that cannot be differentiated again as a constant.
"""

from typing import Any

import torch
from torch import Tensor

from pacl.objectives.errors import ObjectiveError


class _Once(torch.autograd.Function):
    """A gradient and its inputs."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, *of: Tensor) -> Tensor:
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> None:
        raise ObjectiveError("tiles can be differentiated once; use tiled=False for more")


def differentiated_once(gradient: Tensor, *of: Tensor) -> Tensor:
    """The gradient; differentiating it again (`create_graph`) raises an error.

    Parameters
    ----------
    of
        The tensors that it depends on.
    """
    if not torch.is_grad_enabled():
        return gradient
    once: Tensor = _Once.apply(gradient, *of)  # type: ignore[no-untyped-call]
    return once


def refuse_transforms() -> None:
    """Raise an error under `vmap`, `torch.func.grad` and similar transforms."""
    if torch._C._functorch.maybe_current_level() is not None:
        raise ObjectiveError(
            "tiles cannot be transformed by torch.func (vmap, grad, jvp); use tiled=False"
        )
