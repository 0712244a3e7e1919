"""What can be wrong before or while training."""

from pacl.errors import PaclError


class SamplerError(PaclError):
    """Batches that cannot be made from the windows there are."""


class TrainingError(PaclError):
    """A training that cannot begin, go on, or be taken up again."""
