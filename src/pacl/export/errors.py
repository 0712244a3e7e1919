"""Errors of the export."""

from pacl.errors import PaclError


class ExportError(PaclError):
    """A network that cannot be exported faithfully."""
