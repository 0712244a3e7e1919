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

MakeNetwork = Callable[[torch.Generator], Network]
"""Makes a network with initial weights."""


def relative_encoder(generator: torch.Generator) -> Network:
    """The encoder of the bundled weights, with intervals relative to the mean of their window."""
    return Encoder(view="relative", generator=generator)


@dataclass(eq=False, slots=True)
class SupervisedRepresentation:
    """A network trained with labels, then frozen and probed.

    Parameters
    ----------
    name, title, trials, kind
        See `System`.
    objective
        See `make_objective`.
    make
        Makes the network.
    """

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
        network = self.make(generator)
        objective = make_objective(
            self.objective,
            temperature=chosen["temperature"],
            features=network.config["projected_features"],
            generator=generator,
        )
        train(
            network,
            objective,
            learn,
            seeds,
            lr=chosen["lr"],
            weight_decay=chosen["weight_decay"],
        )
        return network


PATIENT_AWARE = SupervisedRepresentation(
    name="patient-aware",
    title="Patient-aware (proposed)",
    objective="patient-aware",
    trials=(*RATES, {"lr": 1e-3, "temperature": 0.1}),
)
SUPCON = SupervisedRepresentation(
    name="supcon",
    title="SupCon",
    objective="supcon",
    trials=(*RATES, {"lr": 1e-3, "temperature": 0.1}),
)
BCE = SupervisedRepresentation(
    name="bce",
    title="Cross-entropy, probed",
    objective="bce",
    trials=(*RATES, {"lr": 1e-3, "weight_decay": 1e-2}),
)

SYSTEMS: tuple[System, ...] = (PATIENT_AWARE, SUPCON, BCE)
