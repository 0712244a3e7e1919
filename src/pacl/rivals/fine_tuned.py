"""The proposed encoder, fine-tuned end to end starting from its probe.

```
half of the steps                      half of the steps
patient-aware, lr -- fit the probe --> cross-entropy, fine_lr, encoder and head
                     as initial head
```
"""

from dataclasses import dataclass, replace

import torch

from pacl.evaluation import Probe
from pacl.objectives import BinaryCrossEntropyLoss
from pacl.rivals.contrastive import PATIENT_AWARE
from pacl.rivals.end_to_end import EndToEnd
from pacl.rivals.learning import numbers, train
from pacl.rivals.system import Kind, Learn, Settings, System
from pacl.training import Seeds

DEFAULTS = {"lr": 1e-3, "fine_lr": 1e-4, "weight_decay": 1e-3}


@torch.no_grad()
def head_of(probe: Probe) -> BinaryCrossEntropyLoss:
    """A head equal to the probe: it reads z-hat, of unit length."""
    weight, bias = probe.of_two_classes()
    head = BinaryCrossEntropyLoss(weight.size, "pooled_raw", generator=torch.Generator())
    head.reads = "pooled"
    head.head.weight.copy_(torch.from_numpy(weight)[None])
    head.head.bias.fill_(bias)
    return head


@dataclass(eq=False, slots=True)
class FineTuned:
    """The proposed representation and its probe, fine-tuned together with cross-entropy."""

    name: str
    title: str
    trials: tuple[Settings, ...]
    kind: Kind = "end-to-end"

    def fit(self, learn: Learn, settings: Settings) -> EndToEnd:
        """Half of the steps for the representation, half for fine-tuning."""
        chosen = numbers(settings, DEFAULTS)
        half = learn.steps // 2
        started = self.start(replace(learn, steps=half), chosen)
        train(
            started.network,
            started.head,
            replace(learn, steps=learn.steps - half),
            Seeds.of(learn.seed, stage=1),
            lr=chosen["fine_lr"],
            weight_decay=chosen["weight_decay"],
        )
        return started

    def start(self, learn: Learn, settings: Settings) -> EndToEnd:
        """The start of fine-tuning: the pre-trained encoder, with the probe as head."""
        chosen = numbers(settings, DEFAULTS)
        probed = PATIENT_AWARE.fit(learn, {key: chosen[key] for key in ("lr", "weight_decay")})
        return EndToEnd(probed.network, head_of(probed.probe).to(learn.device), learn.device)


FINE_TUNED = FineTuned(
    name="fine-tuned",
    title="Patient-aware, fine-tuned",
    trials=({"fine_lr": 1e-4}, {"fine_lr": 3e-5}, {"fine_lr": 3e-4}, {"lr": 3e-3, "fine_lr": 1e-4}),
)

SYSTEMS: tuple[System, ...] = (FINE_TUNED,)
