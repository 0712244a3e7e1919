"""How many of something, in words."""


def counted(number: int, noun: str) -> str:
    """A number with its noun, which takes an s unless there is exactly one."""
    return f"{number} {noun}{'s' * (number != 1)}"
