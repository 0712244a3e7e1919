"""The error of all that is about marks by hand."""

from pacl.errors import PaclError


class EditError(PaclError):
    """A file of edits, or an edit, that cannot be used; the message states why and the remedy."""
