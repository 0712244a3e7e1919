"""What can be wrong with a network that is to leave torch."""

from pacl.errors import PaclError


class ExportError(PaclError):
    """A network that cannot be exported faithfully; says what is off, and what to do."""
