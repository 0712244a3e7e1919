"""Protocols that cannot be, or that say something twice."""

import pytest

from pacl.studies import RunError
from pacl.studies.rivals import RivalsProtocol
from support.refusals import refused


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"seeds": (1, 2, 1)}, "seeds has 1 "),
        ({"few": (4, 4)}, "few has 4 "),
        (
            {"methods": ("patient-aware", "bce", "patient-aware")},
            "methods has patient-aware ",
        ),
        ({"few_seeds": (42, 42)}, "few_seeds has 42 "),
    ],
)
def test_what_is_given_twice_is_refused(given, told):
    with refused(RunError, told):
        RivalsProtocol(**given)


def test_bad_protocols_are_refused():
    for wrong in (
        *({"trials": 0}, {"trials": 9}, {"seeds": ()}, {"few_seeds": (3,)}, {"few": (1, 0)}),
        *({"steps": 0}, {"other_steps": 0}, {"folds": 2}),
    ):
        with pytest.raises(RunError):
            RivalsProtocol(**wrong)
