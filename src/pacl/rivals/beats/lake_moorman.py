"""The coefficient of sample entropy, COSEn, of 12 beats (Lake and Moorman 2011).

D. E. Lake, J. R. Moorman: Accurate estimation of entropy in very short physiological time series:
the problem of atrial fibrillation detection in implanted ventricular devices. American Journal of
Physiology, Heart and Circulatory Physiology 300(1), H319-H325, 2011.

```
COSEn = -ln(A / B) + ln(2 r) - ln(mean RR)          AF above -1.4

B   pairs of beats, both with a beat after them, that differ by at most r
A   those of them whose next beats differ by at most r, too
r   30 ms, or more where A would be below 5: the smallest r with five such pairs
```

Only the abstract was accessible. Templates of one beat, a first r of 30 ms and five pairs are as in
public code for this measure; -1.4 is the threshold commonly quoted for it. Not published: the steps
of r, here it is exact; and which 12 beats belong to a beat, here those around it, at the ends of a
stretch the first or last 12.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Float64
from pacl.rivals.beats.rival import checked
from pacl.rivals.beats.windowed import centred

LEAST_R_MS = 30.0
LEAST_MATCHES = 5
CHUNK = 8192


@dataclass(frozen=True, slots=True)
class LakeMoorman:
    """COSEn of short windows; AF above the threshold."""

    window_beats: int = 12
    """At least 5, as fewer have no five pairs."""
    threshold: float = -1.4
    name: str = "Lake and Moorman 2011"

    @property
    def least_beats(self) -> int:
        """One window."""
        return self.window_beats

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float64[Array, "beat"]:
        """COSEn less its threshold."""
        windows = np.lib.stride_tricks.sliding_window_view(checked(self, rr_ms), self.window_beats)
        found = [cosen(windows[at : at + CHUNK]) for at in range(0, len(windows), CHUNK)]
        return centred(np.concatenate(found), rr_ms.size) - self.threshold


def cosen(rr_ms: Float64[Array, "window beat"]) -> Float64[Array, "window"]:
    """COSEn of each window."""
    one, other = np.triu_indices(rr_ms.shape[1] - 1, k=1)
    first = np.abs(rr_ms[:, one] - rr_ms[:, other])
    both = np.maximum(first, np.abs(rr_ms[:, one + 1] - rr_ms[:, other + 1]))
    fifth = np.partition(both, LEAST_MATCHES - 1, axis=1)[:, LEAST_MATCHES - 1]
    r_ms = np.maximum(fifth, LEAST_R_MS)
    matches = (both <= r_ms[:, None]).sum(axis=1)
    possible = (first <= r_ms[:, None]).sum(axis=1)
    entropy: Float64[Array, "window"] = (
        np.log(possible / matches) + np.log(2 * r_ms) - np.log(rr_ms.mean(axis=1))
    )
    return entropy
