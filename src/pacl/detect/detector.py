"""AF in whole recordings: every stretch is judged, and what is found is put together (2.4, 4)."""

import math
from datetime import MAXYEAR, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from pacl.detect.bundled import BUNDLED, open_judge
from pacl.detect.detection import LONGEST_MS, MIN_DURATION_S, Detection, Quality
from pacl.detect.errors import DetectError
from pacl.detect.judge import Mode, OperatingPoint
from pacl.detect.judged_steps import StretchSteps, af_episodes, silent
from pacl.detect.not_judged import GAP, NotJudged
from pacl.detect.record_embeddings import RecordEmbeddings, embed_record
from pacl.detect.reference_map import ReferenceMap
from pacl.detect.smoother import probability
from pacl.detect.usable_beats import Offered
from pacl.detect.window_judge import WindowJudge
from pacl.records import Record
from pacl.records.array import record_from_rr
from pacl.records.text.values import Unit
from pacl.windows.plausible import is_implausible

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Detector:
    """Detects AF with bundled weights, or with those of a folder.

    Parameters
    ----------
    weights
        Name of bundled weights, or a folder that `pacl weights` wrote.
    operating_point
        How much it takes to call AF: `"sensitive"`, `"balanced"` or `"specific"`.
    min_duration_s
        AF in shorter episodes alone is possible AF.

    Examples
    --------
    >>> from pacl.records import open_records
    >>> detector = Detector()
    >>> record = open_records("recording.csv").read("recording")
    >>> round(detector.detect(record).af_burden, 2)
    0.44
    >>> detector.detect([812, 790, 805]).reason
    'needs 60 plausible beats (200-2000 ms) in a row, the longest run has 3'
    """

    def __init__(
        self,
        weights: str | Path = BUNDLED[0],
        *,
        operating_point: OperatingPoint = "balanced",
        min_duration_s: float = MIN_DURATION_S,
    ) -> None:
        if not (math.isfinite(min_duration_s) and min_duration_s >= 0):
            raise DetectError(f"min_duration_s {min_duration_s}; give seconds from 0 up")
        self.operating_point: OperatingPoint = operating_point
        self.min_duration_s = float(min_duration_s)
        self.judge = open_judge(weights, operating_point)

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
            Whether to look ahead, or to judge each moment as a stream does.
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
        rr_ms = record.rr_ms.astype(np.float32)
        stretches: list[tuple[int, StretchSteps]] = []
        not_judged = [
            NotJudged(float(begins_s[at]), float(ends_s[at]), GAP) for at in record.gaps().tolist()
        ]
        for start, stop in record.stretches():
            steps = self.judge.judge(rr_ms[start:stop], mode)
            stretches.append((start, steps))
            not_judged += silent(steps, start, begins_s, ends_s, self.judge.needed_beats)
        found = StretchSteps.joined(stretches)
        counts = [one.counts for _, one in stretches]
        start_s, end_s = begins_s[found.first], ends_s[found.last]
        likely = probability(found.log_odds)
        lasts_s = end_s - start_s
        gaps = int(record.gaps().size)
        return Detection(
            record_id=record.record_id,
            source=record.source,
            started=record.started,
            mode=mode,
            weights=self.judge.name,
            operating_point=self.operating_point,
            min_duration_s=self.min_duration_s,
            duration_s=float(ends_s[-1] - begins_s[0]),
            recorded_s=record.duration_s,
            seen_s=math.fsum(one.seen_s for one in counts),
            judged_s=float(lasts_s.sum()),
            af_s=float(lasts_s[found.af].sum()),
            episodes=tuple(af_episodes(found, rr_ms, start_s, end_s, likely)),
            not_judged=tuple(sorted(not_judged, key=lambda one: (one.start_s, one.end_s))),
            quality=Quality(
                beats=len(record),
                implausible=float(is_implausible(rr_ms).mean()),
                not_judged=1.0 - float((found.last - found.first + 1).sum()) / len(record),
                gaps=gaps,
            ),
            offered=Offered.of(self.judge.needed_beats, len(record), gaps, counts),
            start_s=start_s,
            end_s=end_s,
            probability=likely,
            af=found.af,
            learned_from=self.judge.learned(rr_ms),
            measured=self.judge.measured(mode),
        )

    def place(
        self, record: "Record | ArrayLike", *, unit: Unit = "auto"
    ) -> RecordEmbeddings | None:
        """Where a recording's windows lie among the patients the weights were learned from.

        None where the weights have no map of them: only those of windows do.
        """
        record = _as_record(record, unit, allow_smoothed=True)
        if not isinstance(self.judge, WindowJudge):
            return None
        reference = ReferenceMap.bundled(self.judge.name)
        return None if reference is None else embed_record(record, self.judge.scorer, reference)


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
