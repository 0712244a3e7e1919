"""A logit of AF for each beat: dilated convolutions over the intervals around it (4).

```
rr_ms, present --> 5 inputs per beat --> conv --> blocks, each twice as wide as the last --> logit
                   deviation from the mean of 101, step from the beat before (coarse and fine),
                   the mean itself, whether there is a beat
```

There is no normalisation over time, and all convolutions are valid: the logit of a beat depends
only on the beats within its reach, wherever a recording is cut. Before the first and after the last
beat `present` is false.

A network for streams looks only a few beats ahead: its wide blocks only look back.

```
both ways     x . . . X . . . x        the block's kernel around beat X
back only     x . . . x . . . X
```
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool1d, pad, relu

from pacl.axes import Bool, Float
from pacl.models import ModelError, draw_weights, stored_network
from pacl.rr import USUAL_MS
from pacl.stored import read_tensors, write_tensors

FORMAT = "pacl beats 1"
"""Of the file of a network."""

DILATIONS = (1, 2, 4, 8, 16, 32, 64) * 2
INPUTS = 5
CLIPPED_MS = (200.0, 3000.0)
"""Intervals are clipped to this range: the exact length of a pause carries no information."""

COARSE, FINE = 8.0, 60.0
"""Steps of 1/8 and 1/60 of an interval are where asinh starts to compress."""


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


class BeatNetwork(PerBeatNetwork):
    """Logits of AF, one for each beat.

    Parameters
    ----------
    channels
        Width of every layer.
    kernel
        Beats that a convolution sees; odd.
    dilations
        Distance of these beats, one for each block.
    mean_beats
        Beats of the running mean that intervals are compared with; odd.
    widest_ahead
        Largest dilation of a block that looks both ways. Wider blocks only look back, and so does
        the running mean. By default all look both ways.
    """

    def __init__(
        self,
        channels: int = 32,
        kernel: int = 5,
        dilations: Sequence[int] = DILATIONS,
        mean_beats: int = 101,
        widest_ahead: int | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if kernel % 2 == 0 or mean_beats % 2 == 0 or min(channels, kernel, mean_beats) < 1:
            raise ModelError(
                f"channels {channels}, kernel {kernel}, mean_beats {mean_beats}: expected numbers "
                "above 0, the last two odd"
            )
        if not dilations or min(dilations) < 1:
            raise ModelError(f"dilations {tuple(dilations)}: expected at least one, all above 0")
        self.config = {
            "channels": channels,
            "kernel": kernel,
            "dilations": list(dilations),
            "mean_beats": mean_beats,
            "widest_ahead": widest_ahead,
        }
        self.mean_beats = mean_beats
        self.mean_ahead = mean_beats // 2 if widest_ahead is None else 0
        blocks = [
            _Block(channels, kernel, each, ahead=widest_ahead is None or each <= widest_ahead)
            for each in dilations
        ]
        self.first = nn.Conv1d(INPUTS, channels, kernel)
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Conv1d(channels, 1, 1)
        half, mean_behind = kernel // 2, mean_beats - 1 - self.mean_ahead
        self.ahead = self.mean_ahead + half + sum(one.after for one in blocks)
        self.behind = mean_behind + half + sum(one.before for one in blocks)
        draw_weights(self, generator)

    def forward(
        self, rr_ms: Float[Tensor, "crop beat"], present: Bool[Tensor, "crop beat"]
    ) -> Float[Tensor, "crop inner"]:
        """Logits of all beats except the first `behind` and the last `ahead`."""
        beats, needed = rr_ms.shape[-1], self.behind + self.ahead + 1
        if beats < needed:
            raise ModelError(f"{beats} beats; {needed} are needed for one logit")
        inputs = beat_inputs(rr_ms, present, self.mean_beats, self.mean_ahead)
        mean_behind = self.mean_beats - 1 - self.mean_ahead
        return self.judge(inputs[..., mean_behind : beats - self.mean_ahead])

    def judge(self, inputs: Float[Tensor, "crop input beat"]) -> Float[Tensor, "crop inner"]:
        """Logits from the inputs of each beat."""
        found: Tensor = self.first(inputs)
        for block in self.blocks:
            found = block(found)
        logits: Tensor = self.head(relu(found))[:, 0]
        return logits


class _Block(nn.Module):
    """A dilated convolution with a residual path; it sees `before` and `after` beats."""

    def __init__(self, channels: int, kernel: int, dilation: int, *, ahead: bool) -> None:
        super().__init__()
        self.wide = nn.Conv1d(channels, channels, kernel, dilation=dilation, bias=False)
        self.norm = nn.BatchNorm1d(channels, momentum=0.02)
        self.point = nn.Conv1d(channels, channels, 1)
        self.after = kernel // 2 * dilation if ahead else 0
        self.before = (kernel - 1) * dilation - self.after

    def forward(self, x: Tensor) -> Tensor:
        around = x[..., self.before : x.shape[-1] - self.after]
        beside: Tensor = self.point(relu(self.norm(self.wide(x))))
        return around + beside


def beat_inputs(
    rr_ms: Float[Tensor, "crop beat"],
    present: Bool[Tensor, "crop beat"],
    mean_beats: int,
    mean_ahead: int,
) -> Float[Tensor, "crop input beat"]:
    """The inputs of the network for each beat; zeros where it is absent.

    `mean_ahead` of the `mean_beats` beats of the running mean come after the beat.
    """
    there = present.to(rr_ms.dtype)
    log_rr = torch.log(rr_ms.clamp(*CLIPPED_MS) / USUAL_MS) * there
    both = pad(torch.stack([log_rr, there], dim=1), (mean_beats - 1 - mean_ahead, mean_ahead))
    sums = avg_pool1d(both, mean_beats, stride=1)
    mean = sums[:, 0] / sums[:, 1].clamp(min=0.5 / mean_beats)
    follows = there * pad(there, (1, 0))[..., :-1]
    step = (log_rr - pad(log_rr, (1, 0))[..., :-1]) * follows
    inputs = (
        torch.asinh(COARSE * (log_rr - mean)),
        torch.asinh(COARSE * step),
        torch.asinh(FINE * step) / 2,
        2 * mean,
        there,
    )
    return torch.stack(inputs, dim=1) * there[:, None]


def stored_beat_network(stated: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> BeatNetwork:
    """The network in evaluation mode; an error if arguments and tensors do not fit together."""
    dilations = stated.get("dilations")
    if isinstance(dilations, list) and len(dilations) > len(tensors):
        raise ModelError(f"network: more blocks than the {len(tensors)} tensors there are")
    return stored_network(BeatNetwork, "network", stated, tensors)


def write_beat_network(network: BeatNetwork, path: Path) -> None:
    """Write the file atomically; the same network gives the same bytes."""
    write_tensors(path, network.state_dict(), {"format": FORMAT, "network": network.config})


def read_beat_network(path: Path) -> BeatNetwork:
    """Read what `write_beat_network` wrote."""
    stated, tensors = read_tensors(path, _Stated, _no_network, written_as=FORMAT)
    try:
        return stored_beat_network(stated["network"], tensors)
    except ModelError as error:
        raise _no_network(path, str(error)) from error


class _Stated(TypedDict):
    """Metadata of the file."""

    network: dict[str, Any]


def _no_network(path: Path, what: str) -> ModelError:
    return ModelError(f"{path}: no beat network ({what}); give a file that pacl weights wrote")
