"""What one run is: a loss, a seed, and the settings of every stage, as plain values."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pacl.objectives import Form, HeadOn, WithoutPositives
from pacl.settings import BranchesSettings
from pacl.stored import MisfitError, build
from pacl.studies.errors import RunError
from pacl.studies.study_folder import differences
from pacl.training import Keep

FORMER_KEYS = {"breath": "respiratory_arrhythmia"}
"""Of `TrainPlan`, in files that earlier versions wrote."""


@dataclass(frozen=True, slots=True)
class SamplerPlan:
    """See `SubjectSampler`: how a batch is made, and who may be in it."""

    patients: int = 8
    windows: int = 16
    one_class: bool = False
    turns: int | None = None


@dataclass(frozen=True, slots=True)
class ObjectivePlan:
    """See `make_objective`."""

    temperature: float = 0.05
    learnable: bool = True
    floor: float = 0.01
    form: Form | None = None
    without_positives: WithoutPositives = "error"
    head_on: HeadOn = "projected_raw"
    memory: int = 0
    memory_begins: int = 0


EncoderPlan = BranchesSettings


@dataclass(frozen=True, slots=True)
class TrainPlan:
    """See `Trainer`."""

    lr: float = 6.8e-3
    weight_decay: float = 8.8e-4
    lowest_lr: float = 1e-6
    epochs: int = 100
    patience: int = 10
    per_step: bool = False
    keep: Keep = "best"
    respiratory_arrhythmia: float = 0.0
    faults: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """One run; the defaults are the paper's."""

    loss: str = "patient-aware"
    seed: int = 1
    sampler: SamplerPlan = field(default_factory=SamplerPlan)
    objective: ObjectivePlan = field(default_factory=ObjectivePlan)
    encoder: BranchesSettings = field(default_factory=BranchesSettings)
    train: TrainPlan = field(default_factory=TrainPlan)

    @property
    def view(self) -> str:
        """How the encoder sees windows: most take them as they are given."""
        return getattr(self.encoder, "view", "given")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, such as JSON holds."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stated: Any) -> "Plan":
        """Read what `to_dict` gave, also after it went through JSON, also in earlier versions."""
        train = stated.get("train") if isinstance(stated, Mapping) else None
        if isinstance(train, Mapping):
            train = {FORMER_KEYS.get(key, key): value for key, value in train.items()}
            stated = {**stated, "train": train}
        try:
            plan: Plan = build(cls, stated)
        except MisfitError as error:
            raise RunError("plan", str(error), "use the version of pacl that wrote it") from error
        return plan

    def differences(self, other: "Plan") -> list[str]:
        """Dotted keys in which two plans differ, each with both values."""
        return differences(self.to_dict(), other.to_dict())
