"""The encoder: three convolution branches, a channel mix, attention, a projection (2.4, App. B).

```
              +- 3 x (conv k=3, stride 2, norm, ReLU) -+
x (1, time) --+- 3 x (conv k=5, stride 2, norm, ReLU) -+-- 1x1 conv, norm, ReLU -- attention --+
              +- 3 x (conv k=7, stride 2, norm, ReLU) -+   192 channels            over time   |
                                                                                               |
  pooled = z / |z|   <--- z (128) <--- Linear -------------------------------------------------+
  projected = e / |e| <-- e (128) <--- Linear, ReLU, Linear <--- z
```
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from pacl.axes import Float
from pacl.models.attention import AttentionPool
from pacl.models.dropout import Masks, checked_places
from pacl.models.errors import ModelError
from pacl.models.network import EncoderOutput, Network, draw_weights, seen
from pacl.models.released import read_released
from pacl.settings import (
    BranchesSettings,
    Norm,
    Place,
    PooledBy,
    SettingsError,
    View,
    settled,
)

MIN_LENGTH = 32
DEFAULT = BranchesSettings()


class Encoder(Network):
    """From windows of a signal to embeddings on the unit sphere; 135,009 parameters by default.

    Parameters
    ----------
    in_channels
        Channels of the input.
    kernels
        Kernel size of each branch; odd.
    channels
        Channels after each strided convolution of a branch.
    pooled_features, projected_features
        Length of z and of e.
    norm, groups
        `group` normalisation and its number of groups, `batch`, or `none`.
    dropout, dropout_places
        Probability, and where: after the channel `mix`, on the attention's `scores` and `weights`,
        on z (`pooled`), as released; or within the `projection`, as the paper says.
    pooled_by
        `linear`: attention pools the mixed channels and a linear layer makes z of them, as
        released. `mix`: the 1x1 convolution fuses to `pooled_features`, which are z once pooled.
    view
        `given`: windows are scaled. `bent`: scaled, and compressed by asinh. `relative`: windows
        are as measured, above 0, and each is taken relative to its own mean.
    generator
        For the initial weights; by default torch's own.

    Examples
    --------
    >>> encoder = Encoder()
    >>> out = encoder(torch.randn(4, 200))
    >>> out.pooled.shape, out.projected.shape
    (torch.Size([4, 128]), torch.Size([4, 128]))
    """

    def __init__(
        self,
        in_channels: int = 1,
        kernels: Sequence[int] = DEFAULT.kernels,
        channels: Sequence[int] = DEFAULT.channels,
        pooled_features: int = DEFAULT.pooled_features,
        projected_features: int = DEFAULT.projected_features,
        norm: Norm = DEFAULT.norm,
        groups: int = DEFAULT.groups,
        dropout: float = DEFAULT.dropout,
        dropout_places: Sequence[Place] = DEFAULT.dropout_places,
        pooled_by: PooledBy = DEFAULT.pooled_by,
        view: View = DEFAULT.view,
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.config = {
            "in_channels": in_channels,
            "kernels": list(kernels),
            "channels": list(channels),
            "pooled_features": pooled_features,
            "projected_features": projected_features,
            "norm": norm,
            "groups": groups,
            "dropout": dropout,
            "dropout_places": list(dropout_places),
            "pooled_by": pooled_by,
            "view": view,
        }
        _check(self.config)
        self.config["dropout_places"] = list(checked_places(dropout_places))
        fused = len(kernels) * channels[-1]
        mixed = fused if pooled_by == "linear" else pooled_features
        with torch.random.fork_rng(devices=[]):  # layers draw weights, which are replaced below
            self.branches = nn.ModuleList(
                _branch(in_channels, channels, kernel, norm, groups) for kernel in kernels
            )
            self.mix = nn.Sequential(
                nn.Conv1d(fused, mixed, 1), _norm(norm, groups, mixed), nn.ReLU(inplace=True)
            )
            self.attention = AttentionPool(mixed)
            self.to_pooled = (
                nn.Linear(mixed, pooled_features) if pooled_by == "linear" else nn.Identity()
            )
            self.project = nn.Sequential(nn.Linear(pooled_features, projected_features), nn.ReLU())
            self.project_out = nn.Linear(projected_features, projected_features)
        draw_weights(self, generator)

    def forward(
        self,
        x: Float[Tensor, "window time"] | Float[Tensor, "window channel time"],
        masks: Masks | None = None,
    ) -> EncoderOutput:
        """Embed windows; see `Network`."""
        if x.ndim == 2:
            x = x[:, None]
        if x.ndim != 3 or x.shape[1] != self.config["in_channels"] or x.shape[2] < MIN_LENGTH:
            raise ModelError(
                f"windows of shape {tuple(x.shape)}; expected (window, "
                f"{self.config['in_channels']}, time) with at least {MIN_LENGTH} samples"
            )
        if masks is None:
            masks = self.draw_masks(*x.shape[::2]) if self.training else {}
        x = seen(self.config["view"], x)
        h = torch.cat([branch(x) for branch in self.branches], dim=1)
        h = _dropped(self.mix(h), masks.get("mix"))
        pooled = self.attention(h, masks.get("scores"), masks.get("weights"))
        z = _dropped(self.to_pooled(pooled), masks.get("pooled"))
        e = self.project_out(_dropped(self.project(z), masks.get("projection")))
        return EncoderOutput(normalize(z, dim=1), normalize(e, dim=1), z, e)

    def mask_shapes(self, windows: int, samples: int) -> dict[Place, tuple[int, ...]]:
        """The shape of each dropout mask of a batch."""
        return mask_shapes(self.config, windows, samples)

    @classmethod
    def from_released(cls, path: Path | str) -> "Encoder":
        """The weights that the paper's authors released (EML-Labs/pacl-rri-af, MIT licence)."""
        encoder = cls(generator=torch.Generator())
        encoder.load_state_dict(read_released(path, encoder.state_dict()))
        return encoder.eval()


def mask_shapes(
    config: Mapping[str, Any], windows: int, samples: int
) -> dict[Place, tuple[int, ...]]:
    """The shape of each dropout mask of a batch, where an encoder of this config has dropout."""
    for _ in config["channels"]:
        samples = (samples + 1) // 2
    mixed = config["pooled_features"]
    if config["pooled_by"] == "linear":
        mixed = len(config["kernels"]) * config["channels"][-1]
    shapes: dict[Place, tuple[int, ...]] = {
        "mix": (windows, mixed, samples),
        "scores": (windows, 1, samples),
        "weights": (windows, 1, samples),
        "pooled": (windows, config["pooled_features"]),
        "projection": (windows, config["projected_features"]),
    }
    places = config["dropout_places"] if config["dropout"] else ()
    return {place: shapes[place] for place in places}


def _branch(
    in_channels: int, channels: Sequence[int], kernel: int, norm: Norm, groups: int
) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in zip((in_channels, *channels), channels, strict=False):
        convolution = nn.Conv1d(before, after, kernel, stride=2, padding=kernel // 2)
        layers += [convolution, _norm(norm, groups, after), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)


def _norm(norm: Norm, groups: int, channels: int) -> nn.Module:
    if norm == "group":
        return nn.GroupNorm(groups, channels)
    return nn.BatchNorm1d(channels) if norm == "batch" else nn.Identity()


def _dropped(values: Tensor, mask: Tensor | None) -> Tensor:
    return values if mask is None else values * mask


def _check(config: dict[str, Any]) -> None:
    """Report all wrong arguments at once."""
    stated = {key: value for key, value in config.items() if key != "in_channels"}
    wrong = []
    if config["in_channels"] < 1:
        wrong.append(f"in_channels {config['in_channels']}: above 0")
    try:
        settled(BranchesSettings, stated)
    except SettingsError as error:
        wrong.append(str(error))
    if wrong:
        raise ModelError("encoder: " + "; ".join(wrong))
