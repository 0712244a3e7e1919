"""What can be wrong with a policy, or with a batch that a loss is given."""

from pacl.errors import PaclError


class PolicyError(PaclError):
    """A pair policy that says nothing, or nothing that can be computed."""


class ObjectiveError(PaclError):
    """A batch that a loss has no value for; says which windows, and what to do."""
