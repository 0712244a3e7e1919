"""The base of recurrent networks: view of the window, z, dropout, projection."""

from abc import abstractmethod
from typing import Any, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from pacl.axes import Float
from pacl.models import (
    EncoderOutput,
    Masks,
    ModelError,
    Network,
    Place,
    View,
    draw_weights,
    seen,
)


class RecurrentNetwork(Network):
    """From windows of one channel to z, and from there as `Encoder` does: dropout, e, unit length.

    `config` are the arguments of the network as plain values; integers are sizes, and above 0.
    """

    def __init__(self, config: dict[str, Any], generator: torch.Generator | None) -> None:
        super().__init__()
        self.config = config
        _check(type(self).__name__, config)
        z, e = config["pooled_features"], config["projected_features"]
        with torch.random.fork_rng(devices=[]):  # layers draw weights, which are replaced below
            self.build()
            self.project = nn.Sequential(nn.Linear(z, e), nn.ReLU())
            self.project_out = nn.Linear(e, e)
        draw_weights(self, generator)

    @abstractmethod
    def build(self) -> None:
        """Make the layers that lead to z."""

    @abstractmethod
    def takes(self, beats: int) -> str | None:
        """The required length of windows, if `beats` is not accepted; else None."""

    @abstractmethod
    def summarise(self, x: Float[Tensor, "window beat"]) -> Float[Tensor, "window feature"]:
        """Z, before dropout."""

    def forward(
        self,
        x: Float[Tensor, "window beat"] | Float[Tensor, "window channel beat"],
        masks: Masks | None = None,
    ) -> EncoderOutput:
        """Embed windows; see `Network`."""
        wanted = self.takes(x.shape[-1])
        if x.ndim not in (2, 3) or (x.ndim == 3 and x.shape[1] != 1) or wanted:
            raise ModelError(
                f"windows of shape {tuple(x.shape)}; expected (window, beat) or (window, 1, beat)"
                + (f" with {wanted}" if wanted else "")
            )
        if x.ndim == 3:
            x = x[:, 0]
        if masks is None:
            masks = self.draw_masks(*x.shape) if self.training else {}
        z = self.summarise(seen(self.config["view"], x))
        z = z * masks["pooled"] if "pooled" in masks else z
        e = self.project_out(self.project(z))
        return EncoderOutput(normalize(z, dim=1), normalize(e, dim=1), z, e)

    def mask_shapes(self, windows: int, beats: int) -> dict[Place, tuple[int, ...]]:
        """Only z has dropout."""
        return (
            {"pooled": (windows, self.config["pooled_features"])} if self.config["dropout"] else {}
        )


def _check(name: str, config: dict[str, Any]) -> None:
    """Report all wrong arguments at once."""
    wrong = [
        f"{key} {value}: above 0"
        for key, value in config.items()
        if (isinstance(value, int) and value < 1)
        or (isinstance(value, list) and (not value or min(value) < 1))
    ]
    if not 0 <= config["dropout"] < 1:
        wrong.append(f"dropout {config['dropout']}: from 0 to below 1")
    if config["view"] not in get_args(View):
        wrong.append(f"view {config['view']!r}: {', '.join(get_args(View))}")
    if config.get("kernel", 1) % 2 == 0:
        wrong.append(f"kernel {config['kernel']}: odd")
    if wrong:
        raise ModelError(f"{name}: " + "; ".join(wrong))
