"""What can be wrong with embeddings or predictions."""

from pacl.errors import PaclError


class EvaluationError(PaclError):
    """Something that cannot be measured; says what is missing, for whom, and what to do."""
