"""The base of all errors that `pacl` raises on purpose."""


class PaclError(Exception):
    """An error that the user can correct; the message states how."""
