"""The proposed system, and systems that differ from it only in the objective (2.3, 3).

A network is trained with labels, frozen, and probed. Sampler, augmentation and the cosine over all
steps are those of the bundled weights.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from pacl.models import Encoder, Network
from pacl.objectives import make_objective
from pacl.rivals.learning import numbers, train
from pacl.rivals.system import Kind, Learn, Probed, Settings, System
from pacl.training import Seeds

DEFAULTS = {"lr": 1e-3, "weight_decay": 1e-3, "temperature": 0.05}
RATES: tuple[Settings, ...] = ({"lr": 1e-3}, {"lr": 3e-4}, {"lr": 3e-3})
"""The first trials of all systems."""

MakeNetwork = Callable[..., Network]
"""Makes a network; the initial weights are drawn from the argument `generator`."""


def relative_encoder(*, generator: torch.Generator) -> Network:
    """The encoder of the bundled weights, with intervals relative to the mean of their window."""
    return Encoder(view="relative", generator=generator)


@dataclass(eq=False, slots=True)
class SupervisedRepresentation:
    """A network trained with labels by an objective of `make_objective`, then frozen and probed."""

    name: str
    title: str
    objective: str
    trials: tuple[Settings, ...]
    make: MakeNetwork = relative_encoder
    kind: Kind = "supervised"

    def fit(self, learn: Learn, settings: Settings) -> Probed:
        """Train the representation, then fit the probe on the same windows."""
        return Probed.on(self.represent(learn, settings), learn.windows, learn.device)

    def represent(self, learn: Learn, settings: Settings) -> Network:
        """Train the network without a probe."""
        chosen, seeds = numbers(settings, DEFAULTS), Seeds.of(learn.seed)
        generator = seeds.of_weights()
        network = self.make(generator=generator)
        objective = make_objective(
            self.objective,
            temperature=chosen["temperature"],
            features=network.config["projected_features"],
            generator=generator,
        )
        rates = {key: chosen[key] for key in ("lr", "weight_decay")}
        train(network, objective, learn, seeds, **rates)
        return network


TEMPERED = (*RATES, {"lr": 1e-3, "temperature": 0.1})
DECAYED = (*RATES, {"lr": 1e-3, "weight_decay": 1e-2})
PATIENT_AWARE = SupervisedRepresentation(
    "patient-aware", "Patient-aware (proposed)", objective="patient-aware", trials=TEMPERED
)
SUPCON = SupervisedRepresentation("supcon", "SupCon", objective="supcon", trials=TEMPERED)
BCE = SupervisedRepresentation("bce", "Cross-entropy, probed", objective="bce", trials=DECAYED)

SYSTEMS: tuple[System, ...] = (PATIENT_AWARE, SUPCON, BCE)
