"""What can be wrong with windows whose features are wanted."""

from pacl.errors import PaclError


class FeatureError(PaclError):
    """Windows that have no features; says which window, what it holds and what to do."""
