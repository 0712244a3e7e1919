"""What networks with a logit for every beat have in common, so that one loop trains them all."""

from abc import abstractmethod
from typing import Any

from torch import Tensor, nn

from pacl.axes import Bool, Float


class PerBeatNetwork(nn.Module):
    """A network whose logits are those of all beats but `reach` on either side."""

    config: dict[str, Any]
    """Its arguments, as plain values."""

    @property
    @abstractmethod
    def reach(self) -> int:
        """Beats on either side of those with a logit, which are there to be looked at."""

    @abstractmethod
    def forward(
        self, rr_ms: Float[Tensor, "crop beat"], present: Bool[Tensor, "crop beat"]
    ) -> Float[Tensor, "crop inner"]:
        """Logits of AF."""
