"""What the page of a recording shows, as plain values."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from pacl.detect import Detector, Mark
from pacl.records import Rhythm, Span
from pacl.report.page import as_data
from pacl.report.recording.recording_view import FORMAT, recording_view
from support.rhythms import fibrillation, record_of, sinus


def test_the_values_are_those_of_the_detection_and_can_be_written(night):
    record, detection = night
    values = recording_view(record, detection, ["look out"]).values
    assert json.loads(as_data(values)) == json.loads(json.dumps(values))
    stated = detection.to_dict()
    own = {"format", "not_judged", "started"}
    assert {name: values[name] for name in stated if name not in own} == {
        name: value for name, value in stated.items() if name not in own
    }
    assert values["format"] == FORMAT
    assert values["beats"] == len(record) == 10_800
    assert (values["from_s"], values["to_s"]) == (0.0, 10_800.0)
    assert values["blocks"] == [(0.0, 10_800.0)]
    assert values["started"] == "2024-02-28T22:30:00"
    assert values["notices"][0] == "look out"
    assert values["not_judged"] == [{"start_s": 7200.0, "end_s": 9000.0, "why": "too <noisy>"}]
    assert values["annotated"] == []
    assert values["agreement"] is None


def test_the_time_of_day_has_no_zone(night):
    record, detection = night
    there = replace(record, started=datetime(2024, 2, 28, 22, 30, tzinfo=UTC))
    assert recording_view(there, detection).values["started"] == "2024-02-28T22:30:00"
    assert recording_view(replace(record, started=None), detection).values["started"] is None


def test_annotations_come_with_their_times(night):
    record, detection = night
    spans = (
        Span(0, 3600, Rhythm.SR),
        Span(3600, 7200, Rhythm.AF, "(AFIB"),
        Span(7200, 10_800, Rhythm.UNKNOWN),
    )
    values = recording_view(replace(record, spans=spans), detection).values
    times = [(one["start_s"], one["end_s"], one["rhythm"]) for one in values["annotated"]]
    assert times == [(0.0, 3600.0, "SR"), (3600.0, 7200.0, "AF")]
    assert "(AFIB" in values["annotated"][1]["name"]
    assert "agree on 100\N{NO-BREAK SPACE}%" in values["agreement"]
    assert "*" not in values["agreement"]


def test_pauses_between_files_divide_the_time(make):
    make_record, make_detection = make
    record = make_record([1000] * 200, files=(0, 100), onsets=(0.0, 90_000.0))
    values = recording_view(record, make_detection(record, [(0.0, 100.0, 0.2)])).values
    assert len(values["blocks"]) == 2
    assert (values["from_s"], values["to_s"]) == (0.0, 90_100.0)
    assert values["jumps"] == ((0, 0), (100, 90_000 * 4000))


def test_marks_change_it_and_say_so():
    generator = np.random.default_rng(0)
    record = record_of(np.concatenate([sinus(300, generator), fibrillation(200, generator)]))
    detector = Detector()
    looked = detector.look(record)
    before, after = (
        recording_view(record, detector.decide(looked, marks)).values
        for marks in ((), (Mark("exclude", 10.0, 70.0),))
    )
    assert "excluded by hand" not in {one["why"] for one in before["not_judged"]}
    assert "excluded by hand" in {one["why"] for one in after["not_judged"]}
    assert after["judged_s"] == pytest.approx(before["judged_s"] - 60, abs=2)
    assert (before["edits"], before["without_edits"]) == ([], None)
    assert after["edits"] == [{"kind": "exclude", "start_s": 10.0, "end_s": 70.0}]
    assert after["without_edits"] == {name: before[name] for name in ("verdict", "af_burden")}
