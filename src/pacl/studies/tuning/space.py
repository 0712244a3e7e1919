"""The spaces of a search: each setting by its dotted key, and its values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pacl.rr import Cut
from pacl.settings import RELEASED_PLACES, WITHOUT_PAIRS, Plan

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

WINDOW = "window."
SUBJECTS = "sampler.subjects"
KEPT_AS = {SUBJECTS: "sampler.patients"}
"""Names of parameters in the journals of Optuna, if they are not the keys: those of the first
version, so that its searches can be resumed."""


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers between two ends, both included; whole ones where there is a step."""

    key: str
    low: int | float
    high: int | float
    log: bool = False
    step: int | None = None

    def distribution(self) -> "BaseDistribution":
        """As Optuna takes it."""
        from optuna.distributions import FloatDistribution, IntDistribution

        if self.step is not None:
            return IntDistribution(int(self.low), int(self.high), step=self.step)
        return FloatDistribution(self.low, self.high, log=self.log)

    def value(self, kept: Any) -> Any:
        """The setting that a number which Optuna kept stands for."""
        return kept

    def kept(self, value: Any) -> Any:
        """What Optuna keeps of a setting, or None if it is outside."""
        between = self.step is not None and (value - self.low) % self.step
        return value if self.low <= value <= self.high and not between else None

    def __str__(self) -> str:
        how = ", logarithmic" if self.log else f", every {self.step}" if self.step else ""
        return f"{self.low:g} to {self.high:g}{how}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values; a list of numbers or names is kept as a text."""

    key: str
    options: tuple[Any, ...]

    def distribution(self) -> "BaseDistribution":
        """As Optuna takes it."""
        from optuna.distributions import CategoricalDistribution

        return CategoricalDistribution([_text(option) for option in self.options])

    def value(self, kept: Any) -> Any:
        """The setting that a text or number which Optuna kept stands for."""
        return next(option for option in self.options if _text(option) == kept)

    def kept(self, value: Any) -> Any:
        """What Optuna keeps of a setting, or None if it is none of the options."""
        return _text(value) if value in self.options else None

    def __str__(self) -> str:
        return ", ".join(_words(option) for option in self.options)


Dimension = Range | Choice

LR = Range("train.lr", 1e-4, 3e-2, log=True)
TEMPERATURE = Range("objective.temperature", 0.02, 0.5, log=True)
WINDOW_BEATS = Range("window.window_beats", 50, 400, step=50)
STRIDE = Range("window.stride", 25, 100, step=25)

SPACES: Mapping[str, tuple[Dimension, ...]] = {
    "fair": (LR, TEMPERATURE),
    "full": (
        Choice("encoder.kernels", ((3,), (7,), (3, 5), (3, 5, 7), (3, 7, 15), (5, 9, 13))),
        Choice(
            "encoder.channels",
            ((32, 64), (8, 16, 32), (16, 32, 64), (32, 64, 128), (16, 32, 64, 128)),
        ),
        Choice("encoder.pooled_features", (32, 64, 128, 256)),
        Choice("encoder.projected_features", (32, 64, 128, 256)),
        Choice("encoder.groups", (2, 4, 8)),
        Range("encoder.dropout", 0.0, 0.5),
        Choice("encoder.dropout_places", (RELEASED_PLACES, ("projection",))),
        Choice("encoder.pooled_by", ("linear", "mix")),
        LR,
        Range("train.weight_decay", 1e-6, 1e-1, log=True),
        TEMPERATURE,
        Choice("objective.learnable", (True, False)),
        Choice("objective.head_on", ("projected_raw", "pooled_raw")),
        Choice(SUBJECTS, (4, 8, 16)),
        Choice("sampler.windows", (4, 8, 16, 32)),
        WINDOW_BEATS,
        STRIDE,
    ),
}
"""`fair` is what the paper varies for each loss; `full` is ours: its 32 are not published."""


def space_for(name: str, plan: Plan, *, patients: int, cuts: bool) -> tuple[Dimension, ...]:
    """The dimensions of a space that have an effect for a loss, its base settings and the data.

    Parameters
    ----------
    name
        One of `SPACES`.
    plan
        The loss, and all settings that are not tried.
    patients
        How many there are to learn from; no batch asks for more.
    cuts
        Whether windows can be cut anew.
    """
    idle = {"objective.head_on"}
    if plan.loss in WITHOUT_PAIRS:
        idle = {"objective.temperature", "objective.learnable"}
    if getattr(plan.encoder, "norm", "") != "group":
        idle.add("encoder.groups")
    found = []
    for dimension in SPACES[name]:
        if (
            dimension.key in idle
            or not _has(plan, dimension.key)
            or (dimension.key.startswith("window.") and not cuts)
        ):
            continue
        if isinstance(dimension, Choice) and dimension.key == SUBJECTS:
            fitting = tuple(count for count in dimension.options if count <= patients)
            dimension = replace(dimension, options=fitting or (plan.sampler.subjects,))
        found.append(_above(dimension, plan))
    return tuple(found)


def _has(plan: Plan, key: str) -> bool:
    """Whether there is such a setting: encoders and losses have their own."""
    part, _, name = key.partition(".")
    return part == "window" or hasattr(getattr(plan, part), name)


def settings_of(dimensions: Sequence[Dimension], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their dotted keys, out of what Optuna kept of a trial."""
    names = {each.key: kept_as(each.key) for each in dimensions}
    return {
        each.key: each.value(kept[names[each.key]])
        for each in dimensions
        if names[each.key] in kept
    }


def kept_as(key: str) -> str:
    """The name of a parameter in Optuna's storage."""
    return KEPT_AS.get(key, key)


def apply_settings(plan: Plan, cut: Cut, settings: Mapping[str, Any]) -> tuple[Plan, Cut]:
    """A plan and a cut with other values in some places."""
    stated = plan.to_dict()
    for key, value in settings.items():
        if not key.startswith(WINDOW):
            part, name = key.split(".")
            stated[part][name] = value
    of_cut = {k.removeprefix(WINDOW): v for k, v in settings.items() if k.startswith(WINDOW)}
    return Plan.from_dict(stated), replace(cut, **of_cut)


def flat_settings(plan: Plan, cut: Cut) -> dict[str, Any]:
    """Every setting of both by its dotted key."""
    stated = {**plan.to_dict(), "window": asdict(cut)}
    found: dict[str, Any] = {}
    for part, value in stated.items():
        inner = value if isinstance(value, dict) else None
        found |= {part: value} if inner is None else {f"{part}.{k}": v for k, v in inner.items()}
    return found


def _above(dimension: Dimension, plan: Plan) -> Dimension:
    """Keep a rate above where its schedule ends, and a temperature above its floor."""
    floor = getattr(plan.objective, "floor", TEMPERATURE.low)
    least = {LR.key: plan.train.lowest_lr, TEMPERATURE.key: floor}
    if not isinstance(dimension, Range) or dimension.key not in least:
        return dimension
    low = max(dimension.low, least[dimension.key])
    return replace(dimension, low=low, high=max(low, dimension.high))


def _text(option: Any) -> Any:
    return " ".join(map(str, option)) if isinstance(option, tuple) else option


def _words(option: Any) -> str:
    words = {True: "yes", False: "no"} if isinstance(option, bool) else {}
    return words.get(option, str(_text(option)))
