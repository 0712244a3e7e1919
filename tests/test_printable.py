"""Cells of CSV files: names are no formulas, figures stay as they are."""

import pytest

from pacl.printable import plain_cell


@pytest.mark.parametrize("name", ["=1+1", "+1+1", "-1+1", "@x", "-cmd", "-1 [=1, 2]", "\tx", "- x"])
def test_what_would_be_a_formula_gets_an_apostrophe(name):
    assert plain_cell(name).startswith("'")
    assert plain_cell(name, figures=True).startswith("'")


@pytest.mark.parametrize(
    "text", ["a", "-", "-0.1", "+3.5%", "-0.1 to 0.2", "-0.003 [-0.01, 0.02]", "-2 ± 3", "", "a-b"]
)
def test_figures_and_plain_names_stay(text):
    assert plain_cell(text, figures=True) == text


@pytest.mark.parametrize("name", ["-1", "+1", "-0.1 to 0.2"])
def test_names_that_look_like_figures_are_names(name):
    assert plain_cell(name) == f"'{name}"
