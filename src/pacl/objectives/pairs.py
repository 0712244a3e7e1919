"""Pair policies: which pairs of windows attract and which repel (Eqs. 1-2).

A pair of windows has the same subject or not, and the same class or not. A policy defines for each
of these four kinds whether a pair is positive, negative or ignored, and its weight:

```
subject-aware        same class   other class        supcon               same class   other class
same subject         positive     negative           same subject         positive     negative
other subject        ignored      negative           other subject        positive     negative

subject-class        same class   other class        subject              same class   other class
same subject         positive     negative           same subject         positive     positive
other subject        negative     negative           other subject        negative     negative
```
"""

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from types import MappingProxyType
from typing import Any, Literal

import torch
from torch import Tensor

from pacl.axes import Float, Int
from pacl.objectives.errors import PolicyError
from pacl.objectives.objective import Codes
from pacl.settings import LOSSES

RoleName = Literal["positive", "negative", "ignored"]

NO_PAIR = 4
"""The kind of a window with itself, after the four kinds of pairs."""


@dataclass(frozen=True, slots=True)
class Role:
    """Role and weight of a pair, made by `positive()`, `negative()` and `IGNORED`."""

    name: RoleName
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.name not in ("positive", "negative", "ignored"):
            raise PolicyError(f"{self.name!r} is no role; use positive, negative or ignored")
        if not 0 < self.weight < math.inf:
            raise PolicyError(
                f"a {self.name} pair of weight {self.weight:g}; weights are above 0, "
                "and a pair that should not count is IGNORED"
            )


def positive(weight: float = 1.0) -> Role:
    """A pair that attracts."""
    return Role("positive", weight)


def negative(weight: float = 1.0) -> Role:
    """A pair that repels."""
    return Role("negative", weight)


IGNORED = Role("ignored")
"""A pair that is in neither sum."""


@dataclass(frozen=True, slots=True)
class PairPolicy:
    """The role of each kind of pair; a window with itself is never a pair.

    Examples
    --------
    Other subjects of the same class attract too, a fifth as much:

    >>> policy = PairPolicy(positive(), negative(), positive(0.2), negative())
    >>> PairPolicy.named("supcon").other_subject_same_class
    Role(name='positive', weight=1.0)
    """

    same_subject_same_class: Role
    same_subject_other_class: Role
    other_subject_same_class: Role
    other_subject_other_class: Role

    def __post_init__(self) -> None:
        roles = self._roles()
        if wrong := [name for name, role in roles.items() if not isinstance(role, Role)]:
            raise PolicyError(
                f"{', '.join(wrong)}: expected positive(), negative() or IGNORED, "
                f"got {roles[wrong[0]]!r}"
            )
        for needed in ("positive", "negative"):
            if needed not in {role.name for role in roles.values()}:
                raise PolicyError(
                    f"a policy without any {needed} pair teaches nothing; make one kind {needed}"
                )

    @classmethod
    def named(cls, name: str) -> "PairPolicy":
        """One of `POLICIES`, by name."""
        name = ALIASES.get(name, name)
        if name not in POLICIES:
            raise PolicyError(
                f"no pair policy {name!r}; there are {', '.join(POLICIES)}, "
                "or write one as PairPolicy(...)"
            )
        return POLICIES[name]

    def weights(
        self, labels: Codes, subjects: Codes, dtype: torch.dtype = torch.float32
    ) -> "PairWeights":
        """The log weight of each pair among the positives, and among the negatives."""
        return self.weights_of(pair_kinds(labels, subjects), dtype)

    def weights_of(
        self, kinds: Int[Tensor, "*run window candidate"], dtype: torch.dtype = torch.float32
    ) -> "PairWeights":
        """The same for pairs of known kinds."""
        return PairWeights(
            **{
                name: torch.tensor(values, device=kinds.device, dtype=dtype)[kinds]
                for name, values in self.log_weights().items()
            }
        )

    def log_weights(self) -> dict[str, list[float]]:
        """Log weights by `pair_kinds` among positives and negatives, minus infinity if in none."""
        roles = self._roles().values()
        return {
            name: [math.log(r.weight) if r.name == name else -math.inf for r in roles] + [-math.inf]
            for name in ("positive", "negative")
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a config."""
        return {name: list(astuple(role)) for name, role in self._roles().items()}

    def _roles(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def pair_kinds(
    labels: Int[Tensor, "*run window"], subjects: Int[Tensor, "*run window"]
) -> Int[Tensor, "*run window window"]:
    """The kind of each pair: 0 to 3 as a policy's fields, 4 for a window with itself."""
    itself = torch.eye(labels.shape[-1], dtype=torch.bool, device=labels.device)
    return torch.where(itself, NO_PAIR, kinds_between(labels, subjects, labels, subjects))


def kinds_between(
    labels: Int[Tensor, "*run window"],
    subjects: Int[Tensor, "*run window"],
    other_labels: Int[Tensor, "*run candidate"],
    other_subjects: Int[Tensor, "*run candidate"],
) -> Int[Tensor, "*run window candidate"]:
    """The kind of each pair of two disjoint sets of windows."""
    other_class = labels[..., :, None] != other_labels[..., None, :]
    other_subject = subjects[..., :, None] != other_subjects[..., None, :]
    return 2 * other_subject.long() + other_class.long()


@dataclass(frozen=True, eq=False, slots=True)
class PairWeights:
    """Log weight of each pair (row: anchor), minus infinity where it does not take part."""

    positive: Float[Tensor, "*run window candidate"]
    negative: Float[Tensor, "*run window candidate"]


POLICIES: Mapping[str, PairPolicy] = MappingProxyType(
    {
        "subject-aware": PairPolicy(positive(), negative(), IGNORED, negative()),
        "supcon": PairPolicy(positive(), negative(), positive(), negative()),
        "subject-class": PairPolicy(positive(), negative(), negative(), negative()),
        "subject": PairPolicy(positive(), positive(), negative(), negative()),
    }
)
"""The paper's objective, SupCon, subject and class as one label, and subject as label."""

ALIASES: Mapping[str, str] = MappingProxyType(LOSSES.aliases)
"""The names that studies of patients use."""
