"""What every error that `pacl` raises on purpose has in common."""


class PaclError(Exception):
    """Something the person at the keyboard can put right; the message says how."""
