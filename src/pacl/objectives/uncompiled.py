"""Functions that `torch.compile` leaves as they are.

Like `torch.compiler.disable`. That one imports the compiler as soon as it decorates a function,
which takes about a second, even if nothing is ever compiled.
"""

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import torch

Given = ParamSpec("Given")
Found = TypeVar("Found")
_COMPILER = "torch._dynamo"


def uncompiled(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The function, with a break of the graph around it."""
    apart: list[Callable[Given, Found]] = []  # once there is a compiler

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        if _COMPILER not in sys.modules:
            return function(*args, **kwargs)
        if not apart:
            apart.append(torch.compiler.disable(function))  # type: ignore[no-untyped-call]
        return apart[0](*args, **kwargs)

    return call
