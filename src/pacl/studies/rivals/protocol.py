"""The protocol of the comparison: folds, seeds, settings and steps, the same for all systems."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from pacl.rivals import SYSTEMS, system_named
from pacl.studies.errors import RunError
from pacl.studies.rivals.job import RivalJob

MOST_TRIALS = 8
ON_NETWORKS = {"patient-aware-andersen": "andersen-style", "patient-aware-faust": "faust-style"}
"""The patient-aware objective on other networks, and each network with its own training."""

FITTED_ANEW = tuple(
    name
    for name, system in SYSTEMS.items()
    if system.kind != "self-supervised" and name not in ON_NETWORKS
)
LEAK = ("patients", "windows apart", "windows")
LEAST = {
    "folds": 3,
    "other_folds": 3,
    "steps": 1,
    "other_steps": 1,
    "few": 1,
    "seeds": 0,
    "fold_seed": 0,
}
MOST = 2**31
"""The largest value of numbers of a protocol."""

ONCE = ("methods", "seeds", "few", "few_seeds")
"""Lists in which each value may be given once."""

Chosen = Callable[[str, str, int], int]
"""The chosen trial of a method, by cohort, method and fold; -1 for all folds together."""


@dataclass(frozen=True, slots=True)
class RivalsProtocol:
    """What is fitted.

    Parameters
    ----------
    methods
        Names of systems.
    seeds
        Systems are tuned with the first one.
    folds, fold_seed
        By patient: one fold for testing, the next for validation, the others for training.
    trials
        Number of settings of each system that are tried on validation patients; at most eight.
    steps
        Of training, for systems that train in steps.
    few
        Numbers of labelled training patients, for the study of few labels.
    few_seeds
        Seeds to draw these patients with, the same for all systems; by default all seeds.
    learning_from_few
        Systems that are fitted again on few patients; self-supervised ones need not be.
    leaking
        Systems that are also tested on windows of training patients.
    other_folds, other_steps
        Folds and steps on the second cohort, which is expected to be small.
    """

    methods: tuple[str, ...] = tuple(SYSTEMS)
    seeds: tuple[int, ...] = (1, 42, 102)
    folds: int = 5
    fold_seed: int = 1
    trials: int = 3
    steps: int = 1000
    few: tuple[int, ...] = (1, 2, 4, 8, 16)
    few_seeds: tuple[int, ...] = ()
    learning_from_few: tuple[str, ...] = FITTED_ANEW
    leaking: tuple[str, ...] = ("patient-aware", "bce", "faust-style", "hrv", "statistics")
    other_folds: int = 3
    other_steps: int = 400

    def __post_init__(self) -> None:
        for name in self.methods:
            system_named(name)
        for name in ONCE:
            given = getattr(self, name)
            if twice := [value for value in dict.fromkeys(given) if given.count(value) > 1]:
                raise RunError(
                    "rivals", f"{name} has {twice[0]} more than once", "give each of them once"
                )
        if not 1 <= self.trials <= MOST_TRIALS:
            raise RunError("rivals", f"{self.trials} trials", f"give 1 to {MOST_TRIALS}")
        for name in self.methods:
            if self.trials > (there := len(system_named(name).trials)):
                raise RunError(
                    "rivals",
                    f"{self.trials} trials, {name} has {there} settings",
                    "give no more: all systems are tuned over the same number",
                )
        for name, least in LEAST.items():
            for value in _listed(getattr(self, name)):
                if not least <= value <= MOST:
                    raise RunError("rivals", f"{name} {value}", f"give {least} to {MOST:,}")
        if unknown := set(self.few_seeds) - set(self.seeds):
            raise RunError(
                "rivals",
                f"few_seeds {sorted(unknown)} are not among the seeds",
                "give some of them",
            )
        if not (self.methods and self.seeds):
            raise RunError("rivals", "no systems or no seeds", "give at least one of each")

    @property
    def drawn_with(self) -> tuple[int, ...]:
        """The seeds to draw few patients with."""
        return self.few_seeds or self.seeds

    def tuning(self, cohort: str, *, other: bool = False) -> Iterator[RivalJob]:
        """All settings on all folds, with the first seed."""
        folds, steps = (self.other_folds, self.other_steps) if other else (self.folds, self.steps)
        for method, fold, trial in product(self.methods, range(folds), range(self.trials)):
            yield _main(cohort, method, trial, self.seeds[0], fold, steps)

    def repeated(self, cohort: str, chosen: Chosen) -> Iterator[RivalJob]:
        """The settings chosen on each fold's validation patients, with all seeds."""
        for method, fold in product(self.methods, range(self.folds)):
            trial = chosen(cohort, method, fold)
            for seed in self.seeds:
                yield _main(cohort, method, trial, seed, fold, self.steps)

    def labels(self, cohort: str, chosen: Chosen) -> Iterator[RivalJob]:
        """Fits on few patients."""
        methods = [name for name in self.methods if name in self.learning_from_few]
        for seed, method, fold, count in product(
            self.drawn_with, methods, range(self.folds), self.few
        ):
            trial = chosen(cohort, method, fold)
            job = _main(cohort, method, trial, seed, fold, self.steps)
            yield replace(job, study="labels", condition=patients_text(count), patients=count)

    def leak(self, cohort: str, chosen: Chosen) -> Iterator[RivalJob]:
        """Windows divided by window instead of patient."""
        leaking = [name for name in self.methods if name in self.leaking]
        for seed, method, condition, fold in product(
            self.seeds, leaking, LEAK[1:], range(self.folds)
        ):
            trial = chosen(cohort, method, -1)
            job = _main(cohort, method, trial, seed, fold, self.steps)
            yield replace(job, study="leak", condition=condition)

    def elsewhere(
        self, learned: str, judged: str, chosen: Chosen, *, other: bool
    ) -> Iterator[RivalJob]:
        """Trained on one cohort, tested on another."""
        steps, condition = self.other_steps if other else self.steps, f"{learned} to {judged}"
        for method in self.methods:
            trial = chosen(learned, method, -1)
            for seed in self.seeds:
                job = _main(learned, method, trial, seed, -1, steps)
                yield replace(job, study="elsewhere", judged=judged, condition=condition)


def _main(cohort: str, method: str, trial: int, seed: int, fold: int, steps: int) -> RivalJob:
    """A fit of the main study."""
    return RivalJob("main", cohort, cohort, "", method, trial, seed, fold, steps=steps)


def patients_text(count: int) -> str:
    """`4 patients`."""
    return f"{count} patient{'s' * (count != 1)}"


def _listed(value: int | tuple[int, ...]) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else (value,)
