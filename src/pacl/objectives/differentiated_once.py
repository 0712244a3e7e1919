"""What tiles ask of autograd: one derivative, and no transform of `torch.func`.

Both would otherwise go wrong in silence or with words that help nobody: PyTorch takes a gradient
that it cannot differentiate again for a constant.
"""

from typing import Any

import torch
from torch import Tensor

from pacl.objectives.errors import ObjectiveError


class _Once(torch.autograd.Function):
    """A gradient, and what it is of."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, *of: Tensor) -> Tensor:
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> None:
        raise ObjectiveError("tiles can be differentiated once; use tiled=False for more")


def differentiated_once(gradient: Tensor, *of: Tensor) -> Tensor:
    """The gradient; where somebody keeps a graph of it (`create_graph`), one that says no.

    Parameters
    ----------
    of
        All that it depends on and that may itself be differentiated by.
    """
    if not torch.is_grad_enabled():
        return gradient
    once: Tensor = _Once.apply(gradient, *of)  # type: ignore[no-untyped-call]
    return once


def refuse_transforms() -> None:
    """Say so under `vmap`, `torch.func.grad` and the like."""
    if torch._C._functorch.maybe_current_level() is not None:
        raise ObjectiveError(
            "tiles cannot be transformed by torch.func (vmap, grad, jvp); use tiled=False"
        )
