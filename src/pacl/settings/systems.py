"""Systems by name, and the settings of a comparison of systems on any signal."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, ClassVar

from pacl.registry import Entry, NoSettings, Registry
from pacl.settings.augmentations import AUGMENTATIONS, NoAugmentation
from pacl.settings.bounds import Count, CountFrom0, Rate, Seed, ShareBelow1
from pacl.settings.checks import Arranged, Problem, SettingsError, settled
from pacl.settings.encoders import ENCODERS, BranchesSettings
from pacl.settings.losses import ObjectiveSettings
from pacl.settings.plan import NAMED, Plan, arranged_sections
from pacl.settings.training import SamplerSettings, TrainSettings
from pacl.stored import Between, Several


@dataclass(frozen=True)
class LdaSettings:
    """Of linear discriminant analysis: its shrinkage follows from the data."""


@dataclass(frozen=True)
class BoostingSettings:
    """Of boosted trees (scikit-learn's histogram boosting)."""

    iterations: Count = 150
    """Trees of each class."""
    leaves: Annotated[int, Between(2, 65_536)] = 15
    """The most leaves of a tree."""
    rate: Rate = 0.1
    """Learning rate."""


def _network(name: str, summary: str) -> Entry[Any]:
    return Entry(name, f"pacl.systems:{name.replace('-', '_')}", NoSettings, summary)


_BUILT_IN: tuple[Entry[Any], ...] = (
    _network("subject-aware", "the proposed loss: classes within each subject"),
    _network("supcon", "supervised contrastive loss (Khosla et al.)"),
    _network("cross-entropy", "cross-entropy"),
    Entry("lda", "pacl.systems:lda", LdaSettings, "time-domain features, shrinkage LDA"),
    Entry(
        "boosting", "pacl.systems:boosting", BoostingSettings, "time-domain features, boosted trees"
    ),
)

SYSTEMS: Registry[Any] = Registry(
    "system", "pacl.systems", {entry.name: entry for entry in _BUILT_IN}
)
"""From windows to classes. A factory takes the settings and gives a `pacl.systems.System`."""


@dataclass(frozen=True)
class InputSettings:
    """What systems read of the windows. All of it is done without labels of a new subject."""

    envelope: CountFrom0 = 0
    """Samples of a frame: networks then read the log envelope of each channel (its RMS, and that
    of its steps) instead of the signal; 0 for the signal."""
    hop: CountFrom0 = 0
    """Samples between two frames. [0: a fifth of a frame]"""
    personal: bool = False
    """Whether what a system reads is standardised for each subject, by the mean and standard
    deviation over all windows of the subject, without labels."""
    ring: bool = False
    """Whether the channels lie on a ring, such as an arm band, which each subject wears turned
    otherwise: the channels of each subject are turned to a common place. Of a new subject this
    uses unlabelled windows."""

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        if self.hop and not self.envelope:
            yield f"hop {self.hop} without envelope"
        if self.envelope == 1:
            yield "envelope 1: a frame has at least 2 samples"

    @property
    def frame_step(self) -> int:
        """Samples between two frames."""
        return self.hop or max(1, self.envelope // 5)


@dataclass(frozen=True)
class ComparisonSettings:
    """A comparison of systems: folds of subjects, seeds, and the training that networks share.

    Examples
    --------
    >>> ComparisonSettings(folds=4).plan("supcon", seed=2).seed
    2
    """

    REGISTRIES: ClassVar[Mapping[str, Registry[Any]]] = {
        "encoder": ENCODERS,
        "augmentation": AUGMENTATIONS,
    }

    systems: Annotated[tuple[str, ...], Several(1, 100)] = tuple(e.name for e in _BUILT_IN)
    """Names of systems, in the order of the tables."""
    folds: Annotated[int, Between(2, 100_000)] = 5
    """Folds of subjects; as many as there are subjects leaves one out at a time."""
    fold_seed: Seed = 1
    """Decides who is in which fold."""
    validation: ShareBelow1 = 0.2
    """Share of the training subjects that the epoch is chosen by; they are training subjects of
    systems that choose nothing by them."""
    seeds: Annotated[tuple[Seed, ...], Several(1, 1000)] = (1, 42, 102, 2026, 9999)
    """One or more, for example --seeds 1 2 3. They decide initial weights, batches and dropout;
    each is a repetition."""
    probe_c: Annotated[float, Between(0, 1e6, without_low=True)] = 1.0
    """Inverse strength of the penalty of the probe on embeddings."""
    input: InputSettings = InputSettings()
    sampler: SamplerSettings = SamplerSettings()
    objective: ObjectiveSettings = field(default_factory=ObjectiveSettings)
    encoder: Any = BranchesSettings()
    augmentation: Any = NoAugmentation()
    train: TrainSettings = TrainSettings()

    @classmethod
    def arranged(cls, stated: Mapping[str, Any]) -> Arranged:
        """Values under the keys of today, and which settings each section holds."""
        return arranged_sections(stated, {})

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        for name in ("systems", "seeds"):
            listed = getattr(self, name)
            if len(set(listed)) < len(listed):
                yield f"{name} {', '.join(map(str, listed))}: one is given twice"
        for name in self.systems:
            if name not in SYSTEMS:
                yield f"no system {name!r}; choose from {', '.join(SYSTEMS.names)}"
        if self.train.keep == "best" and not self.validation:
            yield "train.keep best with validation 0: keep the last weights, or hold subjects out"

    def plan(self, loss: str, seed: int) -> Plan:
        """What a network with this loss is trained by."""
        shared = ("sampler", "objective", "encoder", "augmentation", "train")
        return Plan(loss, seed, **{key: getattr(self, key) for key in shared})

    def to_dict(self) -> dict[str, Any]:
        """Plain values, such as JSON holds; encoder and augmentation with their names."""
        stated = asdict(self)
        for part, (registry, _) in NAMED.items():
            stated[part] = {"name": registry.name_of(getattr(self, part)), **stated[part]}
        return stated

    @classmethod
    def from_dict(cls, stated: Any) -> "ComparisonSettings":
        """Read what `to_dict` gave, also after it went through JSON."""
        if not isinstance(stated, Mapping):
            raise SettingsError([Problem((), "no settings by name")])
        return settled(cls, stated)
