"""Errors of features."""

from pacl.errors import PaclError


class FeatureError(PaclError):
    """Windows without features."""
