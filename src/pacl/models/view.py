"""What the first layer sees of a window: values as given, bent, or beats by their own mean."""

from typing import Literal

import torch
from torch import Tensor

from pacl.axes import Float

View = Literal["given", "bent", "relative"]
"""`given` and `bent`: windows come scaled. `relative`: they come in ms and need nobody's scale."""

GAIN = 8.0
"""A beat 13 % longer than the mean is seen as about 1, which is where large values are bent."""

SHORTEST_MS = 1.0
"""Shorter intervals are taken for this one: the logarithm of nothing is no number."""


def seen(
    view: View, x: Float[Tensor, "*window_and_channel beat"]
) -> Float[Tensor, "*window_and_channel beat"]:
    """What the first layer sees.

    `relative` takes the logarithm of each interval over the mean of its window, so that a slow
    heart and a fast one look alike while how much beats differ is kept. It and `bent` draw in what
    is far off, such as the pause after a premature beat, by asinh.
    """
    if view == "given":
        return x
    if view == "bent":
        return torch.asinh(x)
    rr_ms = x.clamp_min(SHORTEST_MS)
    return torch.asinh(GAIN * torch.log(rr_ms / rr_ms.mean(dim=-1, keepdim=True)))
