"""The CPSC2021 score by hand, and as recordings give it."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.detect.scoring.compared import annotated_as, annotated_spans, compared_spans
from pacl.detect.scoring.cpsc import CpscScore, cpsc_score, score_beats
from pacl.records import Rhythm, open_records
from support.detections import detection
from support.recordings import make_record

SR, AF, OTHER, UNKNOWN = Rhythm
BEATS = 100
ALL = [(0, BEATS)]
SOME = [(20, 50)]
FAR = [(60, 90)]


def spans(beats):
    return np.array(beats, dtype=np.float64).reshape(-1, 2)


def score(true, called, judged=ALL):
    return score_beats(spans(true), spans(called), spans(judged), BEATS)


@pytest.mark.parametrize(
    ("true", "called", "expected"),
    [
        ([], [], CpscScore(1.0, 0.0)),
        ([], ALL, CpscScore(-1.0, 0.0)),
        ([], SOME, CpscScore(-0.5, 0.0)),
        (ALL, [], CpscScore(-2.0, 0.0)),
        (ALL, ALL, CpscScore(1.0, 2.0)),
        (ALL, SOME, CpscScore(0.0, 0.0)),
        (SOME, [], CpscScore(-1.0, 0.0)),
        (SOME, ALL, CpscScore(0.0, 0.0)),
        (SOME, SOME, CpscScore(1.0, 2.0)),
        (SOME, FAR, CpscScore(1.0, 0.0)),
    ],
)
def test_the_rhythm_of_the_recording(true, called, expected):
    assert score(true, called) == expected
    assert score(true, called).total == expected.rhythm + expected.endpoints


@pytest.mark.parametrize(("away", "points"), [(0, 1.0), (1, 1.0), (2, 0.5), (3, 0.0)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_an_end_within_one_beat_is_a_point_within_two_half(away, points, sign):
    assert score(SOME, [(20 + sign * away, 70)]).endpoints == points
    assert score(SOME, [(30, 50 + sign * away)]).endpoints == points


def test_too_many_episodes_divide_the_points_and_too_few_do_not():
    two = [(10, 20), (40, 60)]
    assert score(two, two) == CpscScore(1.0, 4.0)
    assert score(two, two[:1]) == CpscScore(1.0, 2.0)
    # Three called for two true: 4 points times 2 / 3, and 2.5 points times 1 / 2 for one true.
    assert score(two, [*two, (80, 90)]).endpoints == pytest.approx(4 * 2 / 3)
    assert score(two[:1], [(10, 18), (19, 21)]).endpoints == pytest.approx(2.5 / 2)


def test_an_end_is_compared_with_the_nearest_one_alone():
    near = [(10, 11), (12, 14)]
    assert score(near, [(11, 13)]).endpoints == 2.0


def test_all_that_was_judged_is_all():
    assert score(ALL, [(30, 80)], judged=[(30, 80)]) == CpscScore(1.0, 2.0)
    assert score(ALL, [(30, 50), (60, 80)], judged=[(30, 50), (60, 80)]) == CpscScore(1.0, 2.0)
    assert score(ALL, [(30, 80)], judged=[(29, 80)]) == CpscScore(0.0, 0.0)
    # Whoever calls all of it AF says that AF begins and ends with the recording.
    assert score([(30, 80)], [(30, 80)], judged=[(30, 80)]) == CpscScore(0.0, 0.0)


def of_recording(record, judged, episodes):
    episodes = [(float(start), float(end)) for start, end in episodes]
    found = detection(judged, episodes)
    return cpsc_score(record, found, compared_spans(record, found))


def test_a_recording_in_beats_and_not_in_seconds():
    record = make_record([(SR, 30), (AF, 40), (SR, 30)], 400)  # AF from 12 s to 28 s
    assert of_recording(record, [(0, 40)], [(12.8, 28.4)]) == CpscScore(1.0, 0.5 + 1.0)
    assert of_recording(record, [(0, 40)], []) == CpscScore(-1.0, 0.0)


def test_flutter_is_af_and_what_has_no_mark_is_not():
    record = make_record([(UNKNOWN, 30), (AF, 20), (OTHER, 20), (UNKNOWN, 30)])
    flutter = replace(record.spans[2], mark="(AFL")
    record = replace(record, spans=(*record.spans[:2], flutter, record.spans[3]))
    assert of_recording(record, [(0, 100)], [(30, 70)]) == CpscScore(1.0, 2.0)


def test_a_recording_without_a_mark_has_no_score():
    assert of_recording(make_record([(UNKNOWN, 90)]), [(0, 90)], []) is None
    assert of_recording(make_record([(SR, 90)]), [(0, 90)], []) == CpscScore(1.0, 0.0)


CLASSES = ("non atrial fibrillation", "persistent", "paroxysmal")


@pytest.mark.real
def test_annotations_give_the_class_that_the_challenge_says(data):
    reader = open_records(data / "cpsc2021")
    for name in reader.record_ids:
        record = annotated_as(reader.read(name), unmarked="as-not-af")
        af = annotated_spans(annotated_as(record, flutter="as-af")).af
        end_s = float(record.onset_s()[-1] + record.rr_ms[-1] / 1000)
        found = of_recording(record, [(0.0, end_s)], af.tolist())
        assert found == CpscScore(1.0, 2.0 * len(af))
        wrong = of_recording(record, [(0.0, end_s)], [])
        header = (data / "cpsc2021" / f"{name}.hea").read_text()
        assert CLASSES[(1.0, -2.0, -1.0).index(wrong.rhythm)] in header
