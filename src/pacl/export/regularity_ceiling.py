"""Windows that hardly vary: what is said of them without looking further.

Normalisation inside an encoder makes any pattern out of rounding and noise as large as a real one,
and nobody's sinus rhythm teaches it what a pacemaker's looks like. AF that varies so little cannot
be told from intervals alone, so nothing is lost by a ceiling.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Float, Float64, Int

VARIATION = 0.03
"""Standard deviation over mean below which a window is steady."""


@dataclass(frozen=True, slots=True)
class RegularityCeiling:
    """A steady window's logit is never above `ceiling`; without a variation nothing is steady.

    Parameters
    ----------
    variation
        Standard deviation over mean of the intervals, in ms, below which a window is steady.
    ceiling
        Calibrated logit.
    """

    variation: float = 0.0
    ceiling: float = 0.0

    @classmethod
    def learned(
        cls, variation: Float[Array, "window"], labels: Int[Array, "window"]
    ) -> "RegularityCeiling":
        """The ceiling from how rare AF is among steady windows, both classes weighing the same."""
        steady, af = variation < VARIATION, labels == 1
        shares = [
            (np.count_nonzero(steady & kind) + 0.5) / (np.count_nonzero(kind) + 1.0)
            for kind in (af, ~af)
        ]
        return cls(VARIATION, float(min(0.0, np.log(shares[0] / shares[1]))))

    def bound(
        self, logit: Float64[Array, "window"], variation: Float[Array, "window"]
    ) -> Float64[Array, "window"]:
        """Logits with those of steady windows brought down to the ceiling."""
        steady: Bool[Array, "window"] = variation < self.variation
        found: Float64[Array, "window"] = np.where(steady, np.minimum(logit, self.ceiling), logit)
        return found


NEVER = RegularityCeiling()
"""No window is steady."""


def variation_of(rr_ms: Float[Array, "window beat"]) -> Float64[Array, "window"]:
    """Standard deviation over mean of each window."""
    exact = rr_ms.astype(np.float64)
    found: Float64[Array, "window"] = exact.std(axis=1) / np.maximum(exact.mean(axis=1), 1.0)
    return found
