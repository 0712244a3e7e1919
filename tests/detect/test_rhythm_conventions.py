"""Flutter and beats without a mark, by each convention."""

import pytest

from pacl.detect.rhythm_conventions import annotated_as
from pacl.detect.rhythm_spans import annotated_spans
from pacl.records import Rhythm, Span
from support.recordings import make_record

SR, AF, OTHER, UNKNOWN = Rhythm


def marked(*spans):
    record = make_record([(SR, spans[-1][1])])
    object.__setattr__(record, "spans", tuple(Span(*one) for one in spans))
    return record


@pytest.mark.parametrize(
    ("flutter", "unmarked", "af", "known"),
    [
        ("left-out", "left-out", [[20, 30]], [[10, 30], [40, 50]]),
        ("as-af", "left-out", [[20, 40]], [[10, 50]]),
        ("as-not-af", "left-out", [[20, 30]], [[10, 50]]),
        ("left-out", "as-not-af", [[20, 30]], [[0, 30], [40, 50]]),
    ],
)
@pytest.mark.parametrize("mark", ["(AFL", "afl"])
def test_what_is_af_and_what_is_known(flutter, unmarked, af, known, mark):
    record = marked(
        (0, 10, UNKNOWN), (10, 20, SR, "(N"), (20, 30, AF), (30, 40, OTHER, mark), (40, 50, OTHER)
    )
    found = annotated_spans(annotated_as(record, flutter, unmarked))
    assert found.af.tolist() == af
    assert found.known.tolist() == known


def test_flutter_that_was_read_as_af_stays_af():
    record = marked((0, 10, SR, "(N"), (10, 20, AF, "(AFL"))
    assert annotated_as(record, "as-not-af").spans == record.spans
