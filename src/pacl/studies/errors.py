"""What can be wrong with a run's folder."""

from pathlib import Path

from pacl.errors import PaclError


class RunError(PaclError):
    """A run that cannot begin, go on or be read; says which, and what to do."""

    def __init__(self, where: Path | str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}; {remedy}")
