"""What one run is: a loss, a seed, and the settings of every stage."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

from pacl.registry import Registry, RegistryError
from pacl.settings.augmentations import AUGMENTATIONS, NoAugmentation
from pacl.settings.bounds import Seed
from pacl.settings.checks import Arranged, Problem, SettingsError, differences, settled
from pacl.settings.encoders import ENCODERS, BranchesSettings
from pacl.settings.former import restated
from pacl.settings.losses import LOSSES, WITHOUT_PAIRS
from pacl.settings.training import SamplerSettings, TrainSettings

NAMED: Mapping[str, tuple[Registry[Any], str]] = {
    "encoder": (ENCODERS, "branches"),
    "augmentation": (AUGMENTATIONS, "none"),
}
"""Sections that name what they are settings of, and the name where none is given."""


@dataclass(frozen=True)
class Plan:
    """One run; the defaults are the paper's.

    `objective`, `encoder` and `augmentation` are settings of any that is registered; without an
    objective, it is the default of the loss.

    Examples
    --------
    >>> from pacl.settings import ResidualSettings
    >>> plan = Plan(loss="supcon", encoder=ResidualSettings(width=16))
    >>> plan.to_dict()["encoder"]["name"]
    'residual'
    """

    REGISTRIES: ClassVar[Mapping[str, Registry[Any]]] = {
        "objective": LOSSES,
        "encoder": ENCODERS,
        "augmentation": AUGMENTATIONS,
    }

    loss: str = "subject-aware"
    """What is minimised: which pairs attract and repel; `bce` uses no pairs."""
    seed: Seed = 1
    """Of initial weights, batches and dropout."""
    sampler: SamplerSettings = SamplerSettings()
    objective: Any = None
    encoder: Any = BranchesSettings()
    augmentation: Any = NoAugmentation()
    train: TrainSettings = TrainSettings()

    def __post_init__(self) -> None:
        if self.objective is None:
            object.__setattr__(self, "objective", LOSSES.named(self.loss).settings())
        if getattr(self.augmentation, "idle", False):
            object.__setattr__(self, "augmentation", NoAugmentation())

    @classmethod
    def arranged(cls, stated: Mapping[str, Any]) -> Arranged:
        """Values under the keys of today, and which settings each section holds."""
        loss = stated.get("loss", cls.loss)
        return arranged_sections(stated, {"loss": loss} if isinstance(loss, str) else {})

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        yield from disagreements(self.loss, self.sampler, self.objective)

    @property
    def view(self) -> str:
        """How the encoder sees windows: most take them as they are given."""
        return str(getattr(self.encoder, "view", "given"))

    def with_loss(self, loss: str) -> "Plan":
        """The same with another loss; its objective has its defaults if it has other settings."""
        same = LOSSES.named(loss).settings is type(self.objective)
        return replace(self, loss=loss, objective=self.objective if same else None)

    @classmethod
    def from_dict(cls, stated: Any) -> "Plan":
        """Read what `to_dict` gave, also after it went through JSON, also in earlier versions.

        Numbers may be outside of their bounds: what was trained can be opened.
        """
        if not isinstance(stated, Mapping):
            raise SettingsError([Problem((), "no settings by name")])
        return settled(cls, stated, bounds=False)

    def differences(self, other: "Plan") -> list[str]:
        """Dotted keys in which two plans differ, each with both values."""
        return differences(self._by_canonical(), other._by_canonical())

    def _by_canonical(self) -> dict[str, Any]:
        return {**self.to_dict(), "loss": LOSSES.canonical(self.loss)}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, such as JSON holds; encoder and augmentation with their names."""
        stated = asdict(self)
        for part, (registry, _) in NAMED.items():
            stated[part] = {"name": registry.name_of(getattr(self, part)), **stated[part]}
        return stated


def numbered(key: str, losses: Any) -> dict[str, str]:
    """Several losses by their dotted keys; none if they are not names."""
    listed = losses if isinstance(losses, list | tuple) else ()
    return {f"{key}.{at}": one for at, one in enumerate(listed) if isinstance(one, str)}


def arranged_sections(stated: Mapping[str, Any], losses: Mapping[str, str]) -> Arranged:
    """Sections of a run among other settings; `losses` by their dotted keys."""
    found: dict[str, Any] = restated(stated)
    kinds: dict[str, Any] = {}
    problems = []
    for part, (registry, usual) in NAMED.items():
        section = found.get(part)
        if section is not None and not isinstance(section, Mapping):
            kinds[part] = type(section) if hasattr(section, "__dataclass_fields__") else dict
            continue
        name = str((section or {}).get("name", usual))
        try:
            kinds[part] = registry.named(name).settings
        except RegistryError as error:
            problems.append(Problem((part, "name"), str(error)))
        if section is not None:
            found[part] = {key: value for key, value in section.items() if key != "name"}
    for key, loss in losses.items():
        try:
            kind = LOSSES.named(loss).settings
        except RegistryError as error:
            problems.append(Problem(tuple(key.split(".")), str(error)))
            default, section = LOSSES.named(Plan.loss).settings, found.get("objective")
            known = {one.name for one in fields(default)}
            if isinstance(section, Mapping) and section.keys() <= known:
                kinds.setdefault("objective", default)  # so that its problems are told as well
            continue
        if kinds.setdefault("objective", kind) is not kind and "objective" in found:
            problems.append(
                Problem(("objective",), f"{loss} has other settings than the losses before it")
            )
    return Arranged(found, kinds, tuple(problems))


def disagreements(loss: str, sampler: SamplerSettings, objective: Any) -> Iterator[str]:
    """What a loss, its batches and its settings do not agree on."""
    of_pairs = loss in LOSSES.aliases or loss in set(LOSSES.built_in) - set(WITHOUT_PAIRS)
    if of_pairs and sampler.windows < 2 and objective.without_positives == "error":
        yield "sampler.windows 1: a window needs another of its subject and class"
    if loss in WITHOUT_PAIRS and objective.memory:
        yield f"objective.memory {objective.memory}: {loss} uses no pairs"
