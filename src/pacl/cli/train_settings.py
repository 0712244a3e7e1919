"""Settings of `pacl train`. They mirror `pacl.studies.Plan`, without importing torch."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from pydantic import Field, model_validator

from pacl.cli.config import (
    Count,
    CountFrom0,
    Rate,
    RateFrom0,
    Seed,
    Settings,
    Share,
    ShareBelow1,
    Temperature,
    Width,
)

if TYPE_CHECKING:
    from pacl.studies import Plan

Loss = Literal["patient-aware", "supcon", "patient-class", "patient", "bce"]
AFew = Field(min_length=1, max_length=16)


class SamplerSettings(Settings):
    """The fields of `SamplerPlan`."""

    patients: Count = 8
    """Patients in a batch."""
    windows: Count = 16
    """Windows of each class from each patient in a batch."""
    one_class: bool = False
    """Whether patients with windows of one class alone take part; they give as many of it."""
    turns: Count | None = None
    """The most batches of one epoch that a patient is in."""


class ObjectiveSettings(Settings):
    """The fields of `ObjectivePlan`."""

    temperature: Temperature = 0.05
    """Initial value of tau."""
    learnable: Annotated[bool, Parameter(negative="no-learnable")] = True
    """Whether tau is learned."""
    floor: Temperature = 0.01
    """Lower limit of tau."""
    form: Literal["log_sum", "mean_log"] | None = None
    """`log_sum` is Eq. 3, `mean_log` Khosla's L_out. By default L_out for supcon, else Eq. 3."""
    without_positives: Literal["error", "skip"] = "error"
    """How an anchor without positives is treated."""
    head_on: Literal["projected_raw", "pooled_raw"] = "projected_raw"
    """What the head of bce reads: e, or z."""
    memory: CountFrom0 = 0
    """Windows of past batches that are paired with those of a batch; 0 for none. Not for bce."""
    memory_begins: CountFrom0 = 0
    """Batches before the memory starts."""

    @model_validator(mode="after")
    def _agree(self) -> "ObjectiveSettings":
        if self.memory_begins and not self.memory:
            raise ValueError(f"memory_begins {self.memory_begins} without memory")
        if self.temperature < self.floor:
            raise ValueError(f"temperature {self.temperature:g} is below floor {self.floor:g}")
        return self


class EncoderSettings(Settings):
    """The fields of `EncoderPlan`."""

    kernels: Annotated[tuple[Width, ...], AFew] = (3, 5, 7)
    """Kernel size of each branch."""
    channels: Annotated[tuple[Width, ...], AFew] = (16, 32, 64)
    """Channels after each convolution of a branch."""
    pooled_features: Width = 128
    """Length of z."""
    projected_features: Width = 128
    """Length of e."""
    norm: Literal["group", "batch", "none"] = "group"
    """How channels are normalised."""
    groups: Count = 8
    """Groups of group normalisation."""
    dropout: ShareBelow1 = 0.12
    """Probability of dropout."""
    dropout_places: tuple[Literal["mix", "scores", "weights", "pooled", "projection"], ...] = (
        "mix",
        "scores",
        "weights",
        "pooled",
    )
    """Where there is dropout; the default is as released."""
    pooled_by: Literal["linear", "mix"] = "linear"
    """`linear`: a layer makes z of the pooled channels. `mix`: the 1x1 convolution fuses to z."""
    view: Literal["given", "bent", "relative"] = "given"
    """How windows are transformed. `bent`: far values compressed. `relative`: windows in ms (as of
    pacl prepare --protocol all-beats), each divided by its own mean."""

    @model_validator(mode="after")
    def _agree(self) -> "EncoderSettings":
        if even := [kernel for kernel in self.kernels if kernel % 2 == 0]:
            raise ValueError(f"kernels {', '.join(map(str, even))}: sizes are odd")
        widths = (*self.channels, *([self.pooled_features] if self.pooled_by == "mix" else []))
        if self.norm == "group" and any(width % self.groups for width in widths):
            raise ValueError(f"groups {self.groups}: must divide every width {list(widths)}")
        return self


class OptimiserSettings(Settings):
    """The fields of `TrainPlan`."""

    lr: Rate = 6.8e-3
    """Learning rate at the start."""
    weight_decay: RateFrom0 = 8.8e-4
    """Weight decay of AdamW; tau does not decay."""
    lowest_lr: RateFrom0 = 1e-6
    """Learning rate at the end; it falls along a cosine."""
    epochs: Count = 100
    """The most epochs."""
    patience: Count = 10
    """Training stops after this many epochs without a better validation AUROC."""
    per_step: bool = False
    """Whether the rate falls with each step rather than each epoch."""
    keep: Literal["best", "last"] = "best"
    """Which weights are kept: those with the best validation AUROC, or the last."""
    respiratory_arrhythmia: Share = 0.0
    """Share of training windows that get respiratory arrhythmia; the windows must be in ms."""
    faults: Share = 0.0
    """Share of training windows that get the faults of a beat detector; the windows must be in
    ms."""
    breath: Annotated[Share | None, Parameter(show=False), Field(exclude=True)] = None
    """Earlier name of respiratory_arrhythmia."""

    @model_validator(mode="before")
    @classmethod
    def _earlier_name(cls, given: Any) -> Any:
        """Take `breath` as `respiratory_arrhythmia`."""
        if not isinstance(given, Mapping) or given.get("breath") is None:
            return given
        found = dict(given)
        return {"respiratory_arrhythmia": found.pop("breath"), **found}

    @model_validator(mode="after")
    def _agree(self) -> "OptimiserSettings":
        if self.lowest_lr > self.lr:
            raise ValueError(f"lowest_lr {self.lowest_lr:g} is above lr {self.lr:g}")
        return self


class TrainSettings(Settings):
    """What `pacl train` does with windows."""

    loss: Loss = "patient-aware"
    """Which pairs attract and repel; `bce` uses no pairs."""
    seed: Seed = 1
    """Of initial weights, batches and dropout."""
    sampler: SamplerSettings = SamplerSettings()
    objective: ObjectiveSettings = ObjectiveSettings()
    encoder: EncoderSettings = EncoderSettings()
    train: OptimiserSettings = OptimiserSettings()

    @model_validator(mode="after")
    def _agree(self) -> "TrainSettings":
        alone = self.sampler.windows < 2 and self.objective.without_positives == "error"
        if alone and self.loss != "bce":
            raise ValueError("sampler.windows 1: a window needs another of its patient and class")
        if self.objective.memory and self.loss == "bce":
            raise ValueError(f"objective.memory {self.objective.memory}: bce uses no pairs")
        return self

    def plan(self) -> "Plan":
        """The plan of the library."""
        from pacl.studies import Plan

        return Plan.from_dict(self.model_dump())
