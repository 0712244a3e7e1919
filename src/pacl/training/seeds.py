"""The sources of chance in a training, each with a stream of its own."""

from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where first weights, batches and dropout are drawn from.

    Examples
    --------
    >>> Seeds.of(1) == Seeds.of(1), Seeds.of(1) == Seeds.of(1, stage=1)
    (True, False)
    """

    weights: int
    batches: int
    dropout: int

    @classmethod
    def of(cls, seed: int, stage: int = 0) -> "Seeds":
        """Streams that all follow from one seed; those of a later stage are others."""
        sequence = np.random.SeedSequence(seed, spawn_key=(stage,) if stage else ())
        state = sequence.generate_state(3, np.uint64)
        return cls(*(int(value >> np.uint64(1)) for value in state))

    def of_weights(self) -> torch.Generator:
        """To draw first weights from, on the CPU."""
        return torch.Generator().manual_seed(self.weights)
