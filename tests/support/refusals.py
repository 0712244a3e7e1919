"""An error is checked by the facts in its message, not by its wording."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

Fact = str | Path | int | float
E = TypeVar("E", bound=BaseException)


@contextmanager
def refused(
    error_type: type[E] | tuple[type[E], ...], *facts: Fact
) -> Iterator[pytest.ExceptionInfo[E]]:
    """Like `pytest.raises`; each fact must also occur in the message of the error.

    A number must occur as a whole number: 9 is not in "19" or in "9.5". It may be written with
    thousands separators.

    Yields
    ------
    pytest.ExceptionInfo
        The error, to be read after the block.
    """
    __tracebackhide__ = True
    with pytest.raises(error_type) as raised:
        yield raised
    message = str(raised.value)
    missing = [fact for fact in facts if not _occurs(fact, message)]
    if missing:
        named = ", ".join(repr(str(fact)) for fact in missing)
        pytest.fail(f"{type(raised.value).__name__} does not mention {named}:\n{message}")


def _occurs(fact: Fact, message: str) -> bool:
    if isinstance(fact, str | Path):
        return str(fact) in message
    written = "|".join(re.escape(form) for form in {str(fact), f"{fact:,}"})
    return re.search(rf"(?<![\d.])(?<!\d,)(?:{written})(?![,.]?\d)", message) is not None
