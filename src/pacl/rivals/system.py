"""The interface of systems: trained on some patients, then evaluated on unseen patients.

```
Learn (windows of training patients, a seed, a device)
   |                                                        +-- logit(windows)   AF or not
   +--> System.fit(learn, settings) --> Fitted -------------+-- embed(windows)   embeddings
                                                            +-- probed(windows)  another probe
```
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

import torch

from pacl.af import RRAugmentation
from pacl.axes import Array, Float32, Float64
from pacl.evaluation import Probe, embed, fit_probe
from pacl.models import Network
from pacl.rr import RRWindowSet

Kind = Literal["self-supervised", "supervised", "end-to-end", "features"]
"""Use of labels: only for the probe; for the representation, then a probe; end to end; for a
classifier of fixed features."""

Settings = Mapping[str, float | str]
"""Tuned settings by name."""

AUGMENTATION = RRAugmentation(respiratory_arrhythmia=0.5, faults=0.5)
"""Augmentation of the training windows of all networks."""

LOWEST_LR = 1e-6
"""Last learning rate of all networks."""

BATCH = 256
"""Windows per step of all networks."""


@dataclass(frozen=True, eq=False, slots=True)
class Learn:
    """Training data, seed of all random numbers, number of steps, and device."""

    windows: RRWindowSet
    """Windows of training patients, in ms: AF, and rhythms known not to be AF."""
    seed: int
    steps: int
    """Steps of `BATCH` windows, for systems that are trained in steps."""
    device: torch.device


@runtime_checkable
class Fitted(Protocol):
    """A trained system."""

    def logit(self, windows: RRWindowSet) -> Float64[Array, "window"]:
        """Evidence for AF in each window; higher means more likely."""
        ...

    def embed(self, windows: RRWindowSet) -> Float32[Array, "window feature"] | None:
        """Embeddings of unit length; None if the system has none."""
        ...

    def probed(self, windows: RRWindowSet) -> "Fitted | None":
        """The same representation with a probe fitted on these windows; None without a probe."""
        ...


@runtime_checkable
class System(Protocol):
    """A system that can be trained.

    Attributes
    ----------
    name, title
        Name in commands and files; title in tables. Not fully published methods are `...-style`.
    kind
        Use of labels.
    trials
        Four to eight settings to tune over; the first is the default.
    """

    name: str
    title: str
    kind: Kind
    trials: tuple[Settings, ...]

    def fit(self, learn: Learn, settings: Settings) -> Fitted:
        """Train; the same seed on the same CPU gives the same result."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Probed:
    """A frozen network and a linear probe on its pooled embeddings (2.4)."""

    network: Network
    probe: Probe
    device: torch.device

    @classmethod
    def on(cls, network: Network, windows: RRWindowSet, device: torch.device) -> "Probed":
        """Fit the probe on labelled windows."""
        pooled = embed(network, windows, device=device).pooled
        return cls(network, fit_probe(pooled, windows.table.rhythm.astype("int64")), device)

    def logit(self, windows: RRWindowSet) -> Float64[Array, "window"]:
        """The logit of the probe."""
        return self.probe.logit(self.embed(windows))

    def embed(self, windows: RRWindowSet) -> Float32[Array, "window feature"]:
        """The pooled embeddings z-hat."""
        return embed(self.network, windows, device=self.device).pooled

    def probed(self, windows: RRWindowSet) -> "Probed":
        """The same network with another probe."""
        return replace(self, probe=self.on(self.network, windows, self.device).probe)
