"""What networks with a logit for every beat have in common, so that one loop trains them all."""

from abc import abstractmethod
from typing import Any

from torch import Tensor, nn

from pacl.axes import Bool, Float


class PerBeatNetwork(nn.Module):
    """A network whose logits are those of all beats but the first `behind` and the last `ahead`."""

    config: dict[str, Any]
    """Its arguments, as plain values."""

    behind: int
    """Beats before a beat that its logit depends on."""

    ahead: int
    """Beats after it."""

    @property
    def reach(self) -> int:
        """Beats on the longer side of a beat that its logit depends on."""
        return max(self.behind, self.ahead)

    @abstractmethod
    def forward(
        self, rr_ms: Float[Tensor, "crop beat"], present: Bool[Tensor, "crop beat"]
    ) -> Float[Tensor, "crop inner"]:
        """Logits of AF."""
