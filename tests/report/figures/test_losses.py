from pacl.report.figures.losses import LOSS_COLOURS, LOSS_MARKERS, loss_looks
from pacl.report.paper_values import LOSS_TITLES, loss_title
from pacl.report.style import RHYTHM_COLOURS


def test_the_papers_losses_have_the_papers_names():
    assert [loss_title(x) for x in ("patient-aware", "supcon", "bce")] == [
        "Proposed",
        "SupCon",
        "BCE",
    ]
    assert loss_title("patient-class") == "patient-class"


def test_a_loss_looks_the_same_whoever_is_beside_it():
    alone = loss_looks(["bce"])["bce"]
    assert loss_looks(["released", "supcon", "bce"])["bce"] == alone
    assert loss_looks(LOSS_TITLES)["bce"] == alone


def test_no_two_losses_look_alike_and_none_like_a_rhythm():
    assert len({*LOSS_COLOURS.values()}) == len({*LOSS_MARKERS.values()}) == 3
    assert not {*LOSS_COLOURS.values()} & {*RHYTHM_COLOURS.values()}
    looks = loss_looks([*LOSS_TITLES, "patient", "patient-class", "released", "a", "b"])
    assert len({look.colour for look in looks.values()}) == 8
    assert len({look.marker for look in looks.values()}) == 8


def test_more_losses_than_colours_still_differ():
    looks = loss_looks(map(str, range(35)))
    assert len({(look.colour, look.marker) for look in looks.values()}) == 35
