"""Counted, true, called, and both: four amounts, in seconds, beats or segments, and their shares.

```
              called AF   not called
true AF         both                      af
not AF                                    counted - af
                called                    counted
```
"""

from dataclasses import dataclass
from typing import Literal

from pacl.spans import Spans, intersect, total_s

Share = Literal["sensitivity", "specificity", "predictivity", "f1", "accuracy"]


@dataclass(frozen=True, slots=True)
class Counts:
    """What counts, what of it is AF, what of it is called AF, and what of it is both."""

    counted: float = 0.0
    af: float = 0.0
    called: float = 0.0
    both: float = 0.0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.counted + other.counted,
            self.af + other.af,
            self.called + other.called,
            self.both + other.both,
        )

    def parts(self, share: Share) -> tuple[float, float]:
        """What a share divides, and by what; the latter is 0 where it has no value."""
        not_af = max(self.counted - self.af, 0.0)
        # Sums of seconds are rounded: a share of them stays from 0 to 1.
        rejected = min(max(not_af - (self.called - self.both), 0.0), not_af)
        match share:
            case "sensitivity":
                return self.both, self.af
            case "specificity":
                return rejected, not_af
            case "predictivity":
                return self.both, self.called
            case "f1":
                return 2 * self.both, self.af + self.called
            case "accuracy":
                return min(self.both + rejected, self.counted), self.counted


def count(true: Spans, called: Spans, counted: Spans) -> Counts:
    """Count spans of any unit, within those that count."""
    true, called = intersect(true, counted), intersect(called, counted)
    af, called_all = total_s(true), total_s(called)
    both = min(total_s(intersect(true, called)), af, called_all)  # rounded otherwise
    return Counts(total_s(counted), af, called_all, both)
