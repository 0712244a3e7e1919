"""What can be wrong with a run, a study or a search."""

from pathlib import Path

from pacl.errors import PaclError


class RunError(PaclError):
    """A run or study that cannot start, resume or be read; names it, and says what to do."""

    def __init__(self, where: Path | str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}; {remedy}")


class TuningError(RunError):
    """A search that cannot start or resume."""
