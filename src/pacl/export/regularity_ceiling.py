"""A ceiling for the logits of very regular windows (pacemakers).

Normalisation inside an encoder amplifies rounding and noise to the size of a real pattern, and the
training data lacks paced rhythms. AF with so little variation cannot be detected from intervals, so
a ceiling loses nothing.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float, Float64, Int

VARIATION = 0.03
"""Standard deviation over mean below which a window is very regular."""


@dataclass(frozen=True, slots=True)
class RegularityCeiling:
    """Logits of very regular windows are at most `ceiling`; a variation of 0 switches it off."""

    variation: float = 0.0
    """Standard deviation over mean of the intervals below which a window is very regular."""
    ceiling: float = 0.0
    """Calibrated logit."""

    @classmethod
    def learned(
        cls, variation: Float[Array, "window"], labels: Int[Array, "window"]
    ) -> "RegularityCeiling":
        """The ceiling from the rate of AF among very regular windows, with balanced classes."""
        steady, af = variation < VARIATION, labels == 1
        shares = [
            (np.count_nonzero(steady & kind) + 0.5) / (np.count_nonzero(kind) + 1.0)
            for kind in (af, ~af)
        ]
        return cls(VARIATION, float(min(0.0, np.log(shares[0] / shares[1]))))

    def bound(
        self, logit: Float64[Array, "window"], variation: Float[Array, "window"]
    ) -> Float64[Array, "window"]:
        """Logits, limited to the ceiling for very regular windows."""
        steady: Bool[Array, "window"] = variation < self.variation
        found: Float64[Array, "window"] = np.where(steady, np.minimum(logit, self.ceiling), logit)
        return found


NEVER = RegularityCeiling()
"""No ceiling."""


def variation_of(rr_ms: Float[Array, "window beat"]) -> Float64[Array, "window"]:
    """Standard deviation over mean of each window."""
    exact = rr_ms.astype(np.float64)
    found: Float64[Array, "window"] = exact.std(axis=1) / np.maximum(exact.mean(axis=1), 1.0)
    return found
