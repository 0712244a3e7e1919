"""What the tables hold is what the library computes of one recording."""

import numpy as np
import pytest

from pacl.cohort_tables import (
    DetectionTables,
    HrvTables,
    RhythmTables,
    make_tables,
    recording_scores,
)
from pacl.detect import Detector, DetectorSettings
from pacl.detect.scoring import RhythmComparison, evaluate_recordings
from pacl.features import HRV_NAMES, hrv_features
from pacl.records import open_records
from pacl.rr import Cut
from pacl.work import Here
from support.cohorts_of_text import write_text_cohort


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    return write_text_cohort(tmp_path_factory.mktemp("cohort") / "text", 6, bad=(2,))


def tables(kind, cohort, tmp_path):
    return make_tables(tmp_path / "t", kind, [cohort], workers=Here()).folder


def test_detections(cohort, tmp_path):
    folder = tables(DetectionTables(DetectorSettings(), "look-ahead", steps=True), cohort, tmp_path)
    reader, detector = open_records(cohort), Detector()
    rows = {row["record"]: row for row in folder.table("recordings").to_pylist()}
    episodes = folder.table("episodes").to_pylist()
    steps = folder.table("steps")
    for name in reader.record_ids:
        if name == "r00002":
            assert rows[name]["verdict"] is None
            continue
        found, row = detector.detect(reader.read(name)), rows[name]
        assert (row["verdict"], row["reason"]) == (found.verdict, found.reason)
        assert (row["af_burden"], row["judged_s"]) == (found.af_burden, found.judged_s)
        assert row["digest"] == reader.read(name).digest
        mine = [one for one in episodes if one["record"] == name]
        assert [(one["start_s"], one["end_s"], one["confidence"]) for one in mine] == [
            (one.start_s, one.end_s, one.confidence) for one in found.episodes
        ]
        own = steps.filter(np.array(steps.column("record").to_pylist()) == name)
        assert own.column("start_s").to_pylist() == found.start_s.tolist()
        assert own.column("af").to_pylist() == found.af.tolist()
    assert {row["verdict"] for row in rows.values()} >= {"AF", "no AF"}


def test_rhythm_scores(cohort, tmp_path):
    kind = RhythmTables(DetectorSettings(), RhythmComparison("causal", unmarked="as-not-af"))
    folder = tables(kind, cohort, tmp_path)
    detector = Detector()
    found = kind.compare.joined(recording_scores(folder), detector)
    direct = evaluate_recordings(open_records(cohort), detector, "causal", unmarked="as-not-af")
    assert found.to_dict(None, 0.95) == direct.to_dict(None, 0.95)
    assert len(found.faults) == len(direct.faults) == 1


def test_features(cohort, tmp_path):
    folder = tables(HrvTables(Cut(100, 50)), cohort, tmp_path)
    table = folder.table("features")
    record = open_records(cohort).read("r00001")
    rows = [row for row in table.to_pylist() if row["record"] == "r00001"]
    kept = record.rr_ms[(record.rr_ms >= 200) & (record.rr_ms <= 2000)].astype(np.float32)
    assert len(rows) == (kept.size - 100) // 50 + 1
    for number, row in enumerate(rows):
        expected = hrv_features(kept[50 * number : 50 * number + 100])
        np.testing.assert_allclose([row[name] for name in HRV_NAMES], expected, rtol=1e-9)
        assert row["window"] == number + 1
        assert row["end_s"] > row["start_s"]
        assert row["af_share"] == 1.0
    assert {row["af_share"] for row in table.to_pylist() if row["record"] == "r00000"} == {0.0}


def test_a_recording_shorter_than_a_window_is_a_row_with_the_remedy(cohort, tmp_path):
    folder = tables(HrvTables(Cut(500, 500)), cohort, tmp_path)
    errors = folder.table("recordings").column("error").to_pylist()
    assert sum("--window-beats" in one for one in errors) == 5
