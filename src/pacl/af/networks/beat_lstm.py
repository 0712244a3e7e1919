"""A logit of AF for every beat from an LSTM that reads the intervals in both directions.

After the RR-LSTM of torch_ecg, the baseline on intervals for the China Physiological Signal
Challenge of 2021: one bidirectional LSTM, a layer of 50 units, and a logit for each beat.

```
rr_ms, present --> the inputs of BeatNetwork --> LSTM forwards and backwards --> 50 --> logit
```

Our choices: the inputs of `BeatNetwork`, for a fair comparison; 96 units per direction instead of
200, so that both networks have one size (88,000 weights); no dropout, no attention between LSTM and
layer, no random field after it. The memory of an LSTM is unlimited; `margin_beats` on each side of
a logit are enough to warm up. Unlike in a network of convolutions, logits depend slightly on where
a recording is cut.
"""

import torch
from torch import Tensor, nn

from pacl.af.networks.beat_network import INPUTS, PerBeatNetwork, beat_inputs
from pacl.axes import Bool, Float
from pacl.models import ModelError, draw_weights


class BeatLSTM(PerBeatNetwork):
    """Logits of AF, one for each beat.

    Parameters
    ----------
    units, layer_units
        Of the LSTM, in each direction; of the layer between the LSTM and the logit.
    margin_beats
        Beats that the LSTM reads on each side before its first logit.
    mean_beats
        Beats of the running mean that intervals are compared with; odd.
    """

    def __init__(
        self,
        units: int = 96,
        layer_units: int = 50,
        margin_beats: int = 128,
        mean_beats: int = 101,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if mean_beats % 2 == 0 or min(units, layer_units, margin_beats, mean_beats) < 1:
            raise ModelError(
                f"units {units}, layer_units {layer_units}, margin_beats {margin_beats}, "
                f"mean_beats {mean_beats}: expected numbers above 0, the last one odd"
            )
        self.config = {
            "units": units,
            "layer_units": layer_units,
            "margin_beats": margin_beats,
            "mean_beats": mean_beats,
        }
        self.margin_beats, self.mean_beats = margin_beats, mean_beats
        self.behind = self.ahead = margin_beats + mean_beats // 2
        self.lstm = nn.LSTM(INPUTS, units, batch_first=True, bidirectional=True)
        self.head = nn.Sequential(nn.Linear(2 * units, layer_units), nn.ReLU())
        self.logit = nn.Linear(layer_units, 1)
        draw_weights(self, generator)

    def forward(
        self, rr_ms: Float[Tensor, "crop beat"], present: Bool[Tensor, "crop beat"]
    ) -> Float[Tensor, "crop inner"]:
        """Logits of all beats except `reach` on either side."""
        beats, needed = rr_ms.shape[-1], self.behind + 1 + self.ahead
        if beats < needed:
            raise ModelError(f"{beats} beats; {needed} are needed for one logit")
        half = self.mean_beats // 2
        inputs = beat_inputs(rr_ms, present, self.mean_beats, half)[..., half : beats - half]
        remembered, _ = self.lstm(inputs.transpose(1, 2))
        inner = remembered[:, self.margin_beats : remembered.shape[1] - self.margin_beats]
        logits: Tensor = self.logit(self.head(inner))[..., 0]
        return logits
