"""AF in whole recordings: windows, steps, a smoother, episodes (2.4, 4)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pacl.axes import Array, Float32, Float64, Int64
from pacl.detect.bundled import BUNDLED
from pacl.detect.detection import (
    LONGEST_MS,
    THRESHOLD,
    AfEpisode,
    Detection,
    Mode,
    NotJudged,
    Quality,
)
from pacl.detect.errors import DetectError
from pacl.detect.placed import Placed, place_record
from pacl.detect.reference_map import ReferenceMap
from pacl.detect.scorer import WindowScorer
from pacl.detect.smoother import CAUSAL, LOOK_AHEAD, probability
from pacl.detect.steps import STRIDE, cut_stretch, step_logits
from pacl.records import GAP_MS, Record
from pacl.windows.plausible import is_implausible

TOO_SHORT = "fewer plausible beats in a row than a window has"
WARMING_UP = "before the first window was whole"
NOT_YET = "too few beats after the last decision"
UNFIT = "too many implausible beats, or a signal that repeats itself"
GAP = "no signal"
ROUNDING_S = 1e-3


@dataclass(frozen=True, eq=False, slots=True)
class _Steps:
    """Steps of one stretch: first and last beat in the record, log odds (NaN if not judged)."""

    first: Int64[Array, "step"]
    last: Int64[Array, "step"]
    log_odds: Float64[Array, "step"]
    before: str = UNFIT
    after: str = UNFIT
    """Why nothing is said of what comes before the first judged step, and after the last."""


class Detector:
    """Detects AF with weights that come along.

    Examples
    --------
    >>> from pacl.records import open_records
    >>> detector = Detector()  # doctest: +SKIP
    >>> detector.detect(open_records("night.csv").read("night")).af_burden  # doctest: +SKIP
    0.31
    """

    def __init__(self, weights: str = BUNDLED[0]) -> None:
        self.scorer = WindowScorer.bundled(weights)

    def detect(self, record: Record, mode: Mode = "look-ahead") -> Detection:
        """Judge a recording."""
        if record.rr_ms.max() > LONGEST_MS:
            raise DetectError(
                f"{record.source}: an interval of {record.rr_ms.max():g} ms, more than a day; "
                "split the recording there"
            )
        begins_s = record.onset_s()
        ends_s = begins_s + record.rr_ms.astype(np.float64) / 1000
        judged: list[_Steps] = []
        not_judged = [
            NotJudged(float(begins_s[at]), float(ends_s[at]), GAP) for at in record.gaps().tolist()
        ]
        for start, stop in record.stretches():
            steps = self._judge(record.rr_ms[start:stop], start, mode)
            judged.append(steps)
            not_judged += _silent(steps, (start, stop), begins_s, ends_s)
        first, last, log_odds = (
            np.concatenate([np.empty(0), *(getattr(one, name) for one in judged)])
            for name in ("first", "last", "log_odds")
        )
        known = np.isfinite(log_odds)
        first, last = first[known].astype(np.int64), last[known].astype(np.int64)
        start_s, end_s = begins_s[first], ends_s[last]
        likely = np.array([probability(one) for one in log_odds[known].tolist()])
        af = likely >= THRESHOLD
        return Detection(
            record_id=record.record_id,
            source=record.source,
            started=record.started,
            mode=mode,
            weights=self.scorer.name,
            duration_s=float(ends_s[-1] - begins_s[0]),
            judged_s=float((end_s - start_s).sum()),
            af_s=float((end_s - start_s)[af].sum()),
            episodes=tuple(_episodes(first, last, start_s, end_s, likely, af)),
            not_judged=tuple(sorted(not_judged, key=lambda one: (one.start_s, one.end_s))),
            quality=Quality(
                beats=len(record),
                implausible=float(is_implausible(record.rr_ms).mean()),
                not_judged=1.0 - float((last - first + 1).sum()) / len(record),
                gaps=int(np.count_nonzero(record.rr_ms > GAP_MS)),
            ),
            start_s=start_s,
            end_s=end_s,
            probability=likely,
        )

    def place(self, record: Record) -> Placed | None:
        """Where a recording's windows lie among the patients the weights were learned from.

        None where the weights have no map of them.
        """
        reference = ReferenceMap.bundled(self.scorer.name)
        return None if reference is None else place_record(record, self.scorer, reference)

    def _judge(self, rr_ms: Array, offset: int, mode: Mode) -> _Steps:
        """The steps of a stretch without a gap."""
        window_beats = self.scorer.window_beats
        cut = cut_stretch(rr_ms, window_beats)
        kept, windows, fit = cut.kept, cut.rr_ms, cut.fit
        none = np.empty(0, np.int64)
        if not fit.size:
            return _Steps(none, none, np.empty(0))
        steps = fit.size + window_beats // STRIDE - 1
        # A step ends with its last beat, which is when a stream decides; beats that were left out
        # after it belong to the next.
        last = kept[(np.arange(steps) + 1) * STRIDE - 1]
        first = np.append(kept[0], last[:-1] + 1)
        if mode == "look-ahead":
            last[-1] = kept[-1]  # the last step takes what is left
            logits = step_logits(self.scorer.logits(windows), fit, window_beats)
            return _Steps(first + offset, last + offset, _smoothed(logits))
        log_odds = np.full(steps, np.nan)
        log_odds[-fit.size :] = self._filtered(windows, fit)
        return _Steps(first + offset, last + offset, log_odds, WARMING_UP, NOT_YET)

    def _filtered(
        self, windows: Float32[Array, "window beat"], fit: Array
    ) -> Float64[Array, "window"]:
        """Window by window, as a stream hears them."""
        found = np.full(len(windows), np.nan)
        log_odds: float | None = None
        for at in range(len(windows)):
            if not fit[at]:
                log_odds = None
                continue
            log_odds = CAUSAL.advance(log_odds, self.scorer.logit(windows[at]))
            found[at] = log_odds
        return found


def _smoothed(logits: Float64[Array, "step"]) -> Float64[Array, "step"]:
    """Each run of steps that can be judged, smoothed by itself."""
    found = np.full(logits.size, np.nan)
    for low, high in _runs(np.isfinite(logits)):
        found[low:high] = LOOK_AHEAD.smooth(logits[low:high].tolist())
    return found


def _runs(mask: Array) -> Iterator[tuple[int, int]]:
    """Half-open ranges where a mask holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _silent(
    steps: _Steps, stretch: tuple[int, int], begins_s: Array, ends_s: Array
) -> Iterator[NotJudged]:
    """What of a stretch nothing is said of."""
    at, stop = stretch
    spoken = list(_runs(np.isfinite(steps.log_odds)))
    edges = [(int(steps.first[low]), int(steps.last[high - 1]) + 1) for low, high in spoken]
    for number, (first, after) in enumerate([*edges, (stop, stop)]):
        if first > at:
            if not edges:
                why = UNFIT if steps.first.size else TOO_SHORT
            elif number == 0:
                why = steps.before
            else:
                why = steps.after if number == len(edges) else UNFIT
            yield NotJudged(float(begins_s[at]), float(ends_s[first - 1]), why)
        at = after


def _episodes(
    first: Int64[Array, "step"],
    last: Int64[Array, "step"],
    start_s: Float64[Array, "step"],
    end_s: Float64[Array, "step"],
    likely: Float64[Array, "step"],
    af: Array,
) -> Iterator[AfEpisode]:
    """Neighbouring steps in AF are one episode; a gap ends it, and a pause between files."""
    at_once = start_s[1:] - end_s[:-1] < ROUNDING_S
    follows = np.append(False, (first[1:] == last[:-1] + 1) & at_once)
    for low, high in _runs(af):
        breaks = [low, *(at for at in range(low + 1, high) if not follows[at]), high]
        for one, other in pairwise(breaks):
            confidence = float(np.average(likely[one:other], weights=(end_s - start_s)[one:other]))
            yield AfEpisode(float(start_s[one]), float(end_s[other - 1]), confidence)
