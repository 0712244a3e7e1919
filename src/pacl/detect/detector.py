"""AF in whole recordings: windows, steps, a smoother, episodes (2.4, 4)."""

import math
from datetime import MAXYEAR, timedelta
from typing import TYPE_CHECKING, get_args

import numpy as np

from pacl.axes import Array, Float32, Float64
from pacl.detect.bundled import BUNDLED
from pacl.detect.detection import LONGEST_MS, THRESHOLD, Detection, Mode, Quality
from pacl.detect.errors import DetectError
from pacl.detect.judged_steps import StretchCounts, StretchSteps, af_episodes, runs, silent
from pacl.detect.not_judged import GAP, NOT_YET, UNFIT, WARMING_UP, NotJudged, too_short
from pacl.detect.offered import Offered
from pacl.detect.placed import Placed, place_record
from pacl.detect.reference_map import ReferenceMap
from pacl.detect.scorer import WindowScorer
from pacl.detect.smoother import CAUSAL, LOOK_AHEAD, probability
from pacl.detect.steps import STRIDE, cut_stretch, step_logits
from pacl.records import Record
from pacl.records.array import record_from_rr
from pacl.records.text.values import Unit
from pacl.windows.plausible import is_implausible

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Detector:
    """Detects AF with bundled weights.

    Examples
    --------
    >>> from pacl.records import open_records
    >>> detector = Detector()  # doctest: +SKIP
    >>> detector.detect(open_records("night.csv").read("night")).af_burden  # doctest: +SKIP
    0.31
    >>> detector.detect([812, 790, 805]).reason  # doctest: +SKIP
    'needs 200 plausible beats (200-2000 ms) in a row, the longest run has 3'
    """

    def __init__(self, weights: str = BUNDLED[0]) -> None:
        self.scorer = WindowScorer.bundled(weights)

    def detect(
        self,
        record: "Record | ArrayLike",
        mode: Mode = "look-ahead",
        *,
        unit: Unit = "auto",
        allow_smoothed: bool = False,
    ) -> Detection:
        """Judge a recording.

        Parameters
        ----------
        record
            A recording, or its RR intervals as a list or an array.
        mode
            Whether to look ahead, or to judge each moment by what came before it.
        unit
            Unit of plain intervals; `"auto"` goes by the median, as for text files. A `Record` is
            in ms.
        allow_smoothed
            Judge plain intervals that look resampled or averaged, too.
        """
        if mode not in get_args(Mode):
            raise DetectError(f"mode {mode!r}; use {' or '.join(map(repr, get_args(Mode)))}")
        record = _as_record(record, unit, allow_smoothed)
        if record.rr_ms.max() > LONGEST_MS:
            raise DetectError(
                f"{record.source}: an interval of {record.rr_ms.max():g} ms, more than a day; "
                "split the recording there"
            )
        begins_s = record.onset_s()
        ends_s = begins_s + record.rr_ms.astype(np.float64) / 1000
        _check_clock(record, float(ends_s.max()))
        judged: list[StretchSteps] = []
        not_judged = [
            NotJudged(float(begins_s[at]), float(ends_s[at]), GAP) for at in record.gaps().tolist()
        ]
        for start, stop in record.stretches():
            steps = self._judge(record.rr_ms[start:stop], start, mode)
            judged.append(steps)
            not_judged += silent(
                steps, (start, stop), begins_s, ends_s, too_short(self.scorer.window_beats)
            )
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
            recorded_s=record.duration_s,
            seen_s=math.fsum(one.counts.seen_s for one in judged),
            judged_s=float((end_s - start_s).sum()),
            af_s=float((end_s - start_s)[af].sum()),
            episodes=tuple(af_episodes(first, last, start_s, end_s, likely, af)),
            not_judged=tuple(sorted(not_judged, key=lambda one: (one.start_s, one.end_s))),
            quality=Quality(
                beats=len(record),
                implausible=float(is_implausible(record.rr_ms).mean()),
                not_judged=1.0 - float((last - first + 1).sum()) / len(record),
                gaps=int(record.gaps().size),
            ),
            offered=self._offered(record, judged),
            start_s=start_s,
            end_s=end_s,
            probability=likely,
        )

    def _offered(self, record: Record, judged: list[StretchSteps]) -> Offered:
        """Count what there was to judge."""
        counts = [one.counts for one in judged]
        return Offered(
            window_beats=self.scorer.window_beats,
            beats=len(record),
            plausible=sum(one.plausible for one in counts),
            gaps=int(record.gaps().size),
            longest_run=max((one.plausible for one in counts), default=0),
            windows=sum(one.windows for one in counts),
            sparse=sum(one.sparse for one in counts),
            repeated=sum(one.repeated for one in counts),
        )

    def place(self, record: "Record | ArrayLike", *, unit: Unit = "auto") -> Placed | None:
        """Where a recording's windows lie among the patients the weights were learned from.

        None where the weights have no map of them.
        """
        record = _as_record(record, unit, allow_smoothed=True)
        reference = ReferenceMap.bundled(self.scorer.name)
        return None if reference is None else place_record(record, self.scorer, reference)

    def _judge(self, rr_ms: Array, offset: int, mode: Mode) -> StretchSteps:
        """The steps of a stretch without a gap."""
        window_beats = self.scorer.window_beats
        cut = cut_stretch(rr_ms, window_beats)
        kept, windows, fit = cut.kept, cut.rr_ms, cut.fit
        counts = StretchCounts.of(cut, rr_ms)
        if not fit.size:
            none = np.empty(0, np.int64)
            return StretchSteps(none, none, np.empty(0), counts)
        steps = fit.size + window_beats // STRIDE - 1
        # A step ends with its last beat, which is when a stream decides; beats that were left out
        # after it belong to the next.
        last = kept[(np.arange(steps) + 1) * STRIDE - 1]
        first = np.append(kept[0], last[:-1] + 1)
        if mode == "look-ahead":
            last[-1] = kept[-1]  # the last step takes what is left
            logits = step_logits(self.scorer.logits(windows), fit, window_beats)
            return StretchSteps(first + offset, last + offset, _smoothed(logits), counts)
        log_odds = np.full(steps, np.nan)
        log_odds[-fit.size :] = self._filtered(windows, fit)
        before, after = WARMING_UP if fit[0] else UNFIT, NOT_YET if fit[-1] else UNFIT
        return StretchSteps(first + offset, last + offset, log_odds, counts, before, after)

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


def _as_record(record: "Record | ArrayLike", unit: Unit, allow_smoothed: bool) -> Record:
    if not isinstance(record, Record):
        return record_from_rr(record, unit, allow_smoothed=allow_smoothed)
    if unit not in ("auto", "ms"):
        raise DetectError(f"{record.source}: unit {unit!r} asked for, but a Record is in ms")
    return record


def _check_clock(record: Record, ends_s: float) -> None:
    """Refuse a recording whose clock would leave the calendar."""
    if record.started is None:
        return
    try:
        year = (record.started + timedelta(seconds=ends_s)).year
    except OverflowError:
        year = MAXYEAR
    if year >= MAXYEAR:
        raise DetectError(
            f"{record.source}: it starts at {record.started} and would end in the year {MAXYEAR} "
            "or later; correct the date, or leave it out"
        )


def _smoothed(logits: Float64[Array, "step"]) -> Float64[Array, "step"]:
    """Each run of steps that can be judged, smoothed by itself."""
    found = np.full(logits.size, np.nan)
    for low, high in runs(np.isfinite(logits)):
        found[low:high] = LOOK_AHEAD.smooth(logits[low:high].tolist())
    return found
