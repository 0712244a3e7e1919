"""The protocol that all systems go through alike: who learns from whom, how often, and how long."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from pacl.rivals.registry import SYSTEMS, system_named
from pacl.studies.errors import RunError
from pacl.studies.rivals.job import RivalJob

MOST_TRIALS = 8
ON_NETWORKS = {"patient-aware-andersen": "andersen-style", "patient-aware-faust": "faust-style"}
"""There to see whether the objective depends on the encoder, and for nothing else.

With each, the same network as it is otherwise trained.
"""

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
"""Of some numbers of a protocol."""

ONCE = ("methods", "seeds", "few", "few_seeds")
"""What would be fitted or counted twice if it were given twice."""

Chosen = Callable[[str, str, int], int]
"""Which trial of a method to take, by cohort, method and fold; -1 for all folds together."""


@dataclass(frozen=True, slots=True)
class RivalsProtocol:
    """What is fitted.

    Parameters
    ----------
    methods
        Names of systems.
    seeds
        The first one is tuned with.
    folds, fold_seed
        By patient: a fold is judged, the next one is chosen by, the others are learned from.
    trials
        How many of each system's settings are tried, on validation patients; at most eight.
    steps
        Of learning, for systems that learn in steps.
    few
        Numbers of training patients whose labels are known.
    few_seeds
        Those of the seeds that few patients are drawn with, for all systems alike; all by default.
    learning_from_few
        Systems that are fitted anew on so few patients; those that need no labels need not be.
    leaking
        Systems that are also judged on windows of patients they know.
    other_folds, other_steps
        To choose settings by on the second cohort, which is small.
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
                    "give no more than that: all systems are tuned over as many",
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
        """The seeds that few patients are drawn with."""
        return self.few_seeds or self.seeds

    def tuning(self, cohort: str, *, other: bool = False) -> Iterator[RivalJob]:
        """Every setting on every fold, with the first seed."""
        folds, steps = (self.other_folds, self.other_steps) if other else (self.folds, self.steps)
        for method in self.methods:
            for fold in range(folds):
                for trial in range(self.trials):
                    yield RivalJob(
                        "main", cohort, cohort, "", method, trial, self.seeds[0], fold, 0, steps
                    )

    def repeated(self, cohort: str, chosen: Chosen) -> Iterator[RivalJob]:
        """The settings that each fold's validation patients chose, with every seed."""
        for method in self.methods:
            for fold in range(self.folds):
                trial = chosen(cohort, method, fold)
                for seed in self.seeds:
                    yield RivalJob(
                        "main", cohort, cohort, "", method, trial, seed, fold, 0, self.steps
                    )

    def labels(self, cohort: str, chosen: Chosen) -> Iterator[RivalJob]:
        """Learned from few patients."""
        methods = [name for name in self.methods if name in self.learning_from_few]
        for seed, method, fold, count in product(
            self.drawn_with, methods, range(self.folds), self.few
        ):
            yield RivalJob(
                study="labels",
                learned=cohort,
                judged=cohort,
                condition=patients_text(count),
                method=method,
                trial=chosen(cohort, method, fold),
                seed=seed,
                fold=fold,
                patients=count,
                steps=self.steps,
            )

    def leak(self, cohort: str, chosen: Chosen) -> Iterator[RivalJob]:
        """Windows divided without regard to patients."""
        leaking = [name for name in self.methods if name in self.leaking]
        for seed, method, condition, fold in product(
            self.seeds, leaking, LEAK[1:], range(self.folds)
        ):
            yield RivalJob(
                study="leak",
                learned=cohort,
                judged=cohort,
                condition=condition,
                method=method,
                trial=chosen(cohort, method, -1),
                seed=seed,
                fold=fold,
                steps=self.steps,
            )

    def elsewhere(
        self, learned: str, judged: str, chosen: Chosen, *, other: bool
    ) -> Iterator[RivalJob]:
        """All of one cohort learned from, all of another judged."""
        steps = self.other_steps if other else self.steps
        for method in self.methods:
            trial = chosen(learned, method, -1)
            for seed in self.seeds:
                yield RivalJob(
                    "elsewhere",
                    learned,
                    judged,
                    f"{learned} to {judged}",
                    method,
                    trial,
                    seed,
                    -1,
                    0,
                    steps,
                )


def patients_text(count: int) -> str:
    """`4 patients`."""
    return f"{count} patient{'s' * (count != 1)}"


def _listed(value: int | tuple[int, ...]) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else (value,)
