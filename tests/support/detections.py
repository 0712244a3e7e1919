"""Detections made by hand."""

import numpy as np

from pacl.detect import AfEpisode, Detection, Offered, Quality
from pacl.detect.scoring.counts import Counts


def detection(judged, episodes=(), record_id="record_0"):
    """What was judged and which episodes were found, as (start, end) in seconds."""
    start_s, end_s = np.array(judged, dtype=np.float64).reshape(-1, 2).T
    return Detection(
        record_id=record_id,
        source="memory",
        started=None,
        mode="look-ahead",
        weights="none",
        operating_point="balanced",
        min_duration_s=30.0,
        duration_s=0.0,
        recorded_s=0.0,
        seen_s=0.0,
        judged_s=0.0,
        af_s=0.0,
        episodes=tuple(AfEpisode(start, end, 1.0) for start, end in episodes),
        not_judged=(),
        quality=Quality(0, 0.0, 0.0, 0),
        offered=Offered(60, beats=0),
        start_s=start_s,
        end_s=end_s,
        probability=np.ones(len(start_s)),
        af=np.ones(len(start_s), np.bool_),
    )


def counts(*amounts):
    """What counts, is AF, is called AF, and is both, in whole beats or segments."""
    return Counts(*map(float, amounts))
