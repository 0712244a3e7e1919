"""The annotated rhythm beside what was detected."""

from dataclasses import replace

import pytest

from pacl.detect.scoring.agreement import Agreement
from pacl.records import Rhythm, Span
from pacl.report.recording import recording_view
from pacl.report.recording.annotations import agreement_sentence
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


def test_the_page_has_all_annotated_rhythms(annotated):
    view = recording_view(*annotated).values
    assert [(one["start_s"], one["end_s"], one["rhythm"]) for one in view["annotated"]] == [
        (0, 4500, "SR"),
        (4500, 7200, "AF"),
        (7200, 9900, "OTHER"),
        (9900, 10_800, "OTHER"),
    ]
    assert view["annotated"][3]["name"] == "other rhythm (AFL"


def test_the_page_says_how_far_they_agree(annotated):
    """Of 8100 s that both cover, they differ in 900; 2700 are annotated, 3600 detected."""
    sentence = recording_view(*annotated).values["agreement"].replace(SPACE, " ")
    assert "agree on 89 %" in sentence
    for fact in ("2 h 15 min", "45 min 00 s", "100 %", "1 h 00 min", "75 %"):
        assert fact in sentence


def test_without_annotations_there_is_nothing_to_compare(night):
    view = recording_view(*night).values
    assert view["annotated"] == []
    assert view["agreement"] is None


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
