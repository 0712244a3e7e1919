"""The look of the house in larger letters: these figures are also read on phones."""

from collections.abc import Iterator
from contextlib import contextmanager

from pacl.report.style import figure_style

WIDTH = 7.4
"""Inches; as wide as the card that a page lays a picture on."""

LETTERS = 10.5


@contextmanager
def recording_style() -> Iterator[None]:
    """Draw as everywhere else, but so that it can be read when it is made small."""
    import matplotlib as mpl

    with figure_style(), mpl.rc_context({"font.size": LETTERS, "axes.titlesize": LETTERS}):
        yield
