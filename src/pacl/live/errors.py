"""Errors of live sources."""

from pacl.errors import PaclError


class LiveError(PaclError):
    """A source that cannot be listened to, or a file that cannot be written; has a remedy."""
