"""The interface of networks with one logit per beat."""

from abc import abstractmethod
from typing import Any

from torch import Tensor, nn

from pacl.axes import Bool, Float


class PerBeatNetwork(nn.Module):
    """A network with one logit per beat, except for the first `behind` and the last `ahead`."""

    config: dict[str, Any]
    """The arguments of the constructor, as plain values."""

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
