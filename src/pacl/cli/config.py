"""Settings of a command: defaults, then a TOML file, then flags; all problems reported at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pacl.cohort import AllBeatsProtocol, CohortProtocol, EpisodesProtocol, PooledProtocol
from pacl.errors import PaclError
from pacl.rr import Cut
from pacl.stored import read_toml
from pacl.windows import Split, fold_split, read_split, split_units

S = TypeVar("S", bound=BaseModel)

# Bounds of settings: above all practical values, within what a computer can do.
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
CountFrom0 = Annotated[int, Field(ge=0, le=1_000_000)]
Width = Annotated[int, Field(ge=1, le=16_384)]
"""Channels of a layer, features of an embedding."""
Seconds = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
Rate = Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)]
"""A learning rate or a weight decay."""
RateFrom0 = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]
Temperature = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
ShareBelow1 = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]


class ConfigError(PaclError):
    """Settings that are unknown or of the wrong kind, each with its dotted key."""


class Settings(BaseModel):
    """Settings that are fixed once made, and refuse what they do not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EpisodesSettings(Settings):
    """The fields of `EpisodesProtocol`."""

    min_af_s: Seconds = 3600.0
    """Shortest AF, in seconds."""
    min_sr_s: Annotated[Seconds, Field(ge=7200)] = 14400.0
    """Shortest SR right before the AF, in seconds; two hours of it are used."""
    across_files: bool = False
    """Whether an episode may reach across files."""
    scaler: Literal["record", "episode", "patient"] = "record"
    """What is scaled separately."""
    sr_anchor: Literal["run", "file_start"] = "run"
    """From where the hours of SR are counted. `file_start` is what the authors' files do; it may
    label AF as SR."""
    af_part: Literal["first_hour", "whole"] = "first_hour"
    """How much of an AF episode is cut."""


class PooledSettings(Settings):
    """The fields of `PooledProtocol`."""

    scale_s: Seconds = 3600.0
    """Seconds of SR to scale on."""


class AllBeatsSettings(Settings):
    """The fields of `AllBeatsProtocol`."""

    others: Literal["not-af", "left-out"] = "not-af"
    """What other rhythms are, such as bigeminy; flutter is left out in any case."""


class WindowSettings(Settings):
    """The fields of `Cut`."""

    window_beats: Annotated[Count, Field(ge=2)] = 200
    """Beats in a window."""
    stride: Count = 50
    """Beats between the starts of two windows."""
    implausible: Literal["drop", "keep", "interpolate"] = "drop"
    """What is done with beats outside 200-2000 ms."""


class SplitSettings(Settings):
    """How patients are divided into parts."""

    unit: Literal["patient", "record"] = "patient"
    """What is divided. `record` can put a patient into two parts and is marked unsafe."""
    seed: Seed = 1
    """Same seed and same patients, same split."""
    counts: tuple[CountFrom0, CountFrom0, CountFrom0] = (119, 24, 24)
    """Proportion of train, validation and test; 0 0 1 puts all patients into test."""
    folds: CountFrom0 = 0
    """Number of folds by patient; 0 for a single split."""
    fold: CountFrom0 = 0
    """Which fold is tested on, counted from 0."""
    file: Path | None = None
    """An existing split, as JSON, instead of a new one."""

    @model_validator(mode="after")
    def _agree(self) -> "SplitSettings":
        if self.folds and (self.unit == "record" or self.file):
            raise ValueError("folds are of patients, and made anew: drop unit and file, or folds")
        if self.fold and not self.fold < self.folds:
            raise ValueError(f"fold {self.fold} of {self.folds}; folds count from 0")
        return self


class PrepareSettings(Settings):
    """What `pacl prepare` does with recordings."""

    protocol: Literal["episodes", "pooled", "all-beats"] = "episodes"
    """`episodes`: AF of 1 h after SR of 4 h, as in the paper. `pooled`: all SR and AF. `all-beats`:
    all AF and all that is not AF, in ms, also of patients without SR."""
    episodes: EpisodesSettings = EpisodesSettings()
    pooled: PooledSettings = PooledSettings()
    all_beats: AllBeatsSettings = AllBeatsSettings()
    window: WindowSettings = WindowSettings()
    split: SplitSettings = SplitSettings()

    @model_validator(mode="before")
    @classmethod
    def _earlier_names(cls, given: Any) -> Any:
        """Accept `every`, the name of `all-beats` in version 0.1."""
        if not isinstance(given, Mapping):
            return given
        found = dict(given)
        if found.get("protocol") == "every":
            found["protocol"] = "all-beats"
        if isinstance(earlier := found.pop("every", None), Mapping):
            found["all_beats"] = laid_over(earlier, found.get("all_beats", {}))
        return found

    def rule(self) -> CohortProtocol:
        """The protocol chosen."""
        if self.protocol == "pooled":
            return PooledProtocol(**self.pooled.model_dump())
        if self.protocol == "all-beats":
            return AllBeatsProtocol(**self.all_beats.model_dump())
        return EpisodesProtocol(**self.episodes.model_dump())

    def cut(self) -> Cut:
        """How windows are cut."""
        return Cut(**self.window.model_dump())

    def divide(self, strata: Mapping[str, str], patients: Mapping[str, str]) -> Split:
        """Divide patients by these settings, given the stratum of each."""
        split = self.split
        if split.file is not None:
            return read_split(split.file)
        if split.folds:
            return fold_split(strata, folds=split.folds, fold=split.fold, seed=split.seed)
        if split.unit == "record":
            strata = {record: strata[who] for record, who in patients.items() if who in strata}
            return split_units(strata, seed=split.seed, unit="record", counts=split.counts)
        return split_units(strata, seed=split.seed, unit="subject", counts=split.counts)


def settle(kind: type[S], file: Path | None, flags: S | None) -> S:
    """Merge defaults, a TOML file and flags, the later ones first, and check the result."""
    given: dict[str, Any] = {}
    if file is not None:
        given = settings_in(file)
        validated(kind, given, str(file))  # before flags can cover what is wrong in it
    if flags is not None:
        given = laid_over(given, flags.model_dump(exclude_unset=True))
    return validated(kind, given, str(file or "settings"))


def settings_in(file: Path) -> dict[str, Any]:
    """The content of a settings file."""
    remedy = "check the path, and that it is TOML"
    return read_toml(file, lambda path, what: ConfigError(f"{path}: {what}; {remedy}"))


def validated(kind: type[S], given: Mapping[str, Any], source: str) -> S:
    """Settings of a kind, or all problems with them, each with its dotted key."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        lines = []
        for problem in error.errors(include_url=False):
            key = ".".join(map(str, problem["loc"]))
            reason = problem["msg"].removeprefix("Value error, ")
            lines.append(f"  {key}: {reason}" if key else f"  {reason}")
        raise ConfigError(f"{source}:\n" + "\n".join(lines)) from error


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Nested settings, overridden by others."""
    merged = dict(below)
    for key, value in above.items():
        nested = isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
        merged[key] = laid_over(below[key], value) if nested else value
    return merged
