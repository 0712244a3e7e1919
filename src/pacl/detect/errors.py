"""What can go wrong while AF is detected."""

from pacl.errors import PaclError


class DetectError(PaclError):
    """Something that cannot be judged at all; says what and why."""
