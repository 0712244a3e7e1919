import numpy as np
import pytest

from pacl.detect import RecordEmbeddings, ReferenceMap
from pacl.report.page import Note, Page
from pacl.report.recording.decisions import Decision
from pacl.report.recording.neighbours import (
    NO_PROOF,
    compute_neighbours,
    draw_neighbours,
    neighbour_blocks,
    window_decisions,
)

WINDOW_BEATS = 200


def place_all(record, pooled, far_not_af=0.5, far_af=0.5):
    """Three patients without AF at the left, three with at the right; a window every 600 beats."""
    centres = np.array([[x, y, 0.0] for x in (-1.0, 1.0) for y in (0.0, 0.2, 0.4)])
    reference = ReferenceMap(
        axes=np.eye(3)[:2],
        origin=np.array([0.0, 0.1, 0.0]),
        centres=centres,
        af=centres[:, 0] > 0,
        far_not_af=far_not_af,
        far_af=far_af,
    )
    first = np.arange(0, len(record) - WINDOW_BEATS, 600)
    of = np.array(pooled, dtype=np.float32)[np.minimum(first // 3600, len(pooled) - 1)]
    return RecordEmbeddings(reference, first, first + WINDOW_BEATS - 1, of)


@pytest.fixture
def placed(night):
    """In the first hour among those without AF, in the second, which is AF, far from all."""
    return place_all(night[0], [[-0.9, 0.1, 0.0], [0.9, 0.1, 2.0], [-0.9, 0.1, 0.0]])


def words(blocks):
    return Page("x", tuple(blocks)).to_html().replace("\N{NO-BREAK SPACE}", " ")


def warnings(blocks):
    return [block.text for block in blocks if isinstance(block, Note)]


def test_a_window_is_what_all_of_its_beats_are(make, night):
    make_record, make_detection = make
    record = make_record([1000] * 1000)
    steps = [(0.0, 300.0, 0.1), (300.0, 600.0, 0.9), (800.0, 1000.0, 0.1)]
    found = make_detection(record, steps)
    placed = place_all(record, [[0, 0, 0]])
    first = np.array([0, 100, 101, 300, 400, 401, 600, 700, 800])
    at = RecordEmbeddings(placed.reference, first, first + 199, np.zeros((9, 3), np.float32))
    nothing, af, other = Decision.NOT_JUDGED, Decision.AF, Decision.NOT_AF
    assert window_decisions(record, found, at).tolist() == [
        *(other, other, nothing, af, af, af),
        *(nothing, other, other),
    ]


def test_neighbours_by_hand(night, placed):
    picture = compute_neighbours(*night, placed)
    calm, af = picture.own[Decision.NOT_AF], picture.own[Decision.AF]
    assert calm.place == pytest.approx((-0.9, 0.0), abs=1e-6)
    assert (calm.near, calm.near_af, calm.far) == (6, 3, False)
    assert af.place == pytest.approx((0.9, 0.0), abs=1e-6)
    assert af.far
    np.testing.assert_allclose(picture.patients[0], [-1.0, -0.1])
    assert len(picture.windows) == len(placed.first)


def test_drawn_in_the_names_of_what_there_is(night, placed):
    figure = draw_neighbours(compute_neighbours(*night, placed))
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == [
        "reference patient, not AF",
        "reference patient, AF",
        "window of this recording",
        "this recording, not AF",
        "this recording, AF",
    ]


def test_a_patient_is_seen_beneath_the_recording(night, placed):
    (axes,) = draw_neighbours(compute_neighbours(*night, placed)).axes
    diamonds = [one for one in axes.collections if one.get_sizes()[0] == 150]
    assert len(diamonds) == 2
    for one in diamonds:
        assert one.get_facecolor()[0, 3] < 0.5
        assert one.get_edgecolor()[0, 3] == 1.0


def test_the_section_names_the_nearest_and_warns_where_all_are_far(night, placed):
    blocks = neighbour_blocks(*night, placed)
    html = words(blocks)
    assert "<strong>3 are AF</strong>" in html
    assert "6 reference rhythms" in html
    assert "all 3 numbers" in html
    assert NO_PROOF in html
    (warning,) = warnings(blocks)
    assert "as AF" in warning
    assert "not AF" not in warning


def test_both_may_be_far_or_neither(night):
    far = [[-1.0, 5.0, 0.0]]
    (warning,) = warnings(neighbour_blocks(*night, place_all(night[0], far)))
    assert "as AF" in warning
    assert "as not AF" in warning
    assert warnings(neighbour_blocks(*night, place_all(night[0], far, 9.0, 9.0))) == []


def test_each_rhythm_is_compared_with_its_own(night):
    """Among those without AF, 2 from all with AF: far for what is called AF alone."""
    among = place_all(night[0], [[-1.0, 0.1, 0.0]], far_not_af=0.2, far_af=1.9)
    own = compute_neighbours(*night, among).own
    assert (own[Decision.NOT_AF].far, own[Decision.AF].far) == (False, True)
    among = place_all(night[0], [[-1.0, 0.1, 0.0]], far_not_af=0.05, far_af=2.1)
    own = compute_neighbours(*night, among).own
    assert (own[Decision.NOT_AF].far, own[Decision.AF].far) == (True, False)


def test_there_is_no_nearest_patient_where_the_rhythm_changes_in_each_window(make):
    make_record, make_detection = make
    record = make_record([1000] * 300)
    found = make_detection(record, [(0.0, 100.0, 0.1), (100.0, 300.0, 0.9)])
    html = words(neighbour_blocks(record, found, place_all(record, [[0, 0, 0]])))
    assert "reference rhythms nearest" not in html
    assert "<img" in html


def test_without_a_map_there_is_no_section(night):
    assert neighbour_blocks(*night, None) == []
