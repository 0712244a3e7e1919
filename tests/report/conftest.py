"""A recording of a beat a second, and what might have been found in it."""

from datetime import datetime

import numpy as np
import pytest

from pacl.detect import AfEpisode, Detection, NotJudged, Offered, Quality
from pacl.records import Record, Rhythm, Span
from support.browser import browser, page  # noqa: F401 - fixtures

STARTED = datetime(2024, 2, 28, 22, 30)


def make_record(rr_ms, record_id="night", started=None, files=(0,), onsets=(0.0,)):
    rr_ms = np.asarray(rr_ms, dtype=np.int32)
    return Record(
        patient_id=record_id,
        record_id=record_id,
        rr_ms=rr_ms,
        file_starts=np.array(files, dtype=np.int64),
        file_onset_s=np.array(onsets, dtype=np.float64),
        spans=(Span(0, rr_ms.size, Rhythm.UNKNOWN),),
        digest="",
        source="night.txt",
        started=started,
    )


def make_detection(record, steps, episodes=(), not_judged=(), mode="look-ahead"):
    """`steps` are (start_s, end_s, probability)."""
    table = np.array(steps, dtype=np.float64).reshape(-1, 3)
    start_s, end_s, probability = table.T.copy()
    lasts = end_s - start_s
    return Detection(
        record_id=record.record_id,
        source=record.source,
        started=record.started,
        mode=mode,
        weights="af-rr200",
        operating_point="balanced",
        min_duration_s=30.0,
        duration_s=float(record.onset_s()[-1] + record.rr_ms[-1] / 1000 - record.onset_s()[0]),
        recorded_s=record.duration_s,
        seen_s=float(lasts.sum()),
        judged_s=float(lasts.sum()),
        af_s=float(lasts[probability >= 0.5].sum()),
        episodes=tuple(AfEpisode(*one) for one in episodes),
        not_judged=tuple(NotJudged(*one) for one in not_judged),
        quality=Quality(beats=len(record), implausible=0.0, not_judged=0.0, gaps=0),
        offered=Offered(200, beats=len(record), plausible=len(record), longest_run=len(record)),
        start_s=start_s,
        end_s=end_s,
        probability=probability,
        af=probability >= 0.5,
    )


@pytest.fixture
def make():
    """Both makers: of records and of detections."""
    return make_record, make_detection


@pytest.fixture
def night():
    """Three hours: one without AF, one with, half of one that was not judged, the rest without."""
    record = make_record([1000] * 10_800, started=STARTED)
    steps = [(0.0, 3600.0, 0.1), (3600.0, 7200.0, 0.9), (9000.0, 10_800.0, 0.2)]
    return record, make_detection(
        record, steps, [(3600.0, 7200.0, 0.9)], [(7200.0, 9000.0, "too <noisy>")]
    )
