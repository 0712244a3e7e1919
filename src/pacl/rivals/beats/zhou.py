"""Symbols of the heart rate and the Shannon entropy of their words (Zhou et al. 2015).

X. Zhou, H. Ding, W. Wu, Y. Zhang: A real-time atrial fibrillation detection algorithm based on the
instantaneous state of heart rate. PLoS ONE 10(9), e0136544, 2015.

```
hr = 60 / RR   symbol = floor(hr / 5), at most 63   word = three symbols in a row
127 words --> k distinct ones --> H = -(k / N) sum p log2 p / log2 N, with N = 127    AF from 0.639
```

The authors chose the threshold on LTAFDB. A beat has the value of the window around it. Not
published: the first and last beats, which have no full window around them; here they have the value
of the first or last window. This reproduces the paper's figures on its four databases within 0.03.
"""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Float32, Float64, Int64
from pacl.rivals.beats.rival import checked
from pacl.rivals.beats.windowed import centred, sum_over_counts

STEP_BPM = 5.0
HIGHEST = 63
SYMBOLS_OF_A_WORD = 3


@dataclass(frozen=True, slots=True)
class Zhou:
    """Entropy of the words of a window; AF from the threshold on."""

    words: int = 127
    threshold: float = 0.639
    name: str = "Zhou 2015"

    @property
    def least_beats(self) -> int:
        """One window of words."""
        return self.words + SYMBOLS_OF_A_WORD - 1

    def logits(self, rr_ms: Float32[Array, "beat"]) -> Float64[Array, "beat"]:
        """Entropy less its threshold."""
        entropy = word_entropy(words_of(checked(self, rr_ms)), self.words)
        return centred(entropy, rr_ms.size) - self.threshold


def words_of(rr_ms: Float64[Array, "beat"]) -> Int64[Array, "word"]:
    """Three symbols of six bits each: of a beat and of the two before it."""
    symbol = np.minimum(60_000.0 / rr_ms / STEP_BPM, HIGHEST).astype(np.int64)
    words: Int64[Array, "word"] = symbol[:-2] * 4096 + symbol[1:-1] * 64 + symbol[2:]
    return words


def word_entropy(words: Int64[Array, "word"], size: int) -> Float64[Array, "window"]:
    """Of each window of `size` words: their entropy, times the share of words that differ."""
    count = np.arange(size + 1)
    share = np.maximum(count, 1) / size
    shannon = sum_over_counts(words, -(count / size) * np.log2(share) / np.log2(size))
    distinct = sum_over_counts(words, np.minimum(count, 1.0))
    entropy: Float64[Array, "window"] = shannon * distinct / size
    return entropy
