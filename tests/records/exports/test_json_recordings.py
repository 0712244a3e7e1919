"""Lists of intervals that are parts of one recording, and logs of `pacl listen`."""

import json
from datetime import datetime, timedelta

import numpy as np
import pytest

from pacl.records.exports import ExportReader

START = datetime(2026, 4, 1, 22)
RR_MS = [int(one) for one in np.random.default_rng(1).normal(800, 50, size=600)]


def read(tmp_path, document):
    path = tmp_path / "log.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    reader = ExportReader(path)
    return [reader.read(one) for one in reader.record_ids]


def chunks(sizes, *, at_end, pause_after=(), pause_s=0.0):
    """Lists of intervals one after the other, each with the time of its start or its end."""
    rest, at, found = list(RR_MS), START, []
    for number, size in enumerate(sizes):
        some, rest = rest[:size], rest[size:]
        end = at + timedelta(milliseconds=sum(some))
        found.append({"timestamp": (end if at_end else at).isoformat(), "rr": some})
        at = end + timedelta(seconds=pause_s if number in pause_after else 0)
    return found


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("sizes", [[26, 33, 29, 30, 31, 28] * 3, [75, 70, 72, 74], [200, 200]])
def test_lists_that_follow_each_other_are_one_recording_of_any_length(tmp_path, sizes, at_end):
    """Also where some are as long as a session and others as short as a packet."""
    (record,) = read(tmp_path, chunks(sizes, at_end=at_end))
    assert record.rr_ms.tolist() == RR_MS[: sum(sizes)]
    assert record.file_starts.tolist() == [0]


@pytest.mark.parametrize("at_end", [True, False])
def test_the_start_is_right_whichever_end_of_a_list_is_stamped(tmp_path, at_end):
    (record,) = read(tmp_path, chunks([75, 60, 80, 45], at_end=at_end))
    assert record.started == START


def test_a_pause_between_long_lists_begins_a_new_file(tmp_path):
    (record,) = read(tmp_path, chunks([75] * 4, at_end=True, pause_after=[1], pause_s=60))
    assert record.file_starts.tolist() == [0, 150]
    assert record.file_onset_s[1] == pytest.approx(sum(RR_MS[:150]) / 1000 + 60)


def test_lists_of_another_hour_are_another_recording(tmp_path):
    found = read(tmp_path, chunks([75] * 4, at_end=False, pause_after=[1], pause_s=3600))
    assert [len(one) for one in found] == [150, 150]


def test_lists_with_another_name_are_not_mixed_with_these(tmp_path):
    text = "\n".join(json.dumps({"rr": one, "ibi": one}) for one in RR_MS[:90])
    assert [one.rr_ms.tolist() for one in read(tmp_path, text)] == [RR_MS[:90]] * 2


@pytest.mark.parametrize(("lost_s", "starts"), [(4.0, [0]), (83.0, [0, 100])])
def test_lost_time_of_a_live_log_passes_without_a_beat(tmp_path, lost_s, starts):
    at_s, lines = 0.0, [{"event": "note", "text": "connected"}]
    for number, rr_ms in enumerate(RR_MS[:200]):
        if number == 100:
            lines.append({"event": "lost", "time_s": round(at_s, 3), "lost_s": lost_s})
            at_s += lost_s
        lines.append({"event": "beat", "time_s": round(at_s, 3), "rr_ms": float(rr_ms)})
        lines.append({"event": "decision", "time_s": round(at_s, 3), "probability": 0.1})
        at_s += rr_ms / 1000
    (record,) = read(tmp_path, "\n".join(map(json.dumps, lines)))
    plausible = record.rr_ms[(record.rr_ms >= 200) & (record.rr_ms <= 2000)]
    assert plausible.tolist() == RR_MS[:200]
    assert record.file_starts.tolist() == starts
    end_s = record.file_onset_s[-1] + record.rr_ms[starts[-1] :].sum() / 1000
    assert end_s == pytest.approx(at_s, abs=1)


def test_lost_time_before_the_first_beat_is_no_recording(tmp_path):
    lines = [{"event": "lost", "time_s": 0, "lost_s": 4}, *({"rr": one} for one in RR_MS)]
    (record,) = read(tmp_path, "\n".join(map(json.dumps, lines)))
    assert record.rr_ms.tolist() == RR_MS
