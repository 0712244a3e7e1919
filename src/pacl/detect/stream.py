"""AF beat by beat: what the causal detector says of a recording, said while it is heard."""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from pacl.detect.bundled import BUNDLED
from pacl.detect.detection import LONGEST_MS, THRESHOLD
from pacl.detect.errors import DetectError
from pacl.detect.offered import Offered
from pacl.detect.scorer import WindowScorer
from pacl.detect.smoother import CAUSAL, probability
from pacl.detect.steps import STRIDE, is_fit, is_sparse
from pacl.records import GAP_MS, PLAUSIBLE_MS


@dataclass(frozen=True, slots=True)
class Decision:
    """What is known at a moment: seconds since the first beat, and how likely AF is."""

    time_s: float
    probability: float

    @property
    def af(self) -> bool:
        """Whether it is called AF."""
        return self.probability >= THRESHOLD


class StreamDetector:
    """Takes intervals one at a time and decides every 50 plausible beats, from the 200th on.

    It agrees to the bit with `Detector.detect(record, "causal")`. Memory does not grow.

    Examples
    --------
    >>> detector = StreamDetector()  # doctest: +SKIP
    >>> for rr_ms in intervals:  # doctest: +SKIP
    ...     if (decision := detector.push(rr_ms)) is not None:
    ...         print(decision.time_s, decision.probability)
    """

    def __init__(self, weights: str = BUNDLED[0]) -> None:
        self.scorer = WindowScorer.bundled(weights)
        self._passed_ms = 0.0
        self._heard = self._plausible = self._gaps = self._longest_run = 0
        self._windows = self._sparse = self._repeated = 0
        self._restart()

    def _restart(self) -> None:
        self._kept: deque[float] = deque(maxlen=self.scorer.window_beats)
        self._at: deque[int] = deque(maxlen=self.scorer.window_beats)
        self._count = 0
        self._log_odds: float | None = None

    @property
    def offered(self) -> Offered:
        """Counts of the beats and windows so far."""
        return Offered(
            window_beats=self.scorer.window_beats,
            beats=self._heard,
            plausible=self._plausible,
            gaps=self._gaps,
            longest_run=self._longest_run,
            windows=self._windows,
            sparse=self._sparse,
            repeated=self._repeated,
        )

    def push(self, rr_ms: float) -> Decision | None:
        """Take one interval; a decision where one is due and can be made."""
        if not (math.isfinite(rr_ms) and rr_ms >= 0):
            raise DetectError(f"an interval of {rr_ms} ms; give finite numbers from 0 up")
        if rr_ms > LONGEST_MS:
            raise DetectError(f"an interval of {rr_ms:g} ms, more than a day; begin a new stream")
        self._passed_ms += rr_ms
        self._heard += 1
        if rr_ms > GAP_MS:
            self._gaps += 1
            self._restart()
            return None
        if not PLAUSIBLE_MS[0] <= rr_ms <= PLAUSIBLE_MS[1]:
            return None
        self._kept.append(rr_ms)
        self._at.append(self._heard)
        self._count += 1
        self._plausible += 1
        self._longest_run = max(self._longest_run, self._count)
        beyond = self._count - self.scorer.window_beats
        if beyond < 0 or beyond % STRIDE:
            return None
        self._windows += 1
        window = np.array(self._kept, dtype=np.float32)
        spanned = np.array([self._at[-1] - self._at[0] + 1])
        if not is_fit(window[None], spanned)[0]:
            sparse = bool(is_sparse(spanned, self.scorer.window_beats)[0])
            self._sparse += sparse
            self._repeated += not sparse
            self._log_odds = None
            return None
        self._log_odds = CAUSAL.advance(self._log_odds, self.scorer.logit(window))
        return Decision(self._passed_ms / 1000.0, probability(self._log_odds))
