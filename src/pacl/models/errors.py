"""Errors of networks, their weights and their input."""

from pathlib import Path

from pacl.errors import PaclError


class ModelError(PaclError):
    """A network that cannot be built, or an input that it cannot read."""


class WeightsError(ModelError):
    """A file of weights that cannot be read, or that belongs to another network."""

    def __init__(self, where: Path | str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}; {remedy}")
