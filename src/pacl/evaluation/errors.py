"""Errors of embeddings and predictions."""

from pathlib import Path

from pacl.errors import PaclError


class EvaluationError(PaclError):
    """Something that cannot be measured."""


def evaluate_again(path: Path, what: str) -> EvaluationError:
    """The error of a file of an evaluation that cannot be used."""
    return EvaluationError(f"{path}: {what}; evaluate the run again")
