"""What can be wrong with a tuning."""

from pacl.studies.errors import RunError


class TuningError(RunError):
    """A tuning that cannot begin or go on; says which, and what to do."""
