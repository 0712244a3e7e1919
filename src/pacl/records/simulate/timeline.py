"""The plan of a simulated recording: its start, its length and its rhythms."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

import numpy as np

from pacl.axes import Array, Float64
from pacl.records.errors import ValueRangeError
from pacl.records.rhythm import Rhythm
from pacl.records.simulate.population import Population

FILE_S = 86_399
"""A full file of IRIDIA-AF: 24 hours less a second."""

SHORTEST_EPISODE_S = 22.0
SHORTEST_SINUS_S = 120.0
FIRST_EPISODE_S = 120.0
"""AF at the start of a recording outlasts the calibration signal."""


@dataclass(frozen=True, slots=True)
class Run:
    """One rhythm for a number of seconds."""

    rhythm: Rhythm
    seconds: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """The plan of one recording: alternating rhythms fill it.

    It ended `trimmed_s` later, before its noisy tail was cut.
    """

    started: datetime
    seconds: int
    runs: tuple[Run, ...]
    trimmed_s: int = 0

    def __post_init__(self) -> None:
        planned = sum(run.seconds for run in self.runs)
        if abs(planned - self.seconds) > 1:
            raise ValueRangeError(
                "timeline",
                f"runs of {planned:.0f} s in a recording of {self.seconds} s",
                "make the runs fill the recording",
            )

    @property
    def files(self) -> int:
        """Number of files of one day that the recording fills."""
        return ceil(self.seconds / FILE_S)


def draw_timeline(population: Population, generator: np.random.Generator) -> Timeline:
    """Draw the plan of one recording; see `Population` for what it is drawn from."""
    files = 1 + int(generator.choice(4, p=_shares(population.files)))
    short = population.shortfall_s.draw(generator) * files
    seconds = int(files * FILE_S - min(short, FILE_S - 3600))
    day = datetime(2006, 1, 1) + timedelta(days=int(generator.integers(0, 365 * 15)))
    start_s = 3600 * float(np.clip(11 + 2 * generator.standard_normal(), 0, 23))
    counts, weights = zip(*population.episodes, strict=True)
    episodes = int(generator.choice(counts, p=_shares(weights)))
    at_start = generator.random() < population.starts_in_af
    at_end = generator.random() < population.ends_in_af
    if episodes == 1 and at_start and at_end:
        at_start = False
    burden = population.burden.draw(generator)
    af_s = _parts(
        burden * seconds,
        np.full(episodes, population.episode_evenness),
        SHORTEST_EPISODE_S,
        generator,
    )
    af_s = np.minimum(af_s, 3600 * population.episode_most_h)
    if at_start:
        af_s[0] = max(af_s[0], FIRST_EPISODE_S)
    weight = np.full(episodes + 1, population.sinus_evenness)
    weight[0] = population.sinus_evenness * population.sinus_first
    weight[[0, -1]] *= [not at_start, not at_end]
    sr_s = _parts(seconds - float(af_s.sum()), weight, SHORTEST_SINUS_S, generator)
    runs = [Run(Rhythm.SR, float(sr_s[0]))]
    for af, sr in zip(af_s, sr_s[1:], strict=True):
        runs += [Run(Rhythm.AF, float(af)), Run(Rhythm.SR, float(sr))]
    return Timeline(
        day + timedelta(seconds=int(start_s)),
        seconds,
        tuple(run for run in runs if run.seconds > 0),
        round(population.trimmed_s.draw(generator) + population.clock_error_s.draw(generator)),
    )


def _parts(
    total: float, weight: Float64[Array, "part"], least: float, generator: np.random.Generator
) -> Float64[Array, "part"]:
    """Divide `total` at random (Dirichlet), `least` to each; a weight of 0 gets nothing."""
    takes = weight > 0
    drawn = np.zeros(weight.size)
    drawn[takes] = generator.standard_gamma(weight[takes]) + 1e-9
    spare = max(total - least * int(takes.sum()), 0.0)
    drawn *= spare / drawn.sum()
    drawn[takes] += least
    return drawn


def _shares(weights: tuple[int, ...]) -> Float64[Array, "choice"]:
    shares: Float64[Array, "choice"] = np.array(weights) / sum(weights)
    return shares
