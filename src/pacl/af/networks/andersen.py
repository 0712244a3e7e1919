"""Convolutions, then an LSTM, on RR intervals: after Andersen, Peimankar & Puthusserypady (2019).

```
x (beat) -- conv k=5, ReLU, max pool 2 -- conv k=5, ReLU, max pool 2 -- LSTM -- Linear -- z (128)
            32 channels                   64 channels                  100 units, last state
```

"A deep learning approach for real-time detection of atrial fibrillation", Expert Systems with
Applications 115: an end-to-end network of convolutions and a recurrent layer finds its own features
in segments of RR intervals. Our choices, as no more details were available:

- two blocks of 32 and 64 channels, kernels of 5, max pooling by 2, an LSTM of 100 units;
- z is a linear layer on the LSTM's last state, with the dropout of `Encoder` on it;
- windows have the view of `Encoder`, relative to their own mean, not intervals in seconds;
- windows have the length of the comparison: the network takes any length.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from pacl.af.networks.recurrent import RecurrentNetwork
from pacl.axes import Float
from pacl.models import View

MIN_BEATS = 32


class AndersenNetwork(RecurrentNetwork):
    """From windows of beats to embeddings on the unit sphere; 122,848 parameters by default.

    Parameters
    ----------
    channels
        Channels of each block of convolution, ReLU and pooling.
    kernel
        Kernel size of the convolutions; odd.
    units
        Of the LSTM.

    The others are those of `Encoder`; dropout is on z.

    Examples
    --------
    >>> network = AndersenNetwork()
    >>> network(torch.full((4, 200), 800.0)).pooled.shape
    torch.Size([4, 128])
    """

    def __init__(
        self,
        channels: Sequence[int] = (32, 64),
        kernel: int = 5,
        units: int = 100,
        pooled_features: int = 128,
        projected_features: int = 128,
        dropout: float = 0.12,
        view: View = "relative",
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        config = {
            "channels": list(channels),
            "kernel": kernel,
            "units": units,
            "pooled_features": pooled_features,
            "projected_features": projected_features,
            "dropout": dropout,
            "view": view,
        }
        super().__init__(config, generator)

    def build(self) -> None:
        """Convolutions, the LSTM, and the layer to z."""
        channels, kernel = self.config["channels"], self.config["kernel"]
        layers: list[nn.Module] = []
        for before, after in zip((1, *channels), channels, strict=False):
            convolution = nn.Conv1d(before, after, kernel, padding=kernel // 2)
            layers += [convolution, nn.ReLU(), nn.MaxPool1d(2)]
        self.blocks = nn.Sequential(*layers)
        self.lstm = nn.LSTM(channels[-1], self.config["units"], batch_first=True)
        self.to_pooled = nn.Linear(self.config["units"], self.config["pooled_features"])

    def takes(self, beats: int) -> str | None:
        """Any length from `MIN_BEATS` on that is not empty after pooling."""
        least = max(MIN_BEATS, 2 ** len(self.config["channels"]))
        return f"at least {least} beats" if beats < least else None

    def summarise(self, x: Float[Tensor, "window beat"]) -> Float[Tensor, "window feature"]:
        """A linear layer on the state after the last beat."""
        _, (state, _) = self.lstm(self.blocks(x[:, None]).transpose(1, 2))
        z: Tensor = self.to_pooled(state[-1])
        return z
