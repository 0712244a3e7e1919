"""Settings of `pacl tune`: those of `pacl train` to begin with, and those of `pacl prepare`."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, ClassVar

from pacl.cli.config import plain
from pacl.cli.prepare_settings import PrepareSettings
from pacl.errors import PaclError
from pacl.registry import Registry
from pacl.settings import (
    Arranged,
    BranchesSettings,
    NoAugmentation,
    Plan,
    SamplerSettings,
    Seed,
    TrainSettings,
    arranged_sections,
    numbered,
)
from pacl.stored import Several


@dataclass(frozen=True)
class TuneSettings(PrepareSettings):
    """Settings of the first trial of `pacl tune`."""

    REGISTRIES: ClassVar[Mapping[str, Registry[Any]]] = Plan.REGISTRIES

    loss: Annotated[tuple[str, ...], Several(1, 100)] = (Plan.loss,)
    """Loss to tune; can be given several times, for a search of each."""
    seed: Seed = Plan.seed
    """Seed of the search, and of each trial's initial weights, batches and dropout."""
    sampler: SamplerSettings = SamplerSettings()
    objective: Any = None
    encoder: Any = BranchesSettings()
    augmentation: Any = NoAugmentation()
    train: TrainSettings = TrainSettings()

    @classmethod
    def arranged(cls, stated: Mapping[str, Any]) -> Arranged:
        """A file for `pacl train` names one loss."""
        found = dict(super().arranged(stated).stated)
        if isinstance(found.get("loss"), str):
            found["loss"] = (found["loss"],)
        return arranged_sections(found, numbered("loss", found.get("loss", cls.loss)))

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        for loss in self.losses:
            yield from self.plan(loss).problems()

    @property
    def losses(self) -> tuple[str, ...]:
        """Each loss once."""
        return tuple(dict.fromkeys(self.loss))

    def plan(self, loss: str) -> Plan:
        """The first trial of a loss."""
        names = (each.name for each in fields(Plan) if each.name != "loss")
        return Plan(loss=loss, **{name: getattr(self, name) for name in names})

    def check_no_data(self, source: object) -> None:
        """Refuse settings for cutting windows if a window set is given."""
        usual = PrepareSettings()
        names = (each.name for each in fields(PrepareSettings))
        changed = [name for name in names if getattr(self, name) != getattr(usual, name)]
        if changed:
            raise PaclError(
                f"{source}: its windows are cut and divided already; leave out the settings of "
                f"{', '.join(changed)}, or give the folder of the recordings"
            )

    def of_data(self) -> dict[str, Any]:
        """The settings of `pacl prepare` alone, as plain values."""
        names = {each.name for each in fields(PrepareSettings)}
        found: dict[str, Any] = plain(
            {key: value for key, value in asdict(self).items() if key in names}
        )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        of_run = self.plan(self.loss[0]).to_dict()
        return self.of_data() | of_run | {"loss": list(self.loss)}
