"""BYOL-style: foretell what a slower copy of oneself makes of another view (Grill et al. 2020).

```
view 1 -- encoder -- projection -- predictor --+
                                               +-- 2 - 2 cosine, and the same with views swapped
view 2 -- the same, averaged over steps -------+   (no gradient)
```

Nothing repels. The loss is the paper's Eq. 2, in both directions; the copy follows by the paper's
momentum, which rises to 1 along a half cosine. Ours: the encoder, whose projection has no batch
norm while the predictor has one; the views; that the copy drops nothing; a momentum that begins at
0.99, for a training of thousands of steps and not of hundreds of thousands.
"""

import copy
import math

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from pacl.axes import Float, Int
from pacl.models.network import EncoderOutput, Network, draw_weights
from pacl.rivals.pretraining import Start, TwoViews
from pacl.rivals.system import Kind, Learn, Probed, Settings, System

HIDDEN = 512


def slow_copy(encoder: Network) -> Network:
    """The same weights, which no gradient moves."""
    return copy.deepcopy(encoder).requires_grad_(False)


@torch.no_grad()
def follow(slow: Network, encoder: Network, momentum: float) -> None:
    """Move each weight by 1 - momentum of the way to the encoder's."""
    torch._foreach_lerp_(list(slow.parameters()), list(encoder.parameters()), 1.0 - momentum)


def rising(base: float, done: float) -> float:
    """The momentum when the share `done` of a training is over: `base` at 0, 1 at 1."""
    return 1.0 - (1.0 - base) * (1.0 + math.cos(math.pi * min(done, 1.0))) / 2.0


def both_ways(
    foretold: Float[Tensor, "view feature"], found: Float[Tensor, "view feature"]
) -> Float[Tensor, ""]:
    """Mean over windows of 2 - 2 cosine, from the first view to the second and back (Eq. 2).

    Rows are the first view of every window, then the second of every window.
    """
    other = found.roll(len(found) // 2, dims=0)
    return 2.0 * (2.0 - 2.0 * cosine_similarity(foretold, other, dim=1)).mean()


def make_predictor(features: int, generator: torch.Generator) -> nn.Sequential:
    """Linear, batch norm, ReLU, Linear, with weights from a generator."""
    with torch.random.fork_rng(devices=[]):  # layers draw weights, which are replaced below
        predictor = nn.Sequential(
            nn.Linear(features, HIDDEN),
            nn.BatchNorm1d(HIDDEN, track_running_stats=False),
            nn.ReLU(),
            nn.Linear(HIDDEN, features),
        )
    draw_weights(predictor, generator)
    return predictor


class Foretelling(TwoViews):
    """A predictor that learns, and a copy of the encoder that follows it."""

    def __init__(
        self,
        encoder: Network,
        windows: int,
        *,
        steps: int,
        momentum: float,
        generator: torch.Generator,
    ) -> None:
        super().__init__(windows)
        self.steps, self.momentum, self.done = steps, momentum, 0
        self.slow = slow_copy(encoder)
        self.predictor = make_predictor(encoder.config["projected_features"], generator)

    def loss(
        self,
        embedded: EncoderOutput,
        views: Float[Tensor, "view beat"],
        patients: Int[Tensor, "window"],
    ) -> Float[Tensor, ""]:
        """How far off the other view was foretold; patients do not matter."""
        with torch.no_grad():
            found = self.slow(views, {}).projected_raw
        return both_ways(self.predictor(embedded.projected_raw), found)

    def after_step(self, encoder: Network) -> None:
        """Let the copy follow."""
        follow(self.slow, encoder, rising(self.momentum, self.done / self.steps))
        self.done += 1


class Byol:
    """Views foretell each other."""

    name = "byol"
    title = "BYOL-style"
    kind: Kind = "self-supervised"
    trials: tuple[Settings, ...] = (
        {"lr": 1e-3, "momentum": 0.99},
        {"lr": 3e-4, "momentum": 0.99},
        {"lr": 3e-3, "momentum": 0.99},
        {"lr": 1e-3, "momentum": 0.996},
    )

    def fit(self, learn: Learn, settings: Settings) -> Probed:
        """Learn from windows alone, then a probe from labels."""
        start = Start.of(learn)
        method = Foretelling(
            start.encoder,
            len(learn.windows),
            steps=learn.steps,
            momentum=float(settings["momentum"]),
            generator=start.weights,
        )
        return start.learned(learn, method, float(settings["lr"]))


SYSTEMS: tuple[System, ...] = (Byol(),)
