"""What a system is that tells AF in windows: it learns from patients, then judges strangers.

```
Learn (windows of training patients, a seed, a device)
   |                                                        +-- logit(windows)   AF or not
   +--> System.fit(learn, settings) --> Fitted -------------+-- embed(windows)   where it embeds
                                                            +-- probed(windows)  another probe
```
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

import torch

from pacl.axes import Array, Float32, Float64
from pacl.evaluation import Probe, embed, fit_probe
from pacl.models.network import Network
from pacl.training.augmentation import Augmentation
from pacl.windows import WindowSet

Kind = Literal["self-supervised", "supervised", "end-to-end", "features"]
"""What it does with labels: none until the probe; a representation, then a probe; all at once; a
classifier on features that nobody learned."""

Settings = Mapping[str, float | str]
"""What is tuned, by name."""

AUGMENTATION = Augmentation(respiratory_arrhythmia=0.5, faults=0.5)
"""What every network's training windows go through, whoever's it is."""

LOWEST_LR = 1e-6
"""Where every network's learning rate ends."""

BATCH = 256
"""Windows in a step of every network."""


@dataclass(frozen=True, eq=False, slots=True)
class Learn:
    """What a system may learn from.

    Parameters
    ----------
    windows
        Of training patients alone, in ms; of AF, and of anything that is known not to be AF.
    seed
        All of its chance follows from it.
    steps
        Of `BATCH` windows, for those that learn step by step.
    device
        Where to compute.
    """

    windows: WindowSet
    seed: int
    steps: int
    device: torch.device


@runtime_checkable
class Fitted(Protocol):
    """A system that has learned."""

    def logit(self, windows: WindowSet) -> Float64[Array, "window"]:
        """How much speaks for AF in each window; the higher the more."""
        ...

    def embed(self, windows: WindowSet) -> Float32[Array, "window feature"] | None:
        """Embeddings of unit length; None where there are none."""
        ...

    def probed(self, windows: WindowSet) -> "Fitted | None":
        """The same representation with a probe fitted on these windows; None where it has none."""
        ...


@runtime_checkable
class System(Protocol):
    """A way to learn.

    Attributes
    ----------
    name, title
        For commands and files, and for people; what is not public in all details is `...-style`.
    kind
        What it does with labels.
    trials
        At most eight settings that it is tuned over; the first is what it starts from.
    """

    name: str
    title: str
    kind: Kind
    trials: tuple[Settings, ...]

    def fit(self, learn: Learn, settings: Settings) -> Fitted:
        """Learn; the same seed on the same CPU gives the same."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Probed:
    """A frozen network and a linear probe on its pooled embeddings (2.4)."""

    network: Network
    probe: Probe
    device: torch.device

    @classmethod
    def on(cls, network: Network, windows: WindowSet, device: torch.device) -> "Probed":
        """Fit the probe on labelled windows."""
        pooled = embed(network, windows, device=device).pooled
        return cls(network, fit_probe(pooled, windows.table.rhythm.astype("int64")), device)

    def logit(self, windows: WindowSet) -> Float64[Array, "window"]:
        """The probe's."""
        return self.probe.logit(self.embed(windows))

    def embed(self, windows: WindowSet) -> Float32[Array, "window feature"]:
        """z-hat."""
        return embed(self.network, windows, device=self.device).pooled

    def probed(self, windows: WindowSet) -> "Probed":
        """The same network with another probe."""
        return replace(self, probe=self.on(self.network, windows, self.device).probe)
