"""The interface of systems: trained on some subjects, then tried on subjects never seen.

```
windows of all --reads--> what the system reads --part--> Learn --System.fit--> Fitted
                                                                                  |
                        subjects never seen ------ probability, embed ------------+
```
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import torch

from pacl.axes import Array, Float32, Float64
from pacl.settings import ComparisonSettings
from pacl.training import EpochLog
from pacl.windows import WindowSet

Reads = Literal["signal", "features"]
"""What a system reads: the windows, or features of each of their channels."""


def _nothing(log: EpochLog) -> None:
    """Report nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class Learn:
    """What a system is fitted on.

    Parameters
    ----------
    train, validation
        Windows of training subjects, as the system reads them; and of those who are held out to
        choose by, None if nobody is.
    settings
        Of the comparison: the training that networks share.
    seed, device
        Of all random numbers, and where to compute.
    on_epoch
        Called after each epoch, by systems that have epochs.
    """

    train: WindowSet
    validation: WindowSet | None
    settings: ComparisonSettings
    seed: int
    device: torch.device
    on_epoch: Callable[[EpochLog], None] = _nothing


@runtime_checkable
class Fitted(Protocol):
    """A trained system."""

    def probability(self, windows: WindowSet) -> Float64[Array, "window class"]:
        """Of each class; all classes are taken to be equally probable beforehand."""
        ...

    def embed(self, windows: WindowSet) -> Float32[Array, "window feature"] | None:
        """Embeddings of unit length; None if the system has none."""
        ...


@runtime_checkable
class System(Protocol):
    """A system that can be trained.

    Attributes
    ----------
    title
        What it is called in tables.
    reads
        What it is given of the windows.
    random
        Whether another seed gives another result.
    """

    title: str
    reads: Reads
    random: bool

    def holds_out(self, settings: ComparisonSettings) -> bool:
        """Whether some training subjects are held out to choose by."""
        ...

    def fit(self, learn: Learn) -> Fitted:
        """Train; the same seed on the same CPU gives the same result."""
        ...
