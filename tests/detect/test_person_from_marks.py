"""A profile continued with marks by hand."""

import pytest

from pacl.detect import Detector, Mark, adapt, marked_person


@pytest.fixture(scope="module")
def looked(first):
    return Detector().look(first)


def test_it_is_what_adapt_learns(looked, first):
    """The kept pass of the networks gives the same evidence, in both modes."""
    found = marked_person(looked, [Mark("sinus", 60, 660), Mark("af", 1300, 1400)])
    expected = adapt(first, sinus=[(60, 660)], af=[(1300, 1400)])
    assert found.person is not None
    for mode in ("look-ahead", "causal"):
        one, other = found.person.of(mode), expected.of(mode)
        assert one.sinus.amount == pytest.approx(other.sinus.amount)
        assert one.sinus.mean == pytest.approx(other.sinus.mean, abs=1e-4)
        assert len(one.corrections) == len(other.corrections) == 1
        assert one.corrections[0].log_odds == pytest.approx(other.corrections[0].log_odds, abs=1e-3)
    (recording,) = found.person.recordings
    assert recording.marks == expected.recordings[0].marks
    assert found.notices == ()


def test_a_profile_is_continued(looked, me):
    """600 s are in it already."""
    found = marked_person(looked, [Mark("sinus", 50, 100), Mark("sinus", 700, 900)], me)
    assert found.person is not None
    assert [one.start_s for one in found.used] == [700]
    assert "0:00:50" in found.notices[0]
    assert "profile already" in found.notices[0]
    was, now = me.of("look-ahead").sinus.amount, found.person.of("look-ahead").sinus.amount
    assert now - was == pytest.approx(200 / 60, rel=0.1)


def test_where_nothing_can_be_learned_the_profile_stays(looked, me):
    found = marked_person(looked, [Mark("af", 1300, 1305), Mark("exclude", 0, 900)], me)
    assert found.person is me
    assert found.used == ()
    assert "0:21:40" in found.notices[0]


def test_many_marks_are_counted_in_one_notice(looked):
    found = marked_person(looked, [Mark("af", 20 * at, 20 * at + 5) for at in range(8)])
    assert len(found.notices) == 1
    assert "5 more" in found.notices[0]


def test_corrections_are_bounded(looked, monkeypatch):
    monkeypatch.setattr("pacl.detect.person_from_marks.MOST_CORRECTIONS", 1)
    found = marked_person(looked, [Mark("af", 1300, 1330), Mark("not-af", 100, 160)])
    assert [one.kind for one in found.used] == ["not-af"]
    assert "corrections" in found.notices[0]
