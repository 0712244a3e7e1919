"""Distributions over patients, small enough to be read as a table of numbers."""

from dataclasses import dataclass
from math import exp, log

import numpy as np


@dataclass(frozen=True, slots=True)
class LogNormal:
    """`median * exp(spread * z)`, kept within `[low, high]`."""

    median: float
    spread: float
    low: float = 0.0
    high: float = float("inf")

    def draw(self, generator: np.random.Generator) -> float:
        """Draw one value."""
        return self.at(float(generator.standard_normal()))

    def at(self, z: float) -> float:
        """The value `z` standard deviations from the median, on the logarithmic scale."""
        return min(max(self.median * exp(self.spread * z), self.low), self.high)


@dataclass(frozen=True, slots=True)
class Uniform:
    """Uniform within `[low, high]`."""

    low: float
    high: float

    def draw(self, generator: np.random.Generator) -> float:
        """Draw one value."""
        return float(generator.uniform(self.low, self.high))


@dataclass(frozen=True, slots=True)
class LogUniform:
    """Uniform on a logarithmic scale within `[low, high]`."""

    low: float
    high: float

    def draw(self, generator: np.random.Generator) -> float:
        """Draw one value."""
        return exp(float(generator.uniform(log(self.low), log(self.high))))


@dataclass(frozen=True, slots=True)
class Some:
    """Zero for most patients, a draw of `value` for the `share` who have it at all."""

    share: float
    value: LogNormal | LogUniform | Uniform

    def draw(self, generator: np.random.Generator) -> float:
        """Draw one value; the generator advances equally whether the patient has it or not."""
        has = generator.random() < self.share
        value = self.value.draw(generator)
        return value if has else 0.0
