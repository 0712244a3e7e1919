"""The proposed system, and those that differ from it in the objective alone (2.3, 3).

A network is trained with an objective that sees labels, frozen, and probed. The recipe is that of
the bundled weights: the sampler, what is done to windows, a cosine over all steps.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from pacl.models import Encoder
from pacl.models.network import Network
from pacl.objectives import make_objective
from pacl.rivals.learning import numbers, train
from pacl.rivals.system import Kind, Learn, Probed, Settings
from pacl.training.seeds import Seeds

DEFAULTS = {"lr": 1e-3, "weight_decay": 1e-3, "temperature": 0.05}
RATES: tuple[Settings, ...] = ({"lr": 1e-3}, {"lr": 3e-4}, {"lr": 3e-3})
"""Every system's first trials."""

MakeNetwork = Callable[[torch.Generator], Network]
"""A network with its first weights."""


def relative_encoder(generator: torch.Generator) -> Network:
    """The encoder of the recipe: it sees beats by the mean of their window."""
    return Encoder(view="relative", generator=generator)


@dataclass(eq=False, slots=True)
class SupervisedRepresentation:
    """A network trained with an objective that sees labels, then frozen and probed.

    Parameters
    ----------
    name, title, trials, kind
        See `System`.
    objective
        See `make_objective`.
    make
        The network before the first step.
    """

    name: str
    title: str
    objective: str
    trials: tuple[Settings, ...]
    make: MakeNetwork = relative_encoder
    kind: Kind = "supervised"

    def fit(self, learn: Learn, settings: Settings) -> Probed:
        """Learn the representation, then fit the probe on the same windows."""
        return Probed.on(self.represent(learn, settings), learn.windows, learn.device)

    def represent(self, learn: Learn, settings: Settings) -> Network:
        """The network alone."""
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
