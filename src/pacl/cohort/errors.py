"""What can be wrong with a cohort or a split."""

from pathlib import Path

from pacl.errors import PaclError


class CohortError(PaclError):
    """A cohort that cannot be divided as requested; states what there is and what to change."""


class SplitError(CohortError):
    """A split file that cannot be read or does not fit the cohort."""

    def __init__(self, where: Path | str, what: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}; {remedy}")
