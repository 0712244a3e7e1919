"""Settings of `pacl prepare` for recordings of beats: what is cut, and who is in which part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pacl.cli.config import laid_over
from pacl.cohort import AllBeatsProtocol, CohortProtocol, EpisodesProtocol, PooledProtocol
from pacl.rr import Cut
from pacl.settings import Arranged, CountFrom0, Seed
from pacl.windows import PAPER_COUNTS, Split, fold_split, read_split, split_units


@dataclass(frozen=True)
class SplitSettings:
    """How patients are divided into parts."""

    unit: Literal["patient", "record"] = "patient"
    """What is divided. `record` can put a patient into two parts and is marked unsafe."""
    seed: Seed = 1
    """Same seed and same patients, same split."""
    counts: tuple[CountFrom0, CountFrom0, CountFrom0] = PAPER_COUNTS
    """Proportion of train, validation and test; 0 0 1 puts all patients into test."""
    folds: CountFrom0 = 0
    """Number of folds by patient; 0 for a single split."""
    fold: CountFrom0 = 0
    """Which fold is tested on, counted from 0."""
    file: Path | None = None
    """An existing split, as JSON, instead of a new one."""

    def problems(self) -> Iterator[str]:
        """What does not fit together."""
        if self.folds and (self.unit == "record" or self.file):
            yield "folds are of patients, and made anew: drop unit and file, or folds"
        if self.fold and not self.fold < self.folds:
            yield f"fold {self.fold} of {self.folds}; folds count from 0"


@dataclass(frozen=True)
class PrepareSettings:
    """What `pacl prepare` does with recordings."""

    protocol: Literal["episodes", "pooled", "all-beats"] = "episodes"
    """`episodes`: AF of 1 h after SR of 4 h, as in the paper. `pooled`: all SR and AF. `all-beats`:
    all AF and all that is not AF, in ms, also of patients without SR."""
    episodes: EpisodesProtocol = EpisodesProtocol()
    pooled: PooledProtocol = PooledProtocol()
    all_beats: AllBeatsProtocol = AllBeatsProtocol()
    window: Cut = Cut()
    split: SplitSettings = SplitSettings()

    @classmethod
    def arranged(cls, stated: Mapping[str, Any]) -> Arranged:
        """Accept `every`, the name of `all-beats` in version 0.1."""
        found = dict(stated)
        if found.get("protocol") == "every":
            found["protocol"] = "all-beats"
        if isinstance(earlier := found.pop("every", None), Mapping):
            found["all_beats"] = laid_over(earlier, found.get("all_beats", {}))
        return Arranged(found, {})

    def rule(self) -> CohortProtocol:
        """The protocol chosen."""
        if self.protocol == "pooled":
            return self.pooled
        return self.all_beats if self.protocol == "all-beats" else self.episodes

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
