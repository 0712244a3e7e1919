"""Settings of `pacl reproduce`: the study, how recordings are prepared, how runs are trained."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pacl.cli.config import ConfigError, laid_over, plain, settings_in, validated
from pacl.cli.prepare_settings import PrepareSettings
from pacl.registry import Registry
from pacl.settings import (
    Arranged,
    BranchesSettings,
    CountFrom0,
    NoAugmentation,
    Plan,
    SamplerSettings,
    Seed,
    SettingsError,
    TrainSettings,
    arranged_sections,
    numbered,
    settled,
)
from pacl.stored import Between

if TYPE_CHECKING:
    from pacl.studies import Preparation, Study


SECTIONS = ("sampler", "objective", "encoder", "augmentation", "train")
"""What a study shares with a run."""


@dataclass(frozen=True)
class SimulateSettings:
    """Simulated patients, if no data is given."""

    patients: Annotated[int, Between(12, 1_000_000)] = 60
    """Number of patients."""
    seed: Seed = 0
    """Seed of the simulation."""


@dataclass(frozen=True)
class ReproduceSettings:
    """What `pacl reproduce` studies."""

    REGISTRIES: ClassVar[Mapping[str, Registry[Any]]] = Plan.REGISTRIES

    losses: tuple[str, ...] = ("patient-aware", "supcon", "bce")
    """Losses to compare; patient-aware is the paper's name of subject-aware. Can be given several
    times."""
    seeds: tuple[Seed, ...] = (1, 42, 102, 2026, 9999)
    """One or more, for example --seeds 1 2 3. Each loss is trained with each seed."""
    folds: CountFrom0 = 0
    """Number of folds by patient; 0 for a single split."""
    fold_seed: Seed = 1
    """Decides who is in which fold."""
    simulate: SimulateSettings = SimulateSettings()
    prepare: PrepareSettings = PrepareSettings()
    sampler: SamplerSettings = SamplerSettings()
    objective: Any = None
    encoder: Any = BranchesSettings()
    augmentation: Any = NoAugmentation()
    train: TrainSettings = TrainSettings()

    @classmethod
    def arranged(cls, stated: Mapping[str, Any]) -> Arranged:
        """Which settings each section holds."""
        return arranged_sections(stated, numbered("losses", stated.get("losses", cls.losses)))

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        for name in ("losses", "seeds"):
            given = getattr(self, name)
            if not given or len(set(given)) < len(given):
                yield f"{name} {list(given)}: give at least one, and each once"
        if self.folds in (1, 2):
            yield f"folds {self.folds}: use 3 or more, or 0 for a single split"
        if self.folds and self.prepare.split.folds:
            yield "prepare.split.folds: the study makes its own folds, drop one of them"

    def plan(self, loss: str) -> Plan:
        """How runs of a loss are trained."""
        return Plan(loss=loss, **{name: getattr(self, name) for name in SECTIONS})

    def study(
        self, tuned: tuple[Path, ...] = (), flags: Mapping[str, Any] | None = None
    ) -> "Study":
        """The plans of all losses; files of `pacl tune` replace plans, `flags` override both."""
        from pacl.studies import Study

        plans = {loss: self.plan(loss) for loss in self.losses}
        flagged = {key: value for key, value in (flags or {}).items() if key in SECTIONS}
        given: dict[str, Path] = {}
        for file in tuned:
            found = settings_in(file)
            validated(Plan, found, str(file))  # before flags can cover what is wrong in it
            plan = validated(Plan, laid_over(found, flagged), str(file), flagged)
            if plan.loss in given:
                raise ConfigError(
                    f"{file}: settings of loss {plan.loss!r}, as in {given[plan.loss]}; give one"
                )
            given[plan.loss] = file
            if plan.loss not in plans:
                raise ConfigError(
                    f"{file}: settings of loss {plan.loss!r}, which is not studied; "
                    f"add it with --losses, or leave the file out"
                )
            plans[plan.loss] = plan
        return Study(plans, self.seeds, self.folds, self.fold_seed)

    def preparation(self, given: Mapping[str, Any]) -> "Preparation":
        """How recordings are prepared; `given` are the settings that were chosen."""
        from pacl.studies import Preparation

        named = {"protocol", "episodes", "pooled"} & given.get("prepare", {}).keys()
        return Preparation(
            divide=self.prepare.divide,
            cut=self.prepare.window,
            protocol=self.prepare.rule() if named else None,
            stated=plain(asdict(self.prepare)),
            restated=_restated,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        of_run = self.plan(self.losses[0]).to_dict()
        return {**plain(asdict(self)), **{name: of_run[name] for name in SECTIONS}}


def _restated(stated: Any) -> Any:
    """Settings of an earlier version as this version writes them."""
    try:
        return plain(asdict(settled(PrepareSettings, stated)))
    except SettingsError:
        return stated
