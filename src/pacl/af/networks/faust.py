"""A bidirectional LSTM on windows of 100 beats: after Faust et al. (2018).

```
x (200) --+-- beats   0-99 -- LSTM, both ways -- max over beats -- Linear --+-- mean -- z (128)
          +-- beats 100-199 -- the same          200 values                 +
```

"Automated detection of atrial fibrillation using long short-term memory network with RR interval
signals", Computers in Biology and Medicine 102: blocks of 100 beats go straight into an LSTM.
Our choices, as no more details were available:

- one layer of 100 units each way, the largest value of each over the beats, and a linear layer;
- a longer window is its parts of 100 beats: each goes through the network by itself, and z is the
  mean of theirs;
- windows have the view of `Encoder`, relative to the mean of the entire window;
- z has the dropout of `Encoder`.
"""

import torch
from torch import Tensor, nn

from pacl.af.networks.recurrent import RecurrentNetwork
from pacl.axes import Float
from pacl.models import View


class FaustNetwork(RecurrentNetwork):
    """From windows of beats to embeddings on the unit sphere; 141,152 parameters by default.

    Parameters
    ----------
    part_beats
        Beats that the LSTM sees at once; windows are one such part or several.
    units
        Of the LSTM, each way.

    The others are those of `Encoder`; dropout is on z.

    Examples
    --------
    >>> network = FaustNetwork()
    >>> network(torch.full((4, 200), 800.0)).pooled.shape
    torch.Size([4, 128])
    """

    def __init__(
        self,
        part_beats: int = 100,
        units: int = 100,
        pooled_features: int = 128,
        projected_features: int = 128,
        dropout: float = 0.12,
        view: View = "relative",
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        config = {
            "part_beats": part_beats,
            "units": units,
            "pooled_features": pooled_features,
            "projected_features": projected_features,
            "dropout": dropout,
            "view": view,
        }
        super().__init__(config, generator)

    def build(self) -> None:
        """The LSTM, and the layer to z."""
        units = self.config["units"]
        self.lstm = nn.LSTM(1, units, batch_first=True, bidirectional=True)
        self.to_pooled = nn.Linear(2 * units, self.config["pooled_features"])

    def takes(self, beats: int) -> str | None:
        """Multiples of one part."""
        part = self.config["part_beats"]
        return None if beats and beats % part == 0 else f"a multiple of {part} beats"

    def summarise(self, x: Float[Tensor, "window beat"]) -> Float[Tensor, "window feature"]:
        """The mean of the parts' z."""
        states, _ = self.lstm(x.reshape(-1, self.config["part_beats"], 1))
        z: Tensor = self.to_pooled(states.amax(dim=1))
        return z.reshape(len(x), -1, z.shape[1]).mean(dim=1)
