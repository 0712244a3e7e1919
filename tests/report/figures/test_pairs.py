import pytest

from pacl.objectives import IGNORED, POLICIES, PairPolicy, negative, positive
from pacl.records import Rhythm
from pacl.report.figures.pairs import compute_pairs, draw_pairs
from pacl.report.style import FigureError
from support.refusals import refused

KINDS = ((True, True), (True, False), (False, True), (False, False))


def roles(panel):
    """The one role of each kind of pair, in the order of a policy's fields."""
    found = [{(one.role, one.weight) for one in panel.of_kind(*kind)} for kind in KINDS]
    assert all(len(kind) == 1 for kind in found)
    return [kind.pop() for kind in found]


def test_supcon_is_drawn_left_and_the_proposed_right():
    left, right = compute_pairs()
    assert (left.title, right.title) == ("SupCon", "Proposed")
    assert [role for role, _ in roles(left)] == ["positive", "negative", "positive", "negative"]
    assert [role for role, _ in roles(right)] == ["positive", "negative", "ignored", "negative"]


@pytest.mark.parametrize("name", POLICIES)
def test_roles_are_those_of_the_policy(name):
    (panel,) = compute_pairs({name: POLICIES[name]})
    stated = POLICIES[name].to_dict().values()
    assert [[role, pytest.approx(weight)] for role, weight in roles(panel)] == [*stated]


def test_weights_are_those_of_the_policy():
    policy = PairPolicy(positive(), negative(2.5), positive(0.2), IGNORED)
    (panel,) = compute_pairs({"mine": policy})
    assert panel.title == "mine"
    assert [weight for _, weight in roles(panel)] == pytest.approx([1, 2.5, 0.2, 1])


def test_the_anchor_is_no_partner_of_itself_and_every_kind_has_windows():
    panel = compute_pairs()[0]
    assert panel.anchor == ("A", Rhythm.SR)
    assert [len(panel.of_kind(*kind)) for kind in KINDS] == [3, 3, 4, 4]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_any_number_of_policies_can_be_drawn(count):
    figure = draw_pairs(compute_pairs(dict(list(POLICIES.items())[:count])))
    assert [axes.get_title(loc="left") for axes in figure.axes if axes.get_title(loc="left")] == [
        "Proposed",
        "SupCon",
        "subject-class",
    ][:count]


def test_no_policy_is_an_error():
    with refused(FigureError, "policy"):
        compute_pairs({})
