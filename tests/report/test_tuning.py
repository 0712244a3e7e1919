"""Pictures of a tuning: what is drawn is what was found."""

import pytest

from pacl.report.style import FigureError
from pacl.report.tuning import compute_history, draw_history, draw_importances
from pacl.studies.tuning import Outcome, Tried
from support.refusals import refused


def tried(number, ended, value):
    return Tried(number, ended, value, 3, 1.0, "", {"train.lr": 0.1})


def outcome(*trials):
    found = tuple(tried(number, *trial) for number, trial in enumerate(trials, start=1))
    return Outcome("supcon", "fair", found, {})


MIXED = outcome(
    ("failed", None),
    ("finished", 0.8),
    ("pruned", 0.95),
    ("finished", 0.7),
    ("finished", 0.9),
    ("finished", 0.9),
)


def test_trials_are_sorted_by_how_they_ended_and_the_best_so_far_goes_up():
    history = compute_history(MIXED)
    assert history.title == "supcon, fair space"
    assert history.finished == ((2, 0.8), (4, 0.7), (5, 0.9), (6, 0.9))
    assert history.pruned == ((3, 0.95),)
    assert history.failed == (1,)
    assert history.best == ((2, 0.8), (5, 0.9))  # what was pruned is no best
    assert history.last == 6
    assert MIXED.best.number == 5
    assert MIXED.count() == {"finished": 4, "pruned": 1, "failed": 1}


@pytest.mark.parametrize("ending", ["png", "svg"])
@pytest.mark.parametrize("found", [MIXED, outcome(), outcome(("failed", None))])
def test_any_history_can_be_drawn(tmp_path, found, ending):
    path = tmp_path / f"history.{ending}"
    draw_history(compute_history(found), path)
    assert path.stat().st_size > 3000
    assert [child.name for child in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("shares", [{"train.lr": 1.0}, {f"a.{n}": 1 / 17 for n in range(17)}])
def test_importances_are_drawn(tmp_path, shares):
    draw_importances(shares, "supcon", tmp_path / "importances.png")
    assert (tmp_path / "importances.png").stat().st_size > 3000


def test_the_same_picture_is_the_same_file(tmp_path):
    for name in ("a.svg", "b.svg"):
        draw_history(compute_history(MIXED), tmp_path / name)
    one, other = ((tmp_path / name).read_text().splitlines() for name in ("a.svg", "b.svg"))
    assert [line for line in one if "dc:date" not in line] == [
        line for line in other if "dc:date" not in line
    ]


def test_a_format_that_cannot_be_drawn_is_named(tmp_path):
    with refused(FigureError, "x.bmp", ".png"):
        draw_history(compute_history(MIXED), tmp_path / "x.bmp")
