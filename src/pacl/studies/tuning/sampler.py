"""TPE with random numbers from the seed and a trial's slot: interruptions change nothing.

With one worker the slot is the number of earlier trials without interrupted ones. An interrupted
trial is tried again in the same slot (`pacl.studies.tuning.retries`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial

from pacl.studies.tuning.retries import take_slot


class PlacedSampler(BaseSampler):
    """Optuna's TPE, started again for each trial; the first trial is given.

    Parameters
    ----------
    seed
        Of all trials.
    first
        Values of the first trial, by name.
    """

    def __init__(self, seed: int, first: Mapping[str, Any]) -> None:
        self.seed, self.first = seed, dict(first)
        self._of: tuple[int, int, BaseSampler] | None = None

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """What TPE looks at together."""
        return self._sampler(study, trial).infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values that TPE chooses together."""
        return self._sampler(study, trial).sample_relative(study, trial, search_space)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """A value by itself."""
        sampler = self._sampler(study, trial)
        if self._of is not None and self._of[1] == 0 and param_name in self.first:
            return self.first[param_name]
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def _sampler(self, study: Study, trial: FrozenTrial) -> BaseSampler:
        if self._of is None or self._of[0] != trial.number:
            slot = take_slot(study, trial)
            [seed] = np.random.SeedSequence((slot, self.seed)).generate_state(1)
            self._of = (trial.number, slot, TPESampler(seed=int(seed)))
        return self._of[2]
