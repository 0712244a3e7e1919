"""Networks trained end to end: cross-entropy with a head on z."""

from dataclasses import dataclass

import torch

from pacl.axes import Array, Float32, Float64
from pacl.evaluation import embed
from pacl.models import Network, full_precision
from pacl.objectives import BinaryCrossEntropyLoss
from pacl.rivals.contrastive import DECAYED, MakeNetwork, relative_encoder
from pacl.rivals.learning import numbers, train
from pacl.rivals.system import Kind, Learn, Probed, Settings, System
from pacl.rr import RRWindowSet, RRWindowTensors
from pacl.training import Seeds

DEFAULTS = {"lr": 1e-3, "weight_decay": 1e-3}
AT_ONCE = 1024
"""Windows per forward pass; affects speed and memory only."""


@dataclass(frozen=True, eq=False, slots=True)
class EndToEnd:
    """A network with the head it was trained with."""

    network: Network
    head: BinaryCrossEntropyLoss
    device: torch.device

    def logit(self, windows: RRWindowSet) -> Float64[Array, "window"]:
        """The logit of the head."""
        self.network.to(self.device).eval()
        self.head.to(self.device)
        return _logit(self.network, self.head, RRWindowTensors.of(windows, self.device))

    def embed(self, windows: RRWindowSet) -> Float32[Array, "window feature"]:
        """The pooled embeddings z-hat."""
        return embed(self.network, windows, device=self.device).pooled

    def probed(self, windows: RRWindowSet) -> Probed:
        """The same network, frozen, with a probe instead of the head."""
        return Probed.on(self.network, windows, self.device)


@torch.inference_mode()
@full_precision()
def _logit(
    network: Network, head: BinaryCrossEntropyLoss, tensors: RRWindowTensors
) -> Float64[Array, "window"]:
    every = torch.arange(len(tensors), device=tensors.start.device)
    found = []
    for rows in torch.split(every, AT_ONCE):
        embedded = getattr(network(tensors.take(rows)), head.reads)
        found.append(head.head(embedded).squeeze(1).double())
    logit: Float64[Array, "window"] = torch.cat(found).cpu().numpy()
    return logit


@dataclass(eq=False, slots=True)
class CrossEntropyTrained:
    """A network trained end to end: a head on z, cross-entropy, nothing frozen."""

    name: str
    title: str
    make: MakeNetwork
    trials: tuple[Settings, ...] = DECAYED
    kind: Kind = "end-to-end"

    def fit(self, learn: Learn, settings: Settings) -> EndToEnd:
        """Train network and head together."""
        chosen, seeds = numbers(settings, DEFAULTS), Seeds.of(learn.seed)
        generator = seeds.of_weights()
        network = self.make(generator=generator)
        head = BinaryCrossEntropyLoss(
            network.config["pooled_features"], "pooled_raw", generator=generator
        )
        train(network, head, learn, seeds, **chosen)
        return EndToEnd(network, head, learn.device)


END_TO_END = CrossEntropyTrained(
    name="end-to-end", title="Cross-entropy, end to end", make=relative_encoder
)

SYSTEMS: tuple[System, ...] = (END_TO_END,)
