"""Settings of the losses that pacl has."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pacl.registry import Entry, Registry
from pacl.settings.bounds import CountFrom0, Temperature

Form = Literal["log_sum", "mean_log"]
"""Eq. 3, with the logarithm outside of the sum over positives, or Khosla's L_out."""
WithoutPositives = Literal["error", "skip"]
HeadOn = Literal["projected_raw", "pooled_raw"]


@dataclass(frozen=True)
class ObjectiveSettings:
    """Of the contrastive losses and of cross-entropy."""

    temperature: Temperature = 0.05
    """Initial value of tau."""
    learnable: bool = True
    """Whether tau is learned."""
    floor: Temperature = 0.01
    """Lower limit of tau."""
    form: Form | None = None
    """`log_sum` is Eq. 3, `mean_log` Khosla's L_out. By default L_out for supcon, else Eq. 3."""
    without_positives: WithoutPositives = "error"
    """How an anchor without positives is treated."""
    head_on: HeadOn = "projected_raw"
    """What the head of bce reads: e, or z."""
    memory: CountFrom0 = 0
    """Windows of past batches that are paired with those of a batch; 0 for none. Not for bce."""
    memory_begins: CountFrom0 = 0
    """Batches before the memory starts."""

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        if self.memory_begins and not self.memory:
            yield f"memory_begins {self.memory_begins} without memory"
        if self.temperature < self.floor:
            yield f"temperature {self.temperature:g} is below floor {self.floor:g}"


def _of_pairs(name: str, summary: str) -> Entry[Any]:
    factory = f"pacl.objectives.named:{name.replace('-', '_')}"
    return Entry(name, factory, ObjectiveSettings, summary)


_BUILT_IN: tuple[Entry[Any], ...] = (
    _of_pairs("subject-aware", "the proposed: classes within each subject"),
    _of_pairs("supcon", "classes, whoever the subject (Khosla et al.)"),
    _of_pairs("subject-class", "each class of each subject against all else"),
    _of_pairs("subject", "subjects, whatever the class"),
    Entry("bce", "pacl.objectives.named:bce", ObjectiveSettings, "two classes, without pairs"),
    Entry(
        "cross-entropy",
        "pacl.objectives.named:cross_entropy",
        ObjectiveSettings,
        "any number of classes, without pairs",
    ),
)

LOSSES: Registry[Any] = Registry(
    "loss",
    "pacl.losses",
    {entry.name: entry for entry in _BUILT_IN},
    {"patient-aware": "subject-aware", "patient-class": "subject-class", "patient": "subject"},
)
"""What is minimised. A factory takes the settings, `pooled_features`, `projected_features`,
`classes` and `generator`, and gives an `Objective`."""

WITHOUT_PAIRS = ("bce", "cross-entropy")
"""Losses that look at each window by itself."""
