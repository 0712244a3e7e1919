"""Every beat of every patient: which runs are taken, and what windows of them are called."""

from dataclasses import replace

import numpy as np
import pytest

from pacl.cohort import AllBeatsProtocol, CohortProtocol, Excerpt, Selection, Share
from pacl.records import Record, Rhythm
from pacl.records.text import parse_rr
from support.recordings import make_record, random_record

SR, AF, OTHER, UNKNOWN = Rhythm
MARKS = ("(B", "(T", "(SVTA", "(AFL", "")
DAY = [
    (SR, 30, "(N"),
    (OTHER, 10, "(B"),
    (SR, 20, "(SBR"),
    (AF, 40, "(AFIB"),
    (OTHER, 10, "(AFL"),
    (AF, 20, "(AFIB"),
    (SR, 20, "(N"),
    (UNKNOWN, 5, ""),
    (SR, 15, "(N"),
    (OTHER, 10, "(SVTA"),
    (AF, 10, "(AFIB"),
]


def marked(runs, **more) -> Record:
    """Beats in runs of (rhythm, beats, mark)."""
    record = make_record([(rhythm, beats) for rhythm, beats, _ in runs], **more)
    spans = (replace(span, mark=run[2]) for span, run in zip(record.spans, runs, strict=True))
    return replace(record, spans=tuple(spans))


def excerpts(record: Record, **settings) -> tuple[Excerpt, ...]:
    (share,) = AllBeatsProtocol(**settings).select(record).shares
    assert share.scale == ()
    assert share.in_ms
    return share.excerpts


def test_a_day_by_hand():
    assert AllBeatsProtocol().select(marked(DAY)) == Selection(
        (
            Share(
                scale=(),
                excerpts=(
                    Excerpt(0, 60, SR, next_af=60),  # bigeminy in its middle
                    Excerpt(60, 100, AF),
                    Excerpt(110, 130, AF),  # flutter between them is nobody's
                    Excerpt(130, 150, SR),
                    Excerpt(155, 180, SR, next_af=180),
                    Excerpt(180, 190, AF),
                ),
                in_ms=True,
            ),
        ),
        {},
    )


def test_a_day_without_other_rhythms():
    assert excerpts(marked(DAY), others="left-out") == (
        Excerpt(0, 30, SR),
        Excerpt(40, 60, SR, next_af=60),
        Excerpt(60, 100, AF),
        Excerpt(110, 130, AF),
        Excerpt(130, 150, SR),
        Excerpt(155, 170, SR),  # tachycardia comes before the AF, and is nobody's here
        Excerpt(180, 190, AF),
    )


def test_it_is_a_protocol_that_lets_windows_lie_right_before_af():
    assert isinstance(AllBeatsProtocol(), CohortProtocol)
    assert AllBeatsProtocol().min_to_onset_s == 0.0
    assert AllBeatsProtocol().others == "not-af"


@pytest.mark.parametrize("mark", [mark for mark in MARKS if mark != "(AFL"])
def test_other_rhythms_alone_are_not_af(mark):
    record = marked([(OTHER, 20, mark), (AF, 10, "(AFIB")])
    assert excerpts(record) == (Excerpt(0, 20, SR, next_af=20), Excerpt(20, 30, AF))
    assert excerpts(record, others="left-out") == (Excerpt(20, 30, AF),)


@pytest.mark.parametrize("others", ["not-af", "left-out"])
def test_flutter_is_neither_and_no_af_that_follows(others):
    record = marked([(SR, 20, "(N"), (OTHER, 10, "(AFL"), (AF, 15, "(AFIB")])
    assert excerpts(record, others=others) == (Excerpt(0, 20, SR), Excerpt(30, 45, AF))


@pytest.mark.parametrize("mark", ["AFL", "afl", "(afl"])
def test_flutter_is_known_as_text_files_write_it(mark):
    """The readers of text take these for what WFDB writes as `(AFL`."""
    (span,) = parse_rr(f"rr,rhythm\n800,{mark}\n".encode(), "a.csv").spans
    assert span.rhythm is OTHER
    record = marked([(SR, 20, "N"), (OTHER, 10, span.mark), (AF, 15, "AF")])
    assert excerpts(record) == (Excerpt(0, 20, SR), Excerpt(30, 45, AF))


def test_flutter_that_was_read_as_af_is_af():
    record = marked([(SR, 20, "(N"), (AF, 10, "(AFL"), (AF, 15, "(AFIB")])
    assert excerpts(record) == (Excerpt(0, 20, SR, next_af=20), Excerpt(20, 45, AF))


@pytest.mark.parametrize("others", ["not-af", "left-out"])
@pytest.mark.parametrize("runs", [[(UNKNOWN, 20, "")], [(OTHER, 20, "(AFL")]])
def test_nothing_is_taken_of_what_is_not_known(runs, others):
    assert AllBeatsProtocol(others).select(marked(runs)) == Selection((), {})


@pytest.mark.parametrize("rhythm", [SR, AF])
def test_patients_of_one_rhythm_take_part(rhythm):
    assert excerpts(make_record([(rhythm, 50)])) == (Excerpt(0, 50, rhythm),)


def test_the_lead_in_is_passed_over():
    inside = excerpts(marked(DAY, lead_in_s=35.0))
    assert inside[:2] == (Excerpt(35, 60, SR, next_af=60), Excerpt(60, 100, AF))
    beyond = excerpts(marked(DAY, lead_in_s=60.0))
    assert beyond[0] == Excerpt(60, 100, AF)
    assert len(beyond) == len(inside) - 1
    whole = AllBeatsProtocol().select(make_record([(AF, 30)], lead_in_s=30.0))
    assert whole == Selection((), {})


def called(record: Record, others: str) -> list[Rhythm | None]:
    """What each beat is called, one by one."""
    rule = {SR: SR, AF: AF}
    names: list[Rhythm | None] = []
    for span in record.spans:
        other = span.rhythm is OTHER and span.mark != "(AFL" and others == "not-af"
        names += [SR if other else rule.get(span.rhythm)] * len(span)
    now_s, beat = 0.0, 0
    while beat < record.file_bounds()[0][1] and now_s < record.lead_in_s:
        names[beat] = None
        now_s += record.rr_ms[beat] / 1000
        beat += 1
    return names


@pytest.mark.parametrize("others", ["not-af", "left-out"])
@pytest.mark.parametrize("seed", range(20))
def test_random_records_beat_by_beat(seed, others):
    generator = np.random.default_rng(seed)
    record = random_record(generator, runs=14, beats=(3, 40), lead_in_s=8.0)
    spans = (replace(span, mark=str(generator.choice(MARKS))) for span in record.spans)
    record = replace(record, spans=tuple(spans))
    names = called(record, others)
    taken: list[Rhythm | None] = [None] * len(record)
    found = excerpts(record, others=others)
    for one in found:
        assert taken[one.start : one.stop] == [None] * (one.stop - one.start)
        taken[one.start : one.stop] = [one.rhythm] * (one.stop - one.start)
        edges = (names[one.start - 1] if one.start else None, [*names, None][one.stop])
        assert one.rhythm not in edges  # as long as it can be
        before_af = one.rhythm is SR and edges[1] is AF
        assert one.next_af == (one.stop if before_af else -1)
        assert one.episode == -1
    assert taken == names
    assert list(found) == sorted(found, key=lambda one: one.start)
