"""The annotated rhythm beside what was detected."""

from dataclasses import replace

import pytest

from pacl.detect.scoring.agreement import Agreement
from pacl.records import Rhythm, Span
from pacl.report.recording import write_recording_page
from pacl.report.recording.annotations import (
    agreement_sentence,
    compute_annotated,
    draw_lanes,
)
from pacl.report.wording import SPACE


@pytest.fixture
def annotated(night):
    """Three hours of a beat a second; AF is annotated from 1:15 to 2:00, flutter after 2:45."""
    record, detection = night
    spans = (
        Span(0, 4500, Rhythm.SR, "(N"),
        Span(4500, 7200, Rhythm.AF, "(AFIB"),
        Span(7200, 9900, Rhythm.OTHER, "(B"),
        Span(9900, 10_800, Rhythm.OTHER, "(AFL"),
    )
    return replace(record, spans=spans), detection


def test_both_lanes(annotated):
    picture = compute_annotated(*annotated)
    assert picture.af_s["annotated"].tolist() == [[4500, 7200]]
    assert picture.known_s["annotated"].tolist() == [[0, 9900]]
    assert picture.af_s["detected"].tolist() == [[3600, 7200]]
    assert picture.known_s["detected"].tolist() == [[0, 7200], [9000, 10_800]]
    (axes,) = draw_lanes(picture).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["detected", "annotated"]


def test_the_page_says_how_far_they_agree(annotated):
    """Of 8100 s that both cover, they differ in 900; 2700 are annotated, 3600 detected."""
    html = write_recording_page(*annotated).replace(SPACE, " ")
    assert "agree on 89 %" in html
    for fact in ("2 h 15 min", "45 min 00 s", "100 %", "1 h 00 min", "75 %"):
        assert fact in html


def test_without_annotations_there_is_nothing_to_compare(night):
    assert compute_annotated(*night) is None
    assert "nnotat" not in write_recording_page(*night)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Agreement(), "compare"),
        (Agreement(3600.0), "no AF in the 1 h 00 min"),
        (Agreement(3600.0, af_s=900.0), "agree on 75 %**"),
        (Agreement(3600.0, af_s=900.0), "no AF was detected"),
        (Agreement(3600.0, called_s=360.0), "agree on 90 %**"),
        (Agreement(3600.0, called_s=360.0), "no AF is annotated"),
    ],
)
def test_sentences(found, words):
    assert words in agreement_sentence(found).replace(SPACE, " ")
