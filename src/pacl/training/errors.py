"""Errors of sampling and training."""

from pacl.errors import PaclError


class SamplerError(PaclError):
    """The windows do not allow such batches."""


class TrainingError(PaclError):
    """A training that cannot start, continue or resume."""
