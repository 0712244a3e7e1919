"""BYOL-style: predict the embedding of another view by a slow copy (Grill et al. 2020).

```
view 1 -- encoder -- projection -- predictor --+
                                               +-- 2 - 2 cosine, and the same with views swapped
view 2 -- the same, averaged over steps -------+   (no gradient)
```

There are no negative pairs. The loss is the paper's Eq. 2, in both directions. The copy follows
with the paper's momentum, which rises to 1 along a half cosine. Our choices: the encoder, whose
projection has no batch norm while the predictor has one; the views; no dropout in the copy; a first
momentum of 0.99, for thousands of steps instead of hundreds of thousands.
"""

import copy
import math

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from pacl.axes import Float
from pacl.models import EncoderOutput, Network, draw_weights
from pacl.rivals.pretraining import Codes, Loss, SelfSupervised, Start, TwoViews, Views
from pacl.rivals.system import Learn, Settings, System

HIDDEN = 512


def slow_copy(encoder: Network) -> Network:
    """A copy of the encoder without gradients."""
    return copy.deepcopy(encoder).requires_grad_(False)


@torch.no_grad()
def follow(slow: Network, encoder: Network, momentum: float) -> None:
    """Move each weight by 1 - momentum of the way towards the encoder's."""
    torch._foreach_lerp_(list(slow.parameters()), list(encoder.parameters()), 1.0 - momentum)


def rising(base: float, done: float) -> float:
    """Momentum after the share `done` of a training: `base` at 0, 1 at 1."""
    return 1.0 - (1.0 - base) * (1.0 + math.cos(math.pi * min(done, 1.0))) / 2.0


def both_ways(
    predicted: Float[Tensor, "view feature"], found: Float[Tensor, "view feature"]
) -> Loss:
    """Mean over windows of 2 - 2 cosine, from the first view to the second and back (Eq. 2).

    Rows are the first views of all windows, then the second views.
    """
    other = found.roll(len(found) // 2, dims=0)
    return 2.0 * (2.0 - 2.0 * cosine_similarity(predicted, other, dim=1)).mean()


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


class Prediction(TwoViews):
    """A trained predictor, and a slow copy of the encoder."""

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

    def loss(self, embedded: EncoderOutput, views: Views, patients: Codes) -> Loss:
        """Error of the predicted embedding of the other view; patients are not used."""
        with torch.no_grad():
            found = self.slow(views, {}).projected_raw
        return both_ways(self.predictor(embedded.projected_raw), found)

    def after_step(self, encoder: Network) -> None:
        """Update the slow copy."""
        follow(self.slow, encoder, rising(self.momentum, self.done / self.steps))
        self.done += 1


def _prediction(start: Start, learn: Learn, chosen: dict[str, float]) -> Prediction:
    return Prediction(
        start.encoder,
        len(learn.windows),
        steps=learn.steps,
        momentum=chosen["momentum"],
        generator=start.weights,
    )


TRIALS: tuple[Settings, ...] = (
    {"lr": 1e-3, "momentum": 0.99},
    {"lr": 3e-4, "momentum": 0.99},
    {"lr": 3e-3, "momentum": 0.99},
    {"lr": 1e-3, "momentum": 0.996},
)
SYSTEMS: tuple[System, ...] = (SelfSupervised("byol", "BYOL-style", _prediction, TRIALS),)
