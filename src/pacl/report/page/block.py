"""What a page is made of."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from pacl.errors import PaclError


class PageError(PaclError):
    """A page that cannot be made of what was given."""


@runtime_checkable
class Block(Protocol):
    """A part of a page that can say itself in both languages."""

    def to_html(self) -> str:
        """One element, everything in it escaped."""
        ...

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """Paragraphs, with figures as links to the paths given by their names."""
        ...
