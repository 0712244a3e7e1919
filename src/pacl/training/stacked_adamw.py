"""AdamW for many runs at once: each has its own learning rate and step count, and may pause.

All weights of a run are one row of a matrix, so a step is a few operations on a matrix of runs by
weights, independent of the number of layers.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from pacl.axes import Bool, Float

BETAS = (0.9, 0.999)
EPS = 1e-8
"""As in `torch.optim.AdamW`."""


class StackedAdamW:
    """Weights of runs, and the moments of their gradients.

    Parameters
    ----------
    weights
        Stacked weights by name, with a leading axis for the run. They are copied into one matrix;
        `weights` of this object are views of it, which require gradients.
    weight_decay
        For each run; scalar weights do not decay.
    idle
        By name, the runs whose loss does not depend on a weight: as in torch, it does not change.
    """

    def __init__(
        self,
        weights: Mapping[str, Tensor],
        weight_decay: Float[Tensor, "run"],
        idle: Mapping[str, Bool[Tensor, "run"]] | None = None,
    ) -> None:
        self.matrix = torch.cat(
            [value.reshape(len(value), -1) for value in weights.values()], dim=1
        )
        self.first, self.second = torch.zeros_like(self.matrix), torch.zeros_like(self.matrix)
        self.steps = torch.zeros(len(self.matrix), dtype=torch.float64, device=self.matrix.device)
        self.weights = {
            name: view.detach().requires_grad_()
            for name, view in self.views(self.matrix, weights).items()
        }
        self.decay = torch.zeros_like(self.matrix)
        for name, decay in self.views(self.decay, weights).items():
            if decay.ndim > 1:
                by_run = weight_decay.view(-1, *[1] * (decay.ndim - 1))
                decay.copy_(by_run.expand_as(decay))
                if idle is not None and name in idle:
                    decay[idle[name]] = 0

    @staticmethod
    def views(matrix: Tensor, like: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The columns of a matrix by name, in the shapes of `like`."""
        sizes = [value[0].numel() for value in like.values()]
        parts = torch.split(matrix, sizes, dim=1)
        return {
            name: part.view(value.shape)
            for part, (name, value) in zip(parts, like.items(), strict=True)
        }

    @torch.no_grad()
    def step(self, lr: Float[Tensor, "run"], active: Bool[Tensor, "run"]) -> None:
        """Update the weights of active runs from the gradients of `backward`."""
        gradients = [
            torch.zeros_like(value) if value.grad is None else value.grad
            for value in self.weights.values()
        ]
        gradient = torch.cat([g.reshape(len(g), -1) for g in gradients], dim=1)
        moves = active.to(gradient.dtype)[:, None]
        self.steps += active
        taken = self.steps.clamp(min=1)[:, None]
        rate = (lr[:, None] * moves).to(gradient.dtype)
        self.first.lerp_(gradient, (1 - BETAS[0]) * moves)
        self.second.lerp_(gradient.square(), (1 - BETAS[1]) * moves)
        correction = [(1 - beta**taken).to(gradient.dtype) for beta in BETAS]
        self.matrix *= 1 - rate * self.decay
        spread = self.second.sqrt().div_(correction[1].sqrt()).add_(EPS)
        self.matrix -= self.first.div(spread).mul_(rate / correction[0])

    def clear(self) -> None:
        """Clear the gradients."""
        for value in self.weights.values():
            value.grad = None

    def state(self, run: int) -> dict[str, dict[str, Tensor]]:
        """Weights and moments of a run by name, copied."""
        return {
            name: {key: value[run].clone() for key, value in self.by_name(part).items()}
            for name, part in self._parts().items()
        }

    def _parts(self) -> dict[str, Tensor]:
        return {"weight": self.matrix, "exp_avg": self.first, "exp_avg_sq": self.second}

    def by_name(self, matrix: Tensor) -> dict[str, Tensor]:
        """The columns of a matrix of weights by name."""
        return self.views(matrix, self.weights)

    @torch.no_grad()
    def load(self, run: int, state: Mapping[str, Mapping[str, Tensor]], steps: int) -> None:
        """Put a run's weights and moments into a row."""
        for name, matrix in self._parts().items():
            for key, view in self.by_name(matrix).items():
                view[run] = state[name].get(key, torch.zeros_like(view[run]))
        self.steps[run] = steps
