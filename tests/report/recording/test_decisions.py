from pacl.report.recording.decisions import (
    PAUSE,
    REST,
    Decision,
    beat_decisions,
    not_judged_reasons,
    not_judged_s,
)


def test_a_beat_is_what_its_step_is(make):
    make_record, make_detection = make
    record = make_record([1000] * 6)
    found = make_detection(record, [(1.0, 3.0, 0.5), (3.0, 4.0, 0.49)])
    nothing, af, other = Decision.NOT_JUDGED, Decision.AF, Decision.NOT_AF
    assert beat_decisions(record, found).tolist() == [nothing, af, af, other, nothing, nothing]
    assert not_judged_s(record, found) == ((0.0, 1.0), (4.0, 6.0))


def test_without_a_step_nothing_is_judged(make):
    make_record, make_detection = make
    record = make_record([800])
    found = make_detection(record, [])
    assert beat_decisions(record, found).tolist() == [Decision.NOT_JUDGED]
    assert not_judged_s(record, found) == ((0.0, 0.8),)


def test_time_without_a_reason_is_listed_too(make):
    """Two files, a minute between them; the last two beats belong to no step."""
    make_record, make_detection = make
    record = make_record([1000] * 8, files=(0, 4), onsets=(0.0, 64.0))
    steps = [(1.0, 4.0, 0.1), (64.0, 66.0, 0.1)]
    found = make_detection(record, steps, not_judged=[(0.0, 1.0, "early")])
    found = [(one.start_s, one.end_s, one.why) for one in not_judged_reasons(record, found)]
    assert found == [(0.0, 1.0, "early"), (4.0, 64.0, PAUSE), (66.0, 68.0, REST)]
