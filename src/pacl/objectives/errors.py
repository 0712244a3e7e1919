"""Errors of pair policies and losses."""

from pacl.errors import PaclError


class PolicyError(PaclError):
    """An invalid pair policy."""


class ObjectiveError(PaclError):
    """A batch or setting for which a loss is not defined."""
