"""The temperature of similarities: its logarithm can be learned, and it has a floor."""

import math

import torch
from torch import Tensor, nn

from pacl.axes import Float
from pacl.objectives.errors import ObjectiveError


class Temperature(nn.Module):
    """tau, which can be learned and is never below `floor`.

    At the floor the gradient still passes, so that tau can rise again.
    """

    def __init__(
        self, initial: float = 0.05, *, learnable: bool = True, floor: float = 0.01
    ) -> None:
        super().__init__()
        if not 0 < floor <= initial < math.inf:
            raise ObjectiveError(
                f"temperature {initial:g} with a floor of {floor:g}; both are above 0 "
                "and the floor is not above the temperature"
            )
        self.floor = floor
        self.log_tau = nn.Parameter(torch.tensor(math.log(initial)), requires_grad=learnable)

    def forward(self) -> Float[Tensor, ""]:
        """Tau itself."""
        return tau_above(math.log(self.floor), self.log_tau)

    @torch.no_grad()
    def project(self) -> None:
        """Set the parameter back to the floor; call it after each step of the optimiser.

        Without it tau would be correct, but slow to rise from far below the floor.
        """
        self.log_tau.clamp_(min=math.log(self.floor))

    def extra_repr(self) -> str:
        """For `print`."""
        return f"tau={self().item():.4g}, floor={self.floor:g}"


def tau_above(
    log_floor: Float[Tensor, "*run"] | float, log_tau: Float[Tensor, "*run"]
) -> Float[Tensor, "*run"]:
    """The temperature, clamped to its floor but with an unclamped gradient."""
    held = log_tau.detach()
    return (log_tau + (held.clamp(min=log_floor) - held)).exp()
