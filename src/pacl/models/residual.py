"""A plain residual network for signals of any number of channels and any length.

```
x -- conv k, stride 2, norm, ReLU -- stage 1 -- stage 2 -- stage 3 -- mean over time -- Linear -- z
                                     width      2 x width  4 x width

block:  h --+-- conv k, norm, ReLU, conv k, norm --+-- ReLU      the first block of each further
            +------- (1x1 conv, norm) -------------+             stage has stride 2
```
"""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from pacl.axes import Float
from pacl.models.dropout import Masks
from pacl.models.errors import ModelError
from pacl.models.network import EncoderOutput, draw_weights
from pacl.models.signal_encoder import SignalEncoder
from pacl.settings import ResidualSettings, SettingsError, settled

MIN_SAMPLES = 1
DEFAULT = ResidualSettings()


class ResidualEncoder(SignalEncoder):
    """From windows of any signal to embeddings on the unit sphere.

    Parameters
    ----------
    in_channels
        Channels of the input.
    width, blocks
        Channels of the first stage, and the blocks of each stage.
    kernel, groups
        Of the convolutions and of group normalisation.
    dropout
        Probability of dropout on z.
    pooled_features, projected_features
        Length of z and of e.
    generator
        For the initial weights; by default torch's own.

    Examples
    --------
    >>> encoder = ResidualEncoder(in_channels=8)
    >>> encoder(torch.randn(4, 8, 250)).pooled.shape
    torch.Size([4, 128])
    """

    def __init__(
        self,
        in_channels: int = 1,
        width: int = DEFAULT.width,
        blocks: Sequence[int] = DEFAULT.blocks,
        kernel: int = DEFAULT.kernel,
        groups: int = DEFAULT.groups,
        dropout: float = DEFAULT.dropout,
        pooled_features: int = DEFAULT.pooled_features,
        projected_features: int = DEFAULT.projected_features,
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        stated = {
            "width": width,
            "blocks": list(blocks),
            "kernel": kernel,
            "groups": groups,
            "dropout": dropout,
            "pooled_features": pooled_features,
            "projected_features": projected_features,
        }
        try:
            settled(ResidualSettings, stated)
        except SettingsError as error:
            raise ModelError(f"encoder: {error}") from error
        if in_channels < 1:
            raise ModelError(f"encoder: in_channels {in_channels}: above 0")
        with torch.random.fork_rng(devices=[]):  # layers draw weights, which are replaced below
            widths = [width * 2**stage for stage in range(len(blocks))]
            layers: list[nn.Module] = [
                nn.Conv1d(in_channels, width, kernel, stride=2, padding=kernel // 2),
                nn.GroupNorm(groups, width),
                nn.ReLU(inplace=True),
            ]
            for stage, (before, after) in enumerate(pairwise([width, *widths])):
                for block in range(blocks[stage]):
                    stride = 2 if stage and not block else 1
                    layers.append(_Block(after if block else before, after, kernel, stride, groups))
            module = nn.Sequential(
                *layers,
                nn.AdaptiveAvgPool1d(1),
                nn.Flatten(),
                nn.Linear(widths[-1], pooled_features),
            )
        super().__init__(module, pooled_features, projected_features, dropout=dropout)
        self.config |= {"in_channels": in_channels, **stated}
        draw_weights(self, generator)

    def forward(
        self,
        x: Float[Tensor, "window time"] | Float[Tensor, "window channel time"],
        masks: Masks | None = None,
    ) -> EncoderOutput:
        """Embed windows; see `Network`."""
        channels = self.config["in_channels"]
        shape = (len(x), 1, *x.shape[1:]) if x.ndim == 2 else tuple(x.shape)
        if len(shape) != 3 or shape[1] != channels or shape[2] < MIN_SAMPLES:
            raise ModelError(
                f"windows of shape {tuple(x.shape)}; expected (window, {channels}, time) with at "
                f"least {MIN_SAMPLES} samples"
            )
        return super().forward(x, masks)


class _Block(nn.Module):
    """Two convolutions, and a way past them."""

    def __init__(self, before: int, after: int, kernel: int, stride: int, groups: int) -> None:
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv1d(before, after, kernel, stride=stride, padding=kernel // 2),
            nn.GroupNorm(groups, after),
            nn.ReLU(inplace=True),
            nn.Conv1d(after, after, kernel, padding=kernel // 2),
            nn.GroupNorm(groups, after),
        )
        self.past: nn.Module = nn.Identity()
        if stride > 1 or before != after:
            self.past = nn.Sequential(
                nn.Conv1d(before, after, 1, stride=stride), nn.GroupNorm(groups, after)
            )

    def forward(self, h: Float[Tensor, "window channel time"]) -> Tensor:
        """The sum of both ways."""
        return torch.relu(self.path(h) + self.past(h))
