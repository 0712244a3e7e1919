"""Settings of `pacl tune`: those of `pacl train` to begin with, and those of `pacl prepare`."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from pacl.cli.config import PrepareSettings, Seed
from pacl.cli.train_settings import (
    EncoderSettings,
    Loss,
    ObjectiveSettings,
    OptimiserSettings,
    SamplerSettings,
    TrainSettings,
)
from pacl.errors import PaclError

if TYPE_CHECKING:
    from pacl.studies import Plan


def _several(value: Any) -> Any:
    """A file for `pacl train` names one loss."""
    return (value,) if isinstance(value, str) else value


class TuneSettings(PrepareSettings):
    """Settings of the first trial of `pacl tune`."""

    loss: Annotated[tuple[Loss, ...], BeforeValidator(_several), Field(min_length=1)] = (
        "patient-aware",
    )
    """Loss to tune; can be given several times, for a search of each."""
    seed: Seed = 1
    """Of the search, and of each trial's initial weights, batches and dropout."""
    sampler: SamplerSettings = SamplerSettings()
    objective: ObjectiveSettings = ObjectiveSettings()
    encoder: EncoderSettings = EncoderSettings()
    train: OptimiserSettings = OptimiserSettings()

    @model_validator(mode="after")
    def _agree(self) -> "TuneSettings":
        for loss in self.loss:
            try:
                self._of(loss)
            except ValidationError as error:
                raise ValueError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error
        return self

    @property
    def losses(self) -> tuple[Loss, ...]:
        """Each loss once."""
        return tuple(dict.fromkeys(self.loss))

    def plan(self, loss: Loss) -> "Plan":
        """The first trial of a loss."""
        return self._of(loss).plan()

    def check_no_data(self, source: object) -> None:
        """Refuse settings for cutting windows if a window set is given."""
        changed = [
            key
            for key in PrepareSettings.model_fields
            if getattr(self, key) != getattr(PrepareSettings(), key)
        ]
        if changed:
            raise PaclError(
                f"{source}: its windows are cut and divided already; leave out the settings of "
                f"{', '.join(changed)}, or give the folder of the recordings"
            )

    def of_data(self) -> dict[str, Any]:
        """The settings of `pacl prepare` alone, as plain values."""
        return self.model_dump(mode="json", include=set(PrepareSettings.model_fields))

    def _of(self, loss: Loss) -> TrainSettings:
        return TrainSettings(
            loss=loss,
            seed=self.seed,
            sampler=self.sampler,
            objective=self.objective,
            encoder=self.encoder,
            train=self.train,
        )
