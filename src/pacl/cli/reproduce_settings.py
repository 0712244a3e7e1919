"""Settings of `pacl reproduce`: the study, how recordings are prepared, how runs are trained."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationError, model_validator

from pacl.cli.config import ConfigError, CountFrom0, PrepareSettings, Seed, Settings, settle
from pacl.cli.train_settings import (
    EncoderSettings,
    Loss,
    ObjectiveSettings,
    OptimiserSettings,
    SamplerSettings,
    TrainSettings,
)

if TYPE_CHECKING:
    from pacl.studies import Plan, Preparation, Study


SECTIONS = ("sampler", "objective", "encoder", "train")
"""What a study shares with a run."""


class SimulateSettings(Settings):
    """Simulated patients, if no data is given."""

    patients: Annotated[int, Field(ge=12, le=1_000_000)] = 60
    """Number of patients."""
    seed: Seed = 0
    """Seed of the simulation."""


class ReproduceSettings(Settings):
    """What `pacl reproduce` studies."""

    losses: tuple[Loss, ...] = ("patient-aware", "supcon", "bce")
    """Losses to compare; repeat the flag for several."""
    seeds: tuple[Seed, ...] = (1, 42, 102, 2026, 9999)
    """Each loss is trained with each seed; repeat the flag for several."""
    folds: CountFrom0 = 0
    """Number of folds by patient; 0 for a single split."""
    fold_seed: Seed = 1
    """Decides who is in which fold."""
    simulate: SimulateSettings = SimulateSettings()
    prepare: PrepareSettings = PrepareSettings()
    sampler: SamplerSettings = SamplerSettings()
    objective: ObjectiveSettings = ObjectiveSettings()
    encoder: EncoderSettings = EncoderSettings()
    train: OptimiserSettings = OptimiserSettings()

    @model_validator(mode="after")
    def _agree(self) -> "ReproduceSettings":
        for name in ("losses", "seeds"):
            given = getattr(self, name)
            if not given or len(set(given)) < len(given):
                raise ValueError(f"{name} {list(given)}: give at least one, and each once")
        if self.folds in (1, 2):
            raise ValueError(f"folds {self.folds}: use 3 or more, or 0 for a single split")
        if self.folds and self.prepare.split.folds:
            raise ValueError("prepare.split.folds: the study makes its own folds, drop one of them")
        return self

    def study(
        self, tuned: tuple[Path, ...] = (), flags: "ReproduceSettings | None" = None
    ) -> "Study":
        """The plans of all losses; files of `pacl tune` replace plans, `flags` override both."""
        from pacl.studies import Study

        base = TrainSettings(
            sampler=self.sampler, objective=self.objective, encoder=self.encoder, train=self.train
        ).plan()
        plans: dict[str, Plan] = {loss: replace(base, loss=loss) for loss in self.losses}
        flagged = flags.model_dump(exclude_unset=True, include=set(SECTIONS)) if flags else {}
        over = TrainSettings.model_validate(flagged)
        given: dict[str, Path] = {}
        for file in tuned:
            plan = settle(TrainSettings, file, over).plan()
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

    def preparation(self) -> "Preparation":
        """How recordings are prepared."""
        from pacl.studies import Preparation

        named = {"protocol", "episodes", "pooled"} & self.prepare.model_fields_set
        return Preparation(
            divide=self.prepare.divide,
            cut=self.prepare.cut(),
            protocol=self.prepare.rule() if named else None,
            stated=self.prepare.model_dump(mode="json"),
            restated=_restated,
        )


def _restated(stated: Any) -> Any:
    """Settings of an earlier version as this version writes them."""
    try:
        return PrepareSettings.model_validate(stated).model_dump(mode="json")
    except ValidationError:
        return stated
