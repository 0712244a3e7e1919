"""Every call into `pacl` is checked against its types; only those with arrays pay for axes.

jaxtyping's wrapper costs some ten microseconds a call, beartype's one. Most functions have no array
in their signature, so that beartype alone says the same of them.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_args

import jaxtyping
from beartype import BeartypeConf, beartype

with_axes = jaxtyping.jaxtyped
without_axes = beartype(conf=BeartypeConf(violation_type=TypeError))  # as jaxtyping's errors are


class _UnknownError(Exception):
    """An annotation that cannot be read before all is imported."""


def install() -> None:
    """Check what is imported of `pacl` from now on."""
    jaxtyping.jaxtyped = _checked
    jaxtyping.install_import_hook("pacl", "beartype.beartype")


def _checked(*, typechecker: Any) -> Callable[[Any], Any]:
    """What the import hook puts before each function and class."""

    def decorate(found: Any) -> Any:
        if inspect.isfunction(found) and not has_axes(found):
            return without_axes(found)
        if inspect.isclass(found):
            return _checked_class(found, typechecker)
        return with_axes(found, typechecker=typechecker)

    return decorate


def _checked_class(found: type, typechecker: Any) -> type:
    """A dataclass whose `__init__` is checked; other classes are as they were."""
    made = vars(found).get("__init__")
    if hasattr(found, "__dataclass_fields__") and inspect.isfunction(made) and not has_axes(made):
        found.__init__ = without_axes(made)  # type: ignore[misc]
        return found
    return with_axes(found, typechecker=typechecker)


def has_axes(function: Callable[..., Any]) -> bool:
    """Whether arrays are in the signature, or may be."""
    try:
        return any(
            isinstance(part, type) and issubclass(part, jaxtyping.AbstractArray)
            for annotation in function.__annotations__.values()
            for part in _parts(_read(annotation, function))
        )
    except _UnknownError:
        return True


def _read(annotation: Any, function: Callable[..., Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    if annotation in function.__qualname__.split("."):
        return None  # the class that is being defined
    try:
        return eval(annotation, function.__globals__)
    except Exception as error:  # what type checkers alone understand
        raise _UnknownError from error


def _parts(annotation: Any) -> Iterator[Any]:
    """The annotation and all that is in it."""
    if type(annotation).__name__ == "ForwardRef" or isinstance(annotation, str):
        raise _UnknownError
    yield annotation
    for part in annotation if isinstance(annotation, list | tuple) else get_args(annotation):
        yield from _parts(part)
